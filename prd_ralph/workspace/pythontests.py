"""What was added to a Python test file, by its syntax: whether the old tests are sure to mean what they meant.

What is added beside them may be imports, tests, classes of tests, helpers and literals under names that nothing of the
old bears or uses. A new file of tests could hold as much: no more is let through here than that.
"""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_HOOKS = re.compile(r"__|pytest|collect_|set_?up|tear_?down|load_tests|runTest|add\w*Cleanup", re.IGNORECASE)
_SWAYING = frozenset(
    {
        *("exit", "_exit", "quit", "kill", "killpg", "abort", "raise_signal", "atexit", "register", "system"),
        *("skip", "skipif", "skipIf", "skipUnless", "skipTest", "SkipTest", "xfail", "importorskip", "expectedFailure"),
        *("setattr", "delattr", "getattr", "modules", "builtins", "globals", "locals", "vars", "exec", "eval"),
        *("compile", "import_module", "__import__", "reload", "settrace", "setprofile", "_getframe", "gc"),
        *("config", "hookimpl", "pluginmanager", "stash", "addoption", "putenv", "environ"),
    }
)
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_Import = (ast.Import, ast.ImportFrom)


def same_statements(before: str, after: str) -> bool:
    """Whether `after` is `before` in another layout, with nothing added but what stands beside it."""
    try:
        return _same(ast.parse(before), ast.parse(after))
    except _UNREADABLE:
        return False


def shadows(before: str, after: str) -> bool:
    """Whether `after` binds a name anew that `before` bears or uses; also where either cannot be read."""
    try:
        old, new = ast.parse(before), ast.parse(after)
        there, now = Counter(_bound_in(old.body)), Counter(_bound_in(new.body))
        used = frozenset(_names(old))
    except _UNREADABLE:
        return True
    return any(count > there[name] and name.rpartition(".")[2] in used for name, count in now.items())


def _same(old: ast.Module, new: ast.Module) -> bool:
    taken = frozenset(_names(old)) | frozenset(dir(builtins))
    there, now = _bindings(old.body), _bindings(new.body)
    more = {name: now[name][2] for name in now.keys() - there.keys()}
    if there.items() - now.items() or more.keys() & taken or not _may_be_imported(more.values()):
        return False
    old_ones, new_ones = ([each for each in tree.body if not isinstance(each, _Import)] for tree in (old, new))
    return _beside(old_ones, new_ones, taken, in_class=False)


def _bound_in(body: Iterable[ast.stmt], within: str = "") -> Iterator[str]:
    """The names that a module's statements bind, or a class's: `TestA.test_b`."""
    for node in body:
        if isinstance(node, _Import):
            yield from (f"{within}{each.asname or each.name.partition('.')[0]}" for each in node.names)
        elif isinstance(node, ast.ClassDef):
            yield within + node.name
            yield from _bound_in(node.body, f"{node.name}.")
        elif isinstance(node, _Function):
            yield within + node.name
        else:
            yield from (within + name for name in _bound(node))


def _names(tree: ast.AST) -> Iterator[str]:
    """Every name that the text speaks of, attributes too: what is added may bear none of them."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias():
                yield node.asname or node.name.partition(".")[0]
            case ast.keyword(arg=str(name)):
                yield name
            case _:
                pass


def _bindings(body: Iterable[ast.stmt]) -> dict[str, tuple[int, str | None, str]]:
    """What a module's own imports bind: the name, and what it stands for."""
    found: dict[str, tuple[int, str | None, str]] = {}
    for node in body:
        if isinstance(node, ast.Import):
            for each in node.names:
                bound = each.asname or each.name.partition(".")[0]
                found[bound] = (0, None, each.name if each.asname else bound)
        elif isinstance(node, ast.ImportFrom):
            for each in node.names:
                found[each.asname or each.name] = (node.level, node.module, each.name)
    return found


def _may_be_imported(names: Iterable[str]) -> bool:
    return all(name != "*" and not _SWAYING & {*name.split(".")} for name in names)


