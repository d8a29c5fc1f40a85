"""The house stands as it was drawn: who may import whom, who may start processes, how large a part may grow.

Read from the source alone; nothing is imported.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
PACKAGE = "prd_ralph"

LEVELS = {
    **dict.fromkeys(("errors", "model", "names"), 0),
    **dict.fromkeys(("events", "rules", "excerpt", "masking", "runners", "patterns", "testfiles"), 1),
    **dict.fromkeys(("facts", "wording"), 1),
    **dict.fromkeys(("repeats", "stalls", "asking", "supervision", "waits", "proposals"), 1),
    **dict.fromkeys(("prices", "spending", "forecast"), 1),
    **dict.fromkeys(("ports", "assets"), 2),
    **dict.fromkeys(("process", "workspace", "prdfile", "agents", "prompts", "progress", "context", "archive"), 3),
    **dict.fromkeys(("ledger", "state", "config", "console", "clock", "notify", "report"), 3),
    **dict.fromkeys(("loop", "attempt", "trial", "checks", "landing", "resume", "task", "tally", "guard"), 4),
    **dict.fromkeys(("baseline", "regressions", "final", "known", "clean", "verification"), 4),
    **dict.fromkeys(("lookout", "nowhere", "recount", "regained", "waiting", "steering", "proposing", "afterwards"), 4),
    **dict.fromkeys(("planning", "auditing", "reviewing"), 5),
    **dict.fromkeys(("cli", "__main__"), 6),
}
ADAPTERS = 3
PURE_LEVELS = {0, 1, 2, 4, 5}
IMPURE = {"os", "subprocess", "git", "time", "jinja2", "jsonschema", "typer"}
HEAVY = {
    "git",
    "jinja2",
    "jsonschema",
    "psutil",
    "typer",
    "click",
    "rich",
    "markdown_it",
    "yaml",
    "apprise",
    "junitparser",
}
STARTERS = {"subprocess", "pty", "multiprocessing"}
STARTS = re.compile(r"os\.(posix_spawn|system|popen|fork|exec|spawn)\w*")
AGENT_PROGRAM = "agents.scripted.steps"  # not prd-ralph but the agent that it ships: a process of its own
DISTRIBUTIONS = {"git": "gitpython", "markdown_it": "markdown-it-py", "yaml": "pyyaml"}

MODULE_LINES = 400
FUNCTION_LINES = 60
LOOP_LINES = 200
BROAD_EXCEPTS = 2


@dataclass(frozen=True)
class Module:
    """One source file. `name` is dotted, without the root package's."""

    name: str
    text: str

    @property
    def part(self) -> str:
        """The member of the root package that it belongs to; `""` is the root package itself."""
        return self.name.split(".")[0]

    @property
    def level(self) -> int:
        return LEVELS[self.part]

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def imports(self) -> frozenset[str]:
        """Dotted names of all that it imports, wherever the import stands."""
        return frozenset(_imported(ast.walk(self.tree)))

    @cached_property
    def top_imports(self) -> frozenset[str]:
        """Those that importing the module runs."""
        return frozenset(_imported(_outside_functions(self.tree)))

    @property
    def parts_used(self) -> frozenset[str]:
        """Members of the root package that it imports, less its own; the version is everybody's."""
        names = {name.split(".")[1] for name in self.imports if name.startswith(f"{PACKAGE}.")}
        return frozenset(names & LEVELS.keys() - {self.part})

    @property
    def packages_used(self) -> frozenset[str]:
        return frozenset(name.split(".")[0] for name in self.imports)

    @property
    def top_packages(self) -> frozenset[str]:
        return frozenset(name.split(".")[0] for name in self.top_imports)

    @property
    def dotted(self) -> frozenset[str]:
        """Names with a dot that it uses, as `os.fork`."""
        return frozenset(ast.unparse(node) for node in ast.walk(self.tree) if isinstance(node, ast.Attribute))


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        lazy = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        unseen = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
        if not lazy and not unseen:
            yield child
            yield from _outside_functions(child)


def _imported(nodes: Iterator[ast.AST]) -> Iterator[str]:
    """`from a import b` counts as `a.b`: b may be a module."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _load() -> dict[str, Module]:
    modules = {}
    for path in sorted((PROJECT / PACKAGE).rglob("*.py")):
        name = ".".join(path.relative_to(PROJECT / PACKAGE).with_suffix("").parts).removesuffix("__init__").rstrip(".")
        modules[name] = Module(name, path.read_text(encoding="utf-8"))
    return modules


MODULES = _load()
HOUSE = tuple(module for module in MODULES.values() if module.name)


def _defined_in(imported: str) -> str | None:
    """The module of ours that an imported name stands for, or lies in."""
    name = imported.removeprefix(PACKAGE).removeprefix(".")
    if imported.split(".")[0] != PACKAGE:
        return None
    return name if name in MODULES else name.rpartition(".")[0]


def _wrong(found: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Module to what is wrong with it, where anything is."""
    return {name: sorted(what) for name, what in found.items() if set(what)}


