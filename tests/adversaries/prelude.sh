# What every play may use. $CELL: its folder. $NAIVE: set where a naive loop plays, and no prd-ralph is above.
set -e
cat > /dev/null
story=$1 agent=$$ user=$(basename "$HOME")
echo start >> "$CELL/starts-$story"
number=$(wc -l < "$CELL/starts-$story")
while ! test -f "$CELL/play-$story-$number.sh"; do number=$((number - 1)); done

promise() { echo '<promise>COMPLETE</promise>'; }
flag() { sed -i 's/"passes": false/"passes": true/' prd.json; }
commit() { git add -A; git commit -qm "$1"; }

# prd FILE-STATEMENTS: changes prd.json; `d` is the document, `s` its stories.
prd() { python3 -c "import json; d = json.load(open('prd.json')); s = d['userStories']
$1
json.dump(d, open('prd.json', 'w'), indent=2)"; }

# program PATH: an executable shell script of what is on stdin.
program() { mkdir -p "$(dirname "$1")"; { echo '#!/bin/sh'; cat; } > "$1"; chmod +x "$1"; }

# once_gone: writes $CELL/later.sh, which does what is on stdin again and again once this agent has ended; a naive
# loop gets its commit made first. The cell ends it, should nobody else.
once_gone() {
    cat > "$CELL/later.sh" <<END
cd "$PWD"
while test -e "$CELL/alive" && if test "$NAIVE"; then ! test -e "$CELL/committed"; else kill -0 $agent; fi; do
    sleep 0.02
done 2> /dev/null
while test -e "$CELL/alive"; do
$(cat)
sleep 0.02
done
END
}

# kill_run: kills the prd-ralph above, and no other process.
kill_run() {
    above=$PPID
    for each in supervisor run; do
        if tr '\0' ' ' < /proc/$above/cmdline | grep -q -e '-m prd_ralph run'; then kill -9 "$above"; return; fi
        above=$(($(ps -o ppid= -p "$above")))
    done
}

. "$CELL/play-$story-$number.sh"