def _beside(old: list[ast.stmt], new: list[ast.stmt], taken: frozenset[str], in_class: bool) -> bool:
    """Whether the old statements stand in order, and all between them are additions that leave them alone."""
    rest = iter(old)
    due = next(rest, None)
    for node in new:
        if due is not None and _stands(due, node, taken):
            due = next(rest, None)
        elif not _is_addition(node, taken, in_class):
            return False
    return due is None


def _stands(old: ast.stmt, new: ast.stmt, taken: frozenset[str]) -> bool:
    if isinstance(old, ast.ClassDef) and isinstance(new, ast.ClassDef) and old.name == new.name:
        return _head(old) == _head(new) and _beside(old.body, new.body, taken, in_class=True)
    return ast.dump(old) == ast.dump(new)


def _head(node: ast.ClassDef) -> list[str]:
    return [ast.dump(part) for part in (*node.bases, *node.keywords, *node.decorator_list)]


def _is_addition(node: ast.stmt, taken: frozenset[str], in_class: bool) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Pass):
        return True
    names, tame = _defined(node)
    free = names and not any(name in taken or _HOOKS.match(name) for name in names)
    tests_alone = not in_class or all(name.startswith("test") for name in names)
    return bool(free) and tests_alone and tame


def _defined(node: ast.stmt) -> tuple[list[str], bool]:
    """The names that a statement binds, and whether it does nothing else."""
    if isinstance(node, _Function):
        return [node.name], _is_tame(node) and all(map(_parametrizes, node.decorator_list))
    if isinstance(node, ast.ClassDef):
        parts = [part for part in node.body if not _is_addition(part, frozenset(), in_class=False)]
        return [node.name], not parts and not node.decorator_list and not node.keywords and _is_tame(node)
    if isinstance(node, ast.Assign) and all(isinstance(target, ast.Name) for target in node.targets):
        return [target.id for target in node.targets if isinstance(target, ast.Name)], _is_literal(node.value)
    return [], False


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _parametrizes(node: ast.expr) -> bool:
    """`@pytest.mark.parametrize(…)`: any other decorator may do anything."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("pytest.mark.parametrize", "mark.parametrize")


@dataclass(frozen=True, slots=True)
class _Own:
    """What a piece of code binds itself; `others` of these names are for what is somebody else's."""

    names: frozenset[str]
    others: frozenset[str]

    def holds(self, target: ast.expr) -> bool:
        """Whether what is assigned to is its own, or a part of its own."""
        if isinstance(target, (ast.Tuple, ast.List)):
            return all(self.holds(each) for each in target.elts)
        part = isinstance(target, (ast.Attribute, ast.Subscript))
        while isinstance(target, (ast.Attribute, ast.Subscript, ast.Starred)):
            target = target.value
        return isinstance(target, ast.Name) and target.id in (self.names - self.others if part else self.names)


def _is_tame(node: ast.AST) -> bool:
    """Whether it reaches for nothing outside of itself: no way out, no skip, nothing of others rewritten."""
    own = _Own(frozenset(_bound(node)), frozenset(_renamed(node)))
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in _SWAYING:
                return False
            case ast.alias(name=name) if not _may_be_imported([name]):
                return False
            case ast.Global() | ast.Nonlocal():
                return False
            case ast.Assign(targets=targets) | ast.Delete(targets=targets) if not all(map(own.holds, targets)):
                return False
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target) if not own.holds(target):
                return False
            case ast.For(target=target) | ast.NamedExpr(target=target) if not own.holds(target):
                return False
            case _:
                pass
    return True


def _bound(node: ast.AST) -> Iterator[str]:
    """Its parameters, and the names that it assigns to (imports are not its own: those are others')."""
    for part in ast.walk(node):
        if isinstance(part, ast.arg):
            yield part.arg
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id


def _renamed(node: ast.AST) -> Iterator[str]:
    """Names that it gives to what has one already."""
    for part in ast.walk(node):
        if isinstance(part, ast.Assign) and isinstance(part.value, (ast.Name, ast.Attribute)):
            yield from (target.id for target in part.targets if isinstance(target, ast.Name))
