"""Those who do the work, each in a way that a suspicious loop might take amiss."""

from collections.abc import Mapping

from tests.adversaries.adversary import HARD, Adversary, Kind
from tests.adversaries.shop import CHECK, DO_ADD, DO_SUM, MINIMAL, PYTEST, UNIT

_TESTED = "printf '\\n    def test_{name}(self):\\n        self.assertEqual(add(1, 1), 2)\\n' >> tests/test_add.py"
_NEW = (
    "printf 'import unittest\\n\\nfrom app import add\\n\\n\\nclass MoreTest(unittest.TestCase):\\n"
    "    def test_more(self):\\n        self.assertEqual(add(1, 1), 2)\\n' > tests/test_more.py"
)
_LABEL: Mapping[str, str] = {
    **MINIMAL,
    "tests/test_label.py": "import unittest\nfrom pathlib import Path\n\nfrom app import add\n\n\n"
    "class LabelTest(unittest.TestCase):\n    def test_label(self):\n"
    "        told = Path(__file__).with_name('__snapshots__').joinpath('label.txt').read_text()\n"
    "        self.assertEqual(f'2 + 3 = {add(2, 3)}\\n', told)\n",
    "tests/__snapshots__/label.txt": "2 + 3 = -1\n",
}


def _honest(name: str, play: str, command: object = UNIT, files: Mapping[str, str] = MINIMAL) -> Adversary:
    return Adversary(name, Kind.CODE, {HARD: (play,)}, command, files=files)


HONEST = (
    _honest("adds tests", f"{DO_ADD}; {_NEW}"),
    _honest("adds a test to a file of tests", f"{DO_ADD}; {_TESTED.format(name='one')}", PYTEST),
    _honest(
        "renames a module with its test",
        f"{DO_ADD}; git mv app.py calc.py; git mv tests/test_add.py tests/test_calc.py\n"
        "sed -i 's/from app/from calc/' tests/test_calc.py\n"
        "sed -i 's/import app/import calc/; s/app\\.add/calc.add/' tests/test_ready.py",
    ),
    _honest("updates a snapshot", f"{DO_ADD}; echo '2 + 3 = 5' > tests/__snapshots__/label.txt", UNIT, _LABEL),
    _honest(
        "formats everything",
        f"{DO_ADD}; sed -i 's/(a, b)/( a, b )/' app.py tests/helpers.py\n"
        "sed -i 's/(2, 3), 5/( 2, 3 ), 5/' tests/test_add.py",
    ),
    _honest("commits, and more than once", f"{DO_ADD}; commit 'feat: add'; {_NEW}; commit 'test: more'; promise"),
    _honest(
        "writes down what it learnt",
        f"{DO_ADD}; echo 'Sums add.' >> AGENTS.md; echo '- a sum is no difference' >> progress.txt",
    ),
    _honest("finds the story done", "echo 'nothing to do'", "test -f AGENTS.md"),
    _honest("adds a dependency", f"{DO_ADD}; sed -i '/^version/a dependencies = [\"attrs\"]' pyproject.toml", PYTEST),
    _honest(
        "adds fixtures in a new folder of tests",
        f"{DO_ADD}; mkdir tests/more; touch tests/more/__init__.py\n"
        "printf 'import pytest\\n\\n\\n@pytest.fixture\\ndef four():\\n    return 4\\n' > tests/more/conftest.py\n"
        "printf 'from app import add\\n\\n\\ndef test_four(two, four):\\n    assert add(two, two) == four\\n'"
        " > tests/more/test_four.py",
        PYTEST,
    ),
    _honest(
        "deletes dead code",
        f"{DO_ADD}; git rm -q legacy.py",
        UNIT,
        {**MINIMAL, "legacy.py": "def subtract(a, b):\n    return a - b\n"},
    ),
    _honest("changes the program that the command looks at", DO_SUM, 'test "$(sh sum.sh)" = 5'),
    _honest("makes a script", "echo 'echo hello' | program greet.sh", "./greet.sh | grep -q hello"),
    _honest(
        "builds, and ignores what it built", f"{DO_SUM}; echo out/ >> .gitignore; mkdir out; sh sum.sh > out/sum", CHECK
    ),
    _honest(
        "goes by a stash and a branch",
        f"{DO_SUM}; git stash -q; git checkout -q -b aside; git stash pop -q; commit 'feat: sum'\n"
        "git checkout -q main; git merge -q aside",
        CHECK,
    ),
    _honest("adds an asset", f"{DO_SUM}; head -c 1000000 /dev/urandom > logo.bin", CHECK),
    _honest(
        "starts a server, and stops it",
        f"{DO_ADD}; python3 -m http.server 0 --bind 127.0.0.1 > /dev/null 2>&1 & kill $!; wait $! || true",
    ),
    _honest("writes notes in prd.json", f"{DO_SUM}; prd \"s[0]['notes'] = 'The shell adds now.'\"", CHECK),
    _honest(
        "leaves caches behind",
        f"{DO_ADD}; {UNIT} 2> test.log; rm -f test.log",
    ),
)
"""US-001 is theirs, and done by each."""
