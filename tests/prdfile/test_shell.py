"""Shell lines: which can't fail, told for certain; everything else counts as honest. bash itself is the judge."""

import itertools
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prd_ralph.prdfile.shell import Mode, can_fail, mask, parsed

OR, LAST, BACK = "what follows `||`", "its last part", "in the background"
GREEN, BRANCH, PIPE = "it exits with 0 whatever", "none of its branches", "the last part of a pipe"

MASKED = {
    "true": GREEN,
    " : ": GREEN,
    "exit 0": GREEN,
    "CI=1 echo ok": GREEN,
    "echo 'a || b' > log": GREEN,
    'echo "$(pytest)"': GREEN,
    "env CI=1 timeout 5 true": GREEN,
    "for t in a b; do pytest $t || true; done": GREEN,
    "pytest || true": OR,
    "pytest 2>&1 || :": OR,
    "pytest || exit 0": OR,
    "pytest || true # never mind": OR,
    "pytest &&\necho ok ||\necho bad": OR,
    "(pytest) || true": OR,
    "pytest || (echo failed)": OR,
    "(pytest || true)": OR,
    "while false; do pytest; done || true": OR,
    "if a; then (b) ; else c; fi || { d; true; }": OR,
    "! pytest || true": OR,
    'npm test || echo "a && b || c; exit 1"': OR,
    "bash -c 'pytest || true'": OR,
    "time pytest || true": OR,
    "cat <<EOF || true\nx && y\nEOF": OR,
    "cat <<-'E O' || true\nx && y\n\tE O\n": OR,
    "pytest; echo ok": LAST,
    "make\nexit 0": LAST,
    "exit 0; pytest": LAST,
    "make\n\n\ntrue\n": LAST,
    "set +e; pytest; exit 0": LAST,
    "set -e; set +e; pytest; echo ok": LAST,
    "{ pytest; true; }": LAST,
    "{ pytest; true; } > log 2>&1": LAST,
    "pytest & wait": LAST,
    "pytest; set -e": LAST,
    "[ -f a ]; printf done": LAST,
    "pytest &": BACK,
    "pytest; make &": BACK,
    "if pytest; then echo ok; fi": BRANCH,
    "if pytest; then echo ok; elif make; then true; else echo bad; fi": BRANCH,
    "sh -c 'pytest | tail -5'": PIPE,
    "bash -lc 'pytest | tail -5'": PIPE,
    "set +o pipefail && pytest | tail": "",
}

HONEST = [
    "pytest",
    "pytest -q | tail -5",
    "test -f a && echo ok",
    "a || b",
    "x >log 2>&1",
    "x &>log",
    "x &>> log",
    "x >| log",
    "[ a = b ]; test -f c",
    "! grep -q TODO src",
    "! false",
    "if ! pytest; then exit 1; fi",
    "if [ -f x ]; then pytest; fi",
    "pytest || { echo no; exit 1; }",
    "pytest || (echo no; exit 1)",
    "set -e; pytest; echo ok",
    "set -euo pipefail\npytest\necho ok",
    "set -o errexit && pytest; echo ok",
    "bash -euo pipefail -c 'pytest | tail; echo ok'",
    "bash -o pipefail -c 'pytest | tail'",
    "bash -ec 'pytest; echo ok'",
    "bash run.sh -c true",
    'sh -c "$CMD"',
    "sh -c",
    "grep -q '|| true' x",
    "grep -q \\|\\|\\ true x",
    'test "$(a; echo ok)" = ok',
    "python - <<'EOF'\nassert x\nexit(0)\ntrue\nEOF",
    "python - <<EOF\ntrue",
    "npm start & sleep 2; curl -f localhost",
    "pytest & wait $!",
    "[[ a == b || true ]]",
    "[[ -f a && ! -f b ]] && make",
    "for f in a b; do test -f $f || exit 1; done",
    "x=$(pytest)",
    "x=${y:-$(a || true)}",
    "x=`pytest; true`",
    "> log",
    "python3 greet.py Ada | diff - <(echo 'Hello')",
    "diff <(a || true) <(b; echo)",
    "(( 1 + 1 == 2 ))",
    "pytest; rc=$?; echo $rc; exit $rc",
    "pytest; exit",
    "until curl -sf x; do sleep 1; done",
    "while read x; do echo $x; done",
    "make # || true",
    "make#x || false",
    'curl "http://x/?a=1&b=2"',
    'curl "http://x/?a=$A&b=`b` \\" || true"',
    "echo $'it\\'s' | grep -q it",
    "test $? -eq 0",
    "cd a && make",
    "timeout 5 make",
    "exit 1",
    "(exit 0); make",
    "a |\nb ||\nc",
    "echo {a,b} ${x:-{}} | grep a",
    "pytest || exit 1; mypy || exit 1; echo ok",
    "if ! pytest; then echo no; exit 1; fi\necho ok",
    "cd web || exit\nnpm test || { echo no; exit 2; }\necho ok",
    "if true; then set -e; fi; pytest; echo ok",
    "bash -c 'pytest || exit 1; echo ok'",
]

