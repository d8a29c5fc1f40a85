"""What became of a test file: what only grew is told from what no longer tests what it did."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.workspace.growth import Growth, growth, module_names, renamed

PYTHON = """\
import os
from calc import add


class TestAdd:
    def check(self, a, b, c):
        assert add(a, b) == c

    def test_small(self):
        self.check(1, 2, 3)


def test_large():
    assert add(1000, 1) == 1001
"""
SCRIPT = """\
import { add } from '../calc';

describe('add', () => {
  test('small', () => {
    expect(add(1, 2)).toBe(3);
  });
});
"""
GO = """\
package calc

import "testing"

func TestAdd(t *testing.T) {
\tif Add(1, 2) != 3 {
\t\tt.Fatal("add")
\t}
}
"""
_END = len(PYTHON)


def _python(old: str, new: str) -> str:
    assert old in PYTHON
    return PYTHON.replace(old, new)


@pytest.mark.parametrize(
    "after",
    [
        PYTHON + "\n\ndef test_more():\n    total = add(1, 1)\n    assert total == 2\n",
        _python("import add", "import add, subtract") + "\n\ndef test_sub():\n    assert subtract(2, 1) == 1\n",
        _python("import os\n", "import os\nimport pytest\n")
        + "\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_each(n):\n    assert add(n, 0) == n\n",
        PYTHON + "\n\nclass TestMore:\n    CASES = [(1, 2, 3)]\n\n    def test_it(self):\n        assert self.CASES\n",
        PYTHON
        + "\n\ndef test_all():\n    found = []\n    found.append(add(1, 1))\n    found[0] = 2\n    assert found\n",
        PYTHON + "\n\ndef test_in():\n    import json\n    from calc import a\n\n    assert json.dumps(a), __file__\n",
        _python("    def test_small", "    def test_tiny(self):\n        self.check(0, 0, 0)\n\n    def test_small"),
        _python("    assert add(1000, 1) == 1001", "    assert (\n        add(1000, 1)\n        == 1001\n    )"),
        PYTHON
        + "\n\ndef test_pair():\n    one, [two, *rest] = 1, [2, 3]\n    assert (one, two, rest) == (1, 2, [3])\n",
        PYTHON + "\n\nclass TestB:\n    pass\n",
        PYTHON + '\n# the end\n"""of it"""\n',
    ],
)
def test_what_stands_beside_the_old_leaves_it_as_it_was(after: str) -> None:
    assert growth("tests/test_calc.py", PYTHON.encode(), after.encode()) is Growth.SAME


SWAYING = {
    "skips": _python("def test_large", "import pytest\n@pytest.mark.skip\ndef test_large"),
    "marks all": PYTHON + "\nimport pytest\npytestmark = pytest.mark.skip\n",
    "shadows a test": PYTHON + "\n\ndef test_large():\n    pass\n",
    "shadows a class": PYTHON + "\n\nclass TestAdd:\n    pass\n",
    "shadows the tested": PYTHON + "\n\ndef add(a, b):\n    return 1001\n",
    "imports over it": PYTHON + "\n\nfrom other import add\n",
    "imports what is used": PYTHON.replace("import os\n", "import os\nfrom lie import add as check\n"),
    "imports everything": PYTHON + "\n\nfrom other import *\n",
    "shadows a built-in": PYTHON + "\n\ndef isinstance(a, b):\n    return True\n",
    "overrides a helper": _python("    def test_small", "    def check(self, *a):\n        pass\n\n    def test_small"),
    "a class's helper": _python("    def test_small", "    def other(self):\n        pass\n\n    def test_small"),
    "returns early": _python("    assert add(1000", "    return\n    assert add(1000"),
    "leaves": PYTHON + "\n\ndef test_aaa():\n    os._exit(0)\n",
    "leaves at once": PYTHON + "\n\nos._exit(0)\n",
    "leaves by import": PYTHON + "\n\nfrom os import _exit as done\n\n\ndef test_b():\n    done(0)\n",
    "assigns elsewhere": PYTHON + "\n\ndef test_b():\n    os.path = None\n",
    "a hook": PYTHON + "\n\ndef pytest_collection_modifyitems(items):\n    items.clear()\n",
    "set up": PYTHON + "\n\ndef setup_module():\n    pass\n",
    "deletes": PYTHON + "\n\ndel test_large\n",
    "a call": PYTHON + "\n\nX = print('x')\n",
    "a fixture": PYTHON + "\n\nimport pytest\n@pytest.fixture(autouse=True)\ndef calm():\n    pass\n",
    "globals": PYTHON + "\n\ndef test_b():\n    global add\n    add = None\n",
    "a loop's name": PYTHON + "\n\nfor test_large in ():\n    pass\n",
    "a condition": PYTHON + "\n\nif os:\n    test_large = None\n",
    "a class that is not tame": PYTHON + "\n\nclass TestB:\n    os._exit(0)\n",
    "imports within": PYTHON + "\n\ndef test_b():\n    from signal import raise_signal as done\n    done(9)\n",
    "adds elsewhere": PYTHON + "\n\ndef test_b():\n    os.environ_of += 1\n",
    "loops elsewhere": PYTHON + "\n\ndef test_b():\n    for os.path in ():\n        pass\n",
    "unpacks elsewhere": PYTHON + "\n\ndef test_b():\n    mine, os.path = 1, 2\n",
    "annotates elsewhere": PYTHON + "\n\ndef test_b():\n    os.path: int = 1\n",
    "by another name": PYTHON + "\n\ndef test_b():\n    mine = TestAdd\n    mine.check = print\n",
    "a helper": PYTHON + "\n\ndef helper(a):\n    return a\n",
    "a literal": PYTHON + "\n\nCASES = [(1, 2, 3)]\n",
    "imports a shim": "import shim\n" + PYTHON,
    "imports a module of a known package": "import calc.shim\n" + PYTHON,
    "imports from beside it": "from . import shim\n" + PYTHON,
    "imports from tests": "from tests import shim\n" + PYTHON,
    "imports a shim within": PYTHON + "\n\ndef test_b():\n    import shim\n",
    "patches": _python("import os\n", "import os\nfrom unittest import mock\n")
    + "\n\ndef test_b():\n    mock.patch('calc.add', lambda *a: 3).start()\n",
    "patches by its whole name": _python("import os\n", "import os\nimport unittest.mock\n")
    + "\n\ndef test_b():\n    unittest.mock.patch('calc.add').start()\n",
    "writes to its code": PYTHON + "\n\ndef test_b():\n    print(add.__code__)\n",
    "writes to the names": PYTHON + "\n\ndef test_b():\n    add.__globals__['add'] = print\n",
    "updates others": PYTHON + "\n\ndef test_b():\n    os.names.update(add=print)\n",
    "empties others": PYTHON + "\n\ndef test_b():\n    mine = os.names\n    mine.clear()\n",
    "writes to a parameter": PYTHON + "\n\ndef test_b(mine=os):\n    mine.add = print\n",
    "writes by with": PYTHON + "\n\ndef test_b():\n    with open('x') as os.path:\n        pass\n",
    "writes by a comprehension": PYTHON + "\n\ndef test_b():\n    [0 for os.path in [print]]\n",
    "unpacks an alias": PYTHON + "\n\ndef test_b():\n    mine, _ = os, 0\n    mine.path = print\n",
    "an alias by a call": PYTHON + "\n\ndef test_b():\n    mine = max([os])\n    mine.path = print\n",
    "another's name in one of its scopes": PYTHON
    + "\n\nclass TestB:\n    def test_a(self):\n        os = {}\n\n    def test_b(self):\n        os.path = print\n",
    "ends by a raise": PYTHON + "\n\ndef test_b():\n    assert SystemExit\n",
    "in a string": '"""\n' + PYTHON + '"""\n',
    "no Python": PYTHON + "\n)\n",
}
UNCLEAR = {"imports everything", "shadows a built-in", "a class's helper", "assigns elsewhere", "a hook", "set up"}
UNCLEAR |= {"deletes", "a call", "a fixture", "globals", "imports within", "adds elsewhere", "loops elsewhere"}
UNCLEAR |= {"a helper", "a literal", "imports a shim", "imports a module of a known package", "imports from beside it"}
UNCLEAR |= {"imports from tests", "imports a shim within", "patches", "patches by its whole name", "writes to its code"}
UNCLEAR |= {"writes to the names", "updates others", "empties others", "writes to a parameter", "writes by with"}
UNCLEAR |= {"writes by a comprehension", "unpacks an alias", "an alias by a call", "ends by a raise"}
UNCLEAR |= {"another's name in one of its scopes"}
UNCLEAR |= {"by another name", "unpacks elsewhere", "annotates elsewhere"}


@pytest.mark.parametrize("how", SWAYING)
def test_what_may_sway_the_old_is_told_from_what_cannot(how: str) -> None:
    grown = growth("tests/test_calc.py", PYTHON.encode(), SWAYING[how].encode())
    assert grown is (Growth.GROWN if how in UNCLEAR else Growth.TURNED)


def test_what_is_no_python_is_taken_by_its_lines() -> None:
    assert growth("test_a.py", b"print 1\nx\n", b"print 1\ny\nx\n") is Growth.TURNED
    assert growth("test_a.py", b"print 1\nx\n", b"print 1\n") is Growth.CHANGED


@pytest.mark.parametrize(
    "after",
    [
        _python("== 1001", "== 1002"),
        _python("        assert add(a, b) == c", "        pass"),
        _python("\n\ndef test_large():\n    assert add(1000, 1) == 1001\n", ""),
        _python("def test_large", "def large"),
        "",
        "\xff",
        _python("from calc import add", "from lie import add"),
    ],
)
def test_what_was_taken_away(after: str) -> None:
    assert growth("tests/test_calc.py", PYTHON.encode(), after.encode("latin-1")) is Growth.CHANGED


def _script(old: str, new: str) -> str:
    assert old in SCRIPT
    return SCRIPT.replace(old, new)


MORE = "  test('large', () => {\n    expect(add(1000, 1)).toBe(1001);\n  });\n"


@pytest.mark.parametrize(
    "after",
    [
        _script("  });\n});\n", f"  }});\n{MORE}}});\n"),
        _script("describe(", "import { sub } from '../calc';\n\ndescribe("),
        SCRIPT + "\ndescribe('sub', () => {\n" + MORE.replace("add", "sub") + "});\n",
    ],
)
def test_new_tests_of_other_languages(after: str) -> None:
    assert growth("src/calc.test.ts", SCRIPT.encode(), after.encode()) is Growth.GROWN


@pytest.mark.parametrize(
    ("after", "how"),
    [
        (_script("    expect", "    return;\n    expect"), Growth.TURNED),
        (_script("  test('small'", "  const add = () => 3;\n  test('small'"), Growth.TURNED),
        ("/*\n" + SCRIPT + "*/\n", Growth.TURNED),
        ("if (false) {\n" + SCRIPT + "}\n", Growth.TURNED),
        ("test.only('x', () => {});\n" + SCRIPT, Growth.TURNED),
        ("jest.mock('../calc', () => ({ add: () => 3 }));\n" + SCRIPT, Growth.TURNED),
        ("const text = `\n" + SCRIPT + "`\n", Growth.TURNED),
        ("process.env.A = 'b';\n" + SCRIPT, Growth.GROWN),
        (_script("  test('small', () => {\n    expect", "    test('small', () => {\n        expect"), Growth.GROWN),
    ],
)
def test_what_may_sway_tests_of_other_languages(after: str, how: Growth) -> None:
    assert growth("src/calc.test.ts", SCRIPT.encode(), after.encode()) is how


def test_an_import_that_names_more_takes_nothing_away() -> None:
    after = _script("import { add }", "import { add, sub }")
    assert growth("src/calc.test.ts", SCRIPT.encode(), after.encode()) is Growth.GROWN


def test_a_line_joined_to_a_comment_is_gone() -> None:
    assert growth("a.sh", b"# one\ntest -f a\n", b"# one test -f a\n") is Growth.CHANGED
    assert growth("a.sh", b"# one\ntest -f a\n", b"# one\x0ctest -f a\n") is Growth.CHANGED


@pytest.mark.parametrize("line", ["exit 0", "set +e", "grep() { true; }", "trap 'exit 0' EXIT", "return 0"])
def test_a_script_that_ends_early(line: str) -> None:
    assert growth("tests/a.sh", b"set -e\ngrep x y\n", f"set -e\n{line}\ngrep x y\n".encode()) is Growth.TURNED


@pytest.mark.parametrize(
    ("after", "how"),
    [
        (GO + "\nfunc TestMore(t *testing.T) {\n\tif Add(0, 0) != 0 {\n\t\tt.Error(1)\n\t}\n}\n", Growth.GROWN),
        (GO + "\nfunc TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n", Growth.TURNED),
        (GO.replace("\tif Add", "\tt.Skip()\n\tif Add"), Growth.TURNED),
        (GO.replace("!= 3", "== 4"), Growth.CHANGED),
    ],
)
def test_go(after: str, how: Growth) -> None:
    assert growth("calc_test.go", GO.encode(), after.encode()) is how


_LINES = st.lists(st.text(st.characters(codec="utf-8", categories=("L", "N", "P"))), max_size=8)


@given(before=_LINES, added=_LINES, at=st.integers(0, 8))
def test_added_lines_alone_never_count_as_taken_away(before: list[str], added: list[str], at: int) -> None:
    after = "\n".join([*before[:at], *added, *before[at:]])
    assert growth("x.test.js", "\n".join(before).encode(), after.encode()) is not Growth.CHANGED


@given(before=_LINES, at=st.integers(0, 7))
def test_a_line_that_is_gone_is_never_overlooked(before: list[str], at: int) -> None:
    lines = [f"{number} {line}" for number, line in enumerate(before)]
    if at < len(lines):
        after = "\n".join(lines[:at] + lines[at + 1 :])
        assert growth("x.test.js", "\n".join(lines).encode(), after.encode()) is Growth.CHANGED


@pytest.mark.parametrize(
    ("gone", "made", "after", "same"),
    [
        ("calc.py", "sums.py", PYTHON.replace("calc", "sums"), True),
        ("calc.py", "lib/calc.py", PYTHON.replace("calc", "lib.calc"), True),
        ("src/calc.py", "src/sums.py", PYTHON.replace("calc", "sums"), True),
        ("calc.py", "sums.py", PYTHON.replace("calc", "other"), False),
        ("calc.py", "sums.js", PYTHON.replace("calc", "sums"), False),
        ("calc.py", "sums.py", PYTHON.replace("calc", "sums").replace("1001", "1"), False),
        ("a.py", "b.py", PYTHON, True),
    ],
)
def test_a_rename(gone: str, made: str, after: str, same: bool) -> None:
    assert renamed(PYTHON.encode(), after.encode(), module_names([gone], [made])) is same


def test_of_a_great_many_files_the_names_are_soon_known() -> None:
    names = module_names((f"a/{n}.py" for n in range(5_000)), (f"b/{n}.py" for n in range(5_000)))
    assert names[0] == ("a.0", "b.0")
    assert len(names) <= 300


def test_what_is_too_deep_to_be_looked_into_counts_as_turned_off() -> None:
    deep = b"A = " + b"-" * 3_000 + b"1\n"
    assert growth("test_a.py", b"A = 1\n", b"A = 1\n" + deep) is Growth.TURNED
    assert growth("test_a.py", deep, deep + b"B = 1\n") is not Growth.CHANGED


def test_long_files_that_resemble_themselves_are_soon_compared() -> None:
    old = "".join(f"{number % 3}\n" for number in range(20_000))
    assert growth("a.test.js", old.encode(), old.replace("1\n", "1\ny\n").encode()) is Growth.GROWN
    assert growth("a.test.js", old.encode(), (old + "0\n" * 20_000).encode()) is Growth.GROWN
    assert growth("a.test.js", old.encode(), old[1:].encode()) is Growth.CHANGED


def test_names_that_are_no_utf_8() -> None:
    names = module_names(["a\udcff.py"], ["b\udcff.py"])
    assert renamed(b"import a\xff\n", b"import b\xff\n", names)
