"""Tests that are no Python: what turns old lines off is told from what may be a test more, and nothing is harmless."""

import pytest

from prd_ralph.workspace.growth import Growth, growth

OLD = {
    "sum.test.js": """\
const { sum } = require('../sum');
const assert = require('node:assert');
test('adds', () => {
  expect(sum(1, 2)).toBe(3);
});
""",
    "tests/sum.rs": """\
use calc::add;

#[test]
fn adds() {
    assert_eq!(add(1, 2), 3);
}
""",
    "test/sum_test.rb": """\
require 'minitest/autorun'
class TestSum < Minitest::Test
  def test_add
    total = add(1, 2)
    assert_equal 3, total
  end
end
""",
    "tests/sum.bats": """\
@test "adds" {
  run ./add 1 2
  [ "$output" = 3 ]
}
""",
    "tests/sum.sh": """\
set -e
out=$(./add 1 2)
test "$out" = 3
""",
    "tests/sum.c": """\
#include <assert.h>
int main(void) {
  assert(add(1, 2) == 3);
}
""",
    "sum_test.go": """\
package a
func TestA(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Error()
	}
}
""",
}
JS, RUST, RUBY, BATS, SHELL, C, GO = OLD


def _added(path: str, before: str, added: str) -> Growth:
    """`added` as lines before the line that holds `before`; at the end where that is empty."""
    lines = OLD[path].splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if before in line) if before else len(lines)
    return growth(path, OLD[path].encode(), "".join((*lines[:at], added + "\n", *lines[at:])).encode())


@pytest.mark.parametrize(
    ("path", "before", "added"),
    [
        (JS, "expect", "  if (false)"),
        (JS, "expect", "  if (process.env.NEVER)"),
        (JS, "expect", "  false &&"),
        (JS, "expect", "  void"),
        (JS, "expect", "  () =>"),
        (JS, "expect", "  const unused ="),
        (JS, "expect", "  expect = () => ({ toBe() {} });"),
        (JS, "test(", "expect = () => ({ toBe() {} });"),
        (JS, "test(", "assert.strictEqual = () => {};"),
        (JS, "test(", "Object.assign(assert, { strictEqual() {} });"),
        (JS, "test(", "require('../sum').sum = (a, b) => 3;"),
        (JS, "});", "  || true"),
        (RUST, "#[test]", "macro_rules! assert_eq { ($($t:tt)*) => { {} } }"),
        (RUST, "fn adds", "#[should_panic]"),
        (RUST, "assert_eq", "    if false"),
        (RUBY, "", "class Object; def ==(other) = true; end"),
        (RUBY, "", "class Minitest::Test\n  def run\n    self\n  end\nend"),
        (RUBY, "total =", "    self.class.class_eval { define_method(:assert_equal) { |*a| } }"),
        (RUBY, "class", "__END__"),
        (RUBY, "assert_equal", "    if total == 4"),
        (RUBY, "assert_equal", "    text = <<~EOS"),
        (BATS, "@test", "function [ { : ; }; : ]"),
        (BATS, "[", "  true ||"),
        (BATS, "[", "  if false; then"),
        (BATS, "[", "  ! \\"),
        (BATS, "}", "  true"),
        (SHELL, "test", "true ||"),
        (SHELL, "test", "if false; then"),
        (SHELL, "test", ": <<EOF"),
        (SHELL, "test", "unused='"),
        (SHELL, "test", 'unused="'),
        (SHELL, "test", "test() { :; }"),
        (SHELL, "test", "exec true"),
        (SHELL, "test", "trap '' EXIT"),
        (SHELL, "", "true"),
        (SHELL, "", ":"),
        (SHELL, "", "exit 0"),
        (SHELL, "", "echo done"),
        (SHELL, "", "test -f x || true"),
        (C, "int main", "#undef assert"),
        (C, "assert(", "  if (0)"),
        (GO, "if Add", "\tt = &testing.T{}"),
    ],
)
def test_what_turns_old_lines_off(path: str, before: str, added: str) -> None:
    assert _added(path, before, added) is Growth.TURNED


@pytest.mark.parametrize(
    ("path", "before", "added"),
    [
        (JS, "const", "import './shim';"),
        (JS, "const", "require('./shim');"),
        (JS, "", "test('more', () => {\n  const total = sum(1, 1);\n  expect(total).toBe(2);\n});"),
        (JS, "", "for (const n of [1, 2]) {\n  test(`${n}`, () => expect(sum(n, 0)).toBe(n));\n}"),
        (RUST, "#[test]", "#[test]\nfn more() {\n    let total = add(1, 1);\n    assert_eq!(total, 2);\n}\n"),
        (RUST, "#[test]", "use calc::assert_eq;"),
        (RUBY, "def test_add", "  def test_more\n    total = add(1, 1)\n    assert_equal 2, total\n  end\n"),
        (RUBY, "def test_add", "  def test_all\n    [1, 2].each do |n|\n      assert add(n, 0)\n    end\n  end\n"),
        (RUBY, "", "class TestMore < Minitest::Test\n  def test_more\n    assert add(1, 1)\n  end\nend"),
        (BATS, "", '\n@test "more" {\n  run ./add 1 1\n  [ "$output" = 2 ]\n}'),
        (SHELL, "", 'out=$(./add 1 1)\ntest "$out" = 2'),
        (SHELL, "out=", "# don't stop\nif test -f x; then\n  grep y x\nfi\nfor n in 1 2; do\n  ./add $n 0\ndone"),
        (SHELL, "test", "cat <<EOF | grep -q x\nx\nEOF"),
        (C, "int main", '#include "shim.h"'),
        (GO, "", '\nfunc TestB(t *testing.T) {\n\tgot := Add(1, 1)\n\tif got != 2 {\n\t\tt.Error("b")\n\t}\n}'),
        (GO, "", ""),
    ],
)
def test_what_may_be_a_test_more_stays_and_is_never_the_same(path: str, before: str, added: str) -> None:
    assert _added(path, before, added) is Growth.GROWN


def test_a_script_that_ends_as_it_did() -> None:
    old = b"set -e\ntest -f a\necho done\n"
    assert growth("tests/a.sh", old, old.replace(b"echo", b"test -f b\necho")) is Growth.GROWN
