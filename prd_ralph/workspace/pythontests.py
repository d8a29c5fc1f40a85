"""What was added to a Python test file, by its syntax: whether the old tests are sure to mean what they meant.

What is added beside them may be tests and classes of tests, under names that nothing of the old bears or uses, that
write to nothing but what they made themselves; and imports of what the old imports, or of the standard modules that
tests usually use. A new file of tests could hold as much: no more is let through here than that.
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
        *(
            "patch",
            "mock",
            "mocker",
            "start",
            "object",
            "monkeypatch",
            "MonkeyPatch",
            "importlib",
            "operator",
            "inspect",
        ),
        *("ctypes", "runpy", "pkgutil", "pydoc", "signal", "faulthandler", "meta_path", "path_hooks"),
        *("SystemExit", "KeyboardInterrupt", "GeneratorExit", "BaseException", "fork", "execv", "execve", "execvp"),
    }
)
_CHANGES = frozenset(
    {"update", "clear", "pop", "popitem", "setdefault", "append", "extend", "insert", "remove", "sort"}
)
_PLAIN_DUNDERS = frozenset({"__file__", "__name__"})
_USUAL = frozenset(
    {
        *(
            "__future__",
            "abc",
            "array",
            "asyncio",
            "base64",
            "bisect",
            "calendar",
            "cmath",
            "collections",
            "contextlib",
        ),
        *("copy", "csv", "dataclasses", "datetime", "decimal", "difflib", "enum", "errno", "fractions", "functools"),
        *("glob", "hashlib", "heapq", "html", "io", "ipaddress", "itertools", "json", "locale", "logging", "math"),
        *("numbers", "os", "pathlib", "platform", "pprint", "random", "re", "secrets", "shlex", "shutil", "socket"),
        *(
            "sqlite3",
            "stat",
            "statistics",
            "string",
            "struct",
            "subprocess",
            "sys",
            "tempfile",
            "textwrap",
            "threading",
        ),
        *("time", "tomllib", "typing", "unicodedata", "unittest", "urllib", "uuid", "warnings", "weakref", "xml"),
        *("zipfile", "zlib", "zoneinfo", "pytest"),
    }
)
"""The modules that a test may import though the old ones do not: what would stand in their place is told elsewhere."""
_FRESH = (ast.Constant, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.JoinedStr)
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
    more = now.keys() - there.keys()
    known = _USUAL | {module for node in ast.walk(old) for module in _imported(node)}
    if (
        there.items() - now.items()
        or more & taken
        or not {name for each in new.body for name in _imported(each)} <= known
    ):
        return False
    if any(not _may_be_imported(now[name][2]) for name in more):
        return False
    old_ones, new_ones = ([each for each in tree.body if not isinstance(each, _Import)] for tree in (old, new))
    return _beside(old_ones, new_ones, _Taken(taken, frozenset(_bound_in(new.body)), known), in_class=False)


@dataclass(frozen=True, slots=True)
class _Taken:
    """`names` of the old text, those that the new one binds for `all` of it, and `modules` that may be imported."""

    names: frozenset[str]
    all: frozenset[str]
    modules: frozenset[str]


def _imported(node: ast.AST) -> Iterator[str]:
    """The modules that a statement imports; those that stand in folders of tests by their whole names."""
    if isinstance(node, ast.Import):
        yield from (_root(each.name) for each in node.names)
    elif isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        if module.rpartition(".")[2] in ("", "test", "tests"):
            yield from (f"{module}:{each.name}" for each in node.names)
        else:
            yield _root(module)


def _root(module: str) -> str:
    """The module by which it is known: of the usual ones the package, of others the whole name."""
    package = module.partition(".")[0]
    return package if package in _USUAL else module


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


def _may_be_imported(name: str) -> bool:
    return name != "*" and not _SWAYING & {*name.split(".")}


def _beside(old: list[ast.stmt], new: list[ast.stmt], taken: _Taken, in_class: bool) -> bool:
    """Whether the old statements stand in order, and all between them are additions that leave them alone."""
    rest = iter(old)
    due = next(rest, None)
    for node in new:
        if due is not None and _stands(due, node, taken):
            due = next(rest, None)
        elif not _is_addition(node, taken, in_class):
            return False
    return due is None


def _stands(old: ast.stmt, new: ast.stmt, taken: _Taken) -> bool:
    if isinstance(old, ast.ClassDef) and isinstance(new, ast.ClassDef) and old.name == new.name:
        return _head(old) == _head(new) and _beside(old.body, new.body, taken, in_class=True)
    return ast.dump(old) == ast.dump(new)


def _head(node: ast.ClassDef) -> list[str]:
    return [ast.dump(part) for part in (*node.bases, *node.keywords, *node.decorator_list)]


def _is_addition(node: ast.stmt, taken: _Taken, in_class: bool) -> bool:
    if _says_nothing(node):
        return True
    if not isinstance(node, (*_Function, ast.ClassDef)) or not _is_free(node.name, taken.names):
        return False
    if not _is_tame(node, taken):
        return False
    if isinstance(node, ast.ClassDef):
        parts = all(map(_is_part_of_a_new_class, node.body))
        return "test" in node.name.lower() and parts and not (in_class or node.decorator_list or node.keywords)
    return node.name.startswith("test") and all(map(_parametrizes, node.decorator_list))


def _is_part_of_a_new_class(node: ast.stmt) -> bool:
    if isinstance(node, _Function):
        return _is_free(node.name, frozenset()) and all(map(_parametrizes, node.decorator_list))
    if isinstance(node, ast.Assign) and all(isinstance(target, ast.Name) for target in node.targets):
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        return all(_is_free(name, frozenset()) for name in names) and _is_literal(node.value)
    return _says_nothing(node)


def _says_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _is_free(name: str, taken: frozenset[str]) -> bool:
    return name not in taken and not _HOOKS.match(name)


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _parametrizes(node: ast.expr) -> bool:
    """`@pytest.mark.parametrize(…)`: any other decorator may do anything."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("pytest.mark.parametrize", "mark.parametrize")