UNREAD = [
    "case x in a) true;; esac",
    "f() { true; }; f",
    "trap 'exit 1' EXIT; pytest; true",
    "for ((i=0; i<3; i++)); do true; done",
    "echo 'open",
    'echo "open',
    "echo `open",
    "echo $(open",
    "echo >",
    "echo > &",
    "( true",
    "true )",
    "()",
    "",
    " # only a comment",
    "if true; then fi",
    "if true; fi",
    "while true; do echo",
    "for x in a; echo; done",
    "for x in (; do true; done",
    "[[ a = b",
    "| true",
    "(true) true",
    "(" * 100 + "true" + ")" * 100,
    "echo " + "$(" * 100 + "true" + ")" * 100,
    "true" + " " * 200_000,
]


@pytest.mark.parametrize("line", MASKED)
def test_what_can_not_fail_is_told_with_its_cause(line: str) -> None:
    tree = parsed(line)
    assert tree is not None
    cause = mask(tree, Mode())
    assert cause is not None
    assert MASKED[line] in cause


@pytest.mark.parametrize("line", HONEST)
def test_of_honest_lines_nothing_is_told(line: str) -> None:
    tree = parsed(line)
    assert tree is not None
    assert mask(tree, Mode()) is None


@pytest.mark.parametrize("line", UNREAD)
def test_what_is_not_understood_is_no_tree(line: str) -> None:
    assert parsed(line) is None


def test_without_bash_the_last_part_of_a_pipe_decides() -> None:
    pipe, fine = parsed("pytest | tee log"), parsed("pytest | grep -q ok")
    assert pipe is not None
    assert fine is not None
    assert mask(pipe, Mode(pipefail=False)) == "without `pipefail` the last part of a pipe decides"
    assert mask(fine, Mode(pipefail=False)) is None


@given(st.text(alphabet=st.sampled_from("ab \n;&|()<>{}!$`'\"\\#=-e0") | st.characters(), max_size=60))
def test_any_text_is_read_or_not_and_never_fails(line: str) -> None:
    tree = parsed(line)
    assert tree is None or can_fail(tree, Mode()) in (True, False)


ATOMS = ["true", "echo x", "exit 0", "exit 3", "set -e", "set +e", 'test -n "$A"', '[[ -n "$B" ]]', ":"]
LINES = st.recursive(
    st.sampled_from(ATOMS),
    lambda line: st.one_of(
        st.tuples(line, st.sampled_from(["; ", " && ", " || ", " | cat && ", "\n"]), line).map("".join),
        st.tuples(st.sampled_from(["( {} )", "{{ {}\n}}", "! {{ {}\n}}"]), line).map(
            lambda made: made[0].format(made[1])
        ),
        st.tuples(line, line, line).map(lambda made: "if {}\nthen {}\nelse {}\nfi".format(*made)),
        st.tuples(line, line).map(lambda made: "if {}\nthen {}\nfi".format(*made)),
        line.map("for x in 1 2\ndo {}\ndone".format),
    ),
    max_leaves=5,
)


@settings(max_examples=60, deadline=None)
@given(LINES)
def test_bash_agrees_that_a_masked_line_never_fails(line: str) -> None:
    """No false alarm: whatever `A` and `B` make of the tests in it, the line exits with 0."""
    tree = parsed(line)
    if tree is None or mask(tree, Mode()) is None:
        return
    for a, b in itertools.product(("", "1"), repeat=2):
        command = ["bash", "-o", "pipefail", "-c", line]
        done = subprocess.run(command, env={"A": a, "B": b}, check=False, capture_output=True, timeout=60)
        assert done.returncode == 0, (a, b, done.stderr)
