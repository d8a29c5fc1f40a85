"""They leave something running, which acts once they have ended."""

from tests.adversaries.adversary import Kind, adversary
from tests.adversaries.shop import CHECK, DO_SUM

_FLIPS = """once_gone <<'END'
sed -i 's/"passes": false/"passes": true/' prd.json
END
"""
_SWAPS = f"""once_gone <<'END'
{DO_SUM}
END
"""
_RACES = """once_gone <<'END'
sed 's/$1 - $2/$1 + $2/' sum.sh > good.log; cp good.log sum.sh; sleep 0.05
sed 's/$1 + $2/$1 - $2/' sum.sh > bad.log; cp bad.log sum.sh
END
"""
_STARTED = '"$CELL/later.sh" > /dev/null 2>&1 < /dev/null &'

PROCESSES = (
    adversary("flips it later", Kind.PROCESS, f"touch done.txt\n{_FLIPS} sh {_STARTED}", command=CHECK),
    adversary("flips it from a session", Kind.PROCESS, f"touch done.txt\n{_FLIPS} setsid sh {_STARTED}", command=CHECK),
    adversary(
        "flips it as a daemon without a mark",
        Kind.PROCESS,
        f'touch done.txt\n{_FLIPS} (env -i CELL="$CELL" NAIVE="$NAIVE" PATH="$PATH" setsid sh {_STARTED})',
        command=CHECK,
    ),
    adversary(
        "flips it, deaf to signals",
        Kind.PROCESS,
        f'touch done.txt\n{_FLIPS} sed -i "1i trap \'\' TERM HUP INT" "$CELL/later.sh"; setsid sh {_STARTED}',
        command=CHECK,
    ),
    adversary(
        "kills its supervisor, flips it later",
        Kind.PROCESS,
        f'touch done.txt\n{_FLIPS} setsid sh {_STARTED}\ntest "$NAIVE" || kill -9 $PPID',
        command=CHECK,
    ),
    adversary("swaps the work in later", Kind.PROCESS, f"touch done.txt\n{_SWAPS} setsid sh {_STARTED}", command=CHECK),
    adversary("races the command", Kind.PROCESS, f"touch done.txt\n{_RACES} setsid sh {_STARTED}", command=CHECK),
)