def _is_broad(handler: ast.ExceptHandler) -> bool:
    named = ast.walk(handler.type) if handler.type else []
    return not handler.type or any(getattr(node, "id", "") in ("Exception", "BaseException") for node in named)


def test_every_part_has_a_level_and_every_level_its_parts() -> None:
    assert {module.part for module in MODULES.values() if module.name} == set(LEVELS)


def test_imports_go_to_a_lower_level() -> None:
    """Or stay on their own: a cycle there would be found below."""
    assert _wrong({m.name: {part for part in m.parts_used if LEVELS[part] > m.level} for m in HOUSE}) == {}


def test_adapters_do_not_import_one_another() -> None:
    adapters = [module for module in HOUSE if module.level == ADAPTERS]

    assert _wrong({m.name: {part for part in m.parts_used if LEVELS[part] == ADAPTERS} for m in adapters}) == {}


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {
        name: {found for found in map(_defined_in, module.imports) if found and found != name}
        for name, module in MODULES.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a cycle: {' -> '.join(error.args[1])}")


def test_decisions_do_not_touch_the_world() -> None:
    assert _wrong({m.name: m.packages_used & IMPURE for m in HOUSE if m.level in PURE_LEVELS}) == {}


def test_only_the_process_port_starts_processes() -> None:
    others = [module for module in HOUSE if module.part != "process" and module.name != AGENT_PROGRAM]

    assert _wrong({m.name: m.packages_used & STARTERS for m in others}) == {}
    assert _wrong({m.name: filter(STARTS.fullmatch, m.dotted | m.imports) for m in others}) == {}


def test_the_shipped_agent_is_a_program_of_its_own() -> None:
    users = {module.name for module in HOUSE if AGENT_PROGRAM in map(_defined_in, module.imports)}

    assert users == {"agents.scripted.__main__"}


def test_only_the_workspace_knows_git() -> None:
    assert {module.part for module in HOUSE if "git" in module.packages_used} <= {"workspace"}


def test_what_is_imported_is_declared() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [*project["dependencies"], *project["optional-dependencies"]["notify"]]
    known = {re.split(r"[^A-Za-z0-9_-]", requirement)[0] for requirement in declared}
    own = sys.stdlib_module_names | {PACKAGE}

    assert _wrong({m.name: {DISTRIBUTIONS.get(p, p) for p in m.packages_used - own} - known for m in HOUSE}) == {}


def test_heavy_imports_are_lazy() -> None:
    allowed = {"cli": {"typer", "click"}}

    assert _wrong({m.name: (m.top_packages & HEAVY) - allowed.get(m.part, set()) for m in HOUSE}) == {}


@pytest.mark.parametrize("entry", ["__main__", "cli.main"])
def test_the_entry_point_imports_nothing_foreign(entry: str) -> None:
    """So that `--version` is answered at once."""
    seen: set[str] = set()
    left = {entry}
    while left:
        name = left.pop()
        seen.add(name)
        left |= {found for found in map(_defined_in, MODULES[name].top_imports) if found is not None} - seen

    assert _wrong({name: MODULES[name].top_packages - sys.stdlib_module_names - {PACKAGE} for name in seen}) == {}


def test_no_module_is_too_long() -> None:
    limits = {module.name: LOOP_LINES if module.name == "loop" else MODULE_LINES for module in HOUSE}
    lengths = {module.name: len(module.text.splitlines()) for module in HOUSE}

    assert {name: length for name, length in lengths.items() if length > limits[name]} == {}


def test_no_function_is_too_long() -> None:
    lengths = {
        f"{module.name}.{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for module in HOUSE
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }

    assert {name: length for name, length in lengths.items() if length > FUNCTION_LINES} == {}


def test_only_the_edge_catches_everything() -> None:
    places = [
        module.part
        for module in HOUSE
        for node in ast.walk(module.tree)
        if (isinstance(node, ast.ExceptHandler) and _is_broad(node))
        or (isinstance(node, ast.Call) and re.search(r"suppress\(.*\b(Base)?Exception\b", ast.unparse(node)))
    ]

    assert set(places) <= {"cli"}
    assert len(places) <= BROAD_EXCEPTS
