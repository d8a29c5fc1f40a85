"""Scripts that a package declares: of Node, Deno and PHP's Composer."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from prd_ralph.planning.detection.proposals import Files, Kind, Proposal, at, json_of, within

_NAMES = {
    Kind.LINT: ("lint:ci", "lint", "eslint", "check:lint"),
    Kind.TYPECHECK: ("typecheck", "type-check", "types", "check-types", "check:types", "tsc", "phpstan", "analyse"),
    Kind.BUILD: ("build",),
    Kind.TEST: ("test:ci", "test", "tests", "test:unit", "phpunit"),
}
_RUNNERS = (
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("package-lock.json", "npm"),
    ("npm-shrinkwrap.json", "npm"),
)
_ENDLESS = re.compile(
    r"(?<!no-)\bwatch(?:All)?\b(?!=false)|\b(?:tsc|mocha|vitest|ava)\b[^&;|]*\s-w\b|\bnodemon\b|--ui\b|\bcypress open\b"
    r"|\b(?:next|nuxt|astro|vite|vitest) (?:dev|preview|serve)\b|\brun(?:-\w+)? (?:dev|start|serve)\b"
)
_REWRITES = re.compile(r"--fix\b(?!-dry)|--write\b|--apply\b")
_LONG = 2000
_PLACEHOLDER = "no test specified"
_LAST = r"(?:^|&&|;)\s*(?:\w+=\S+\s+)*(?:npx\s+)?{}(?:\s+[^&;]*)?$"
_ONCE = (
    (re.compile(_LAST.format(r"vitest(?!\s+run\b)")), "--run"),
    (re.compile(_LAST.format(r"react-scripts\s+test")), "--watchAll=false"),
    (re.compile(_LAST.format(r"ng\s+test")), "--watch=false"),
)
"""What would stay and watch at a terminal, and the option by which it does not."""
_EXEC = {"npm": "npx tsc", "pnpm": "pnpm exec tsc", "yarn": "yarn tsc", "bun": "bunx tsc"}


def node(files: Files) -> Iterator[Proposal]:
    """package.json's scripts, by the package manager whose lock file there is, or that it names; npm without either.
    Where none checks types and there is a tsconfig.json, the compiler does."""
    package = json_of(files, "package.json")
    manager = _manager(files, package)
    found = list(chosen(within(package, "scripts")))
    for kind, name, script in found:
        yield Proposal(kind, _run(manager, name, script), _at(files, "package.json", "scripts", name))
    if package and "tsconfig.json" in files and Kind.TYPECHECK not in {kind for kind, *_ in found}:
        yield Proposal(Kind.TYPECHECK, f"{_EXEC[manager]} --noEmit", "tsconfig.json")


def deno(files: Files) -> Iterator[Proposal]:
    """A Deno project's tasks; where it has none, what Deno itself can do."""
    file = next((name for name in ("deno.json", "deno.jsonc") if name in files), None)
    if file is None:
        return
    tasks = within(json_of(files, file), "tasks")
    told = {name: within(task, "command") or task for name, task in tasks.items()} if isinstance(tasks, dict) else {}
    found = {kind: (name, script) for kind, name, script in chosen(told)}
    own = {Kind.LINT: "deno lint", Kind.TYPECHECK: "deno check .", Kind.TEST: "deno test"}
    for kind in Kind:
        if kind in found:
            name = found[kind][0]
            yield Proposal(kind, f"deno task {name}", _at(files, file, "tasks", name))
        elif kind in own:
            yield Proposal(kind, own[kind], file)


def composer(files: Files) -> Iterator[Proposal]:
    """composer.json's scripts; without one for tests, PHPUnit where the package requires it."""
    package = json_of(files, "composer.json")
    found = list(chosen(_joined(within(package, "scripts"))))
    for kind, name, _ in found:
        yield Proposal(kind, f"composer run {name}", _at(files, "composer.json", "scripts", name))
    requires = within(package, "require-dev", "phpunit/phpunit")
    if requires and Kind.TEST not in {kind for kind, *_ in found}:
        yield Proposal(Kind.TEST, "vendor/bin/phpunit", at(files, "composer.json", "phpunit/phpunit", "require-dev"))


def chosen(scripts: Any) -> Iterator[tuple[Kind, str, str]]:
    """For each kind the first script by name that comes to an end by itself and does not rewrite files."""
    told = {name: text for name, text in scripts.items() if isinstance(text, str)} if isinstance(scripts, dict) else {}
    for kind, names in _NAMES.items():
        for name in names:
            if name in told and _ends(told[name], kind):
                yield kind, name, told[name]
                break


def _ends(script: str, kind: Kind) -> bool:
    if not script.strip() or _PLACEHOLDER in script or len(script) > _LONG:
        return False
    return not _ENDLESS.search(script) and not (kind is Kind.LINT and _REWRITES.search(script))


def _joined(scripts: Any) -> dict[str, Any]:
    """Composer's scripts may be lists of lines."""
    if not isinstance(scripts, dict):
        return {}
    return {name: " && ".join(map(str, text)) if isinstance(text, list) else text for name, text in scripts.items()}


def _manager(files: Files, package: Mapping[str, Any]) -> str:
    named = package.get("packageManager")
    if isinstance(named, str) and (found := re.match(r"(npm|pnpm|yarn|bun)@", named)):
        return found[1]
    return next((manager for lock, manager in _RUNNERS if lock in files), "npm")


def _run(manager: str, name: str, script: str) -> str:
    """The manager's own form; npm alone wants `--` before an option for the script."""
    line = "npm test" if (manager, name) == ("npm", "test") else f"{manager} run {name}"
    option = next((option for pattern, option in _ONCE if pattern.search(script)), "")
    return " ".join(filter(None, (line, "--" if option and manager == "npm" else "", option)))


def _at(files: Files, file: str, table: str, name: str) -> str:
    return at(files, file, rf'"{re.escape(name)}"\s*:', f"{table}.{name}", after=rf'"{table}"\s*:')