def _is_tame(node: ast.AST, taken: _Taken) -> bool:
    """Whether it reaches for nothing outside of itself: no way out, no skip, nothing of others rewritten."""
    fresh, made = _own(node, _FRESH) - taken.all, _own(node, (*_FRESH, ast.Call)) - taken.all
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)) if _sways(name):
                return False
            case ast.alias(name=name) if not _may_be_imported(name):
                return False
            case ast.Import() | ast.ImportFrom() if not {*_imported(part)} <= taken.modules:
                return False
            case ast.Global() | ast.Nonlocal():
                return False
            case ast.Attribute(value=value, ctx=ast.Store() | ast.Del()) if not _is_one_of(value, fresh):
                return False
            case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()) if not _is_one_of(value, fresh):
                return False
            case ast.Attribute(value=value, attr=name) if name in _CHANGES and not _is_one_of(value, made):
                return False
            case _:
                pass
    return True


def _sways(name: str) -> bool:
    return name in _SWAYING or (name.startswith("__") and name.endswith("__") and name not in _PLAIN_DUNDERS)


def _is_one_of(value: ast.expr, names: frozenset[str]) -> bool:
    return isinstance(value, ast.Name) and value.id in names


def _own(node: ast.AST, kinds: tuple[type[ast.expr], ...]) -> frozenset[str]:
    """The names that it binds to nothing but expressions of these kinds: they are not others' under a new name."""
    bound = Counter(_bound(node))
    made = Counter(
        target.id
        for part in ast.walk(node)
        if isinstance(part, ast.Assign) and isinstance(part.value, kinds)
        for target in part.targets
        if isinstance(target, ast.Name)
    )
    return frozenset(name for name, count in made.items() if bound[name] == count)


def _bound(node: ast.AST) -> Iterator[str]:
    """Its parameters, and the names that it assigns to or imports."""
    for part in ast.walk(node):
        match part:
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name
            case ast.alias():
                yield part.asname or part.name.partition(".")[0]
            case _:
                pass
