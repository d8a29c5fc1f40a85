"""The documents say what the program does: codes, commands, flags, settings, keys."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from prd_ralph.assets import asset
from prd_ralph.errors import ExitCode
from prd_ralph.model import StopReason
from prd_ralph.prdfile import RULES
from prd_ralph.rules import exit_code
from tests.support.project import Done, Project, make_project

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FORMAT = (ROOT / "docs" / "prd-json.md").read_text(encoding="utf-8")
NIGHT = (ROOT / "docs" / "night.md").read_text(encoding="utf-8")


def rows(text: str, heading: str) -> Iterator[list[str]]:
    """The cells of the tables below a heading."""
    section = text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and set(cells[0]) - set("-"):
            yield cells


def named(text: str, heading: str) -> list[str]:
    """What the first cells name in code."""
    return [name for cells in rows(text, heading) for name in re.findall(r"`([^`]+)`", cells[0])]


def blocks(kind: str, text: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_exit_codes() -> None:
    table = {cells[1].strip("`"): cells[0] for cells in rows(README, "When it stops") if cells[0] != "exit"}
    wanted = {str(stop): str(exit_code(stop)) for stop in StopReason if stop is not StopReason.SIGNAL}
    assert table == {**wanted, "signal": "128 + n"}
    told = README.split("use the same codes:")[1].split("\n\n")[0]
    assert {code for code in ExitCode if not re.search(rf"\b{code.value}\b", told)} == {ExitCode.LIMIT}


def test_the_commands_and_flags(helps: dict[str, Done]) -> None:
    shown = [line.removeprefix("$ ") for block in blocks("console", README) for line in block.splitlines()]
    lines = [line for line in shown if line.startswith("prd-ralph ")]
    listed = [name.removeprefix("prd-ralph ") for name in named(README, "The commands") if name.startswith("prd-")]
    commands = helps[""].out.split("Commands:\n")[1].split("\n\n")[0]
    assert sorted(listed) == sorted(line.split()[0] for line in commands.splitlines())
    assert len(lines) >= 3
    for line in lines:
        words = line.split()
        assert words[1] in helps, line
        assert all(word in helps[words[1]].out for word in words if word.startswith("--")), line
    for cells in rows(README, "The commands"):
        about = helps.get(cells[0].strip("`").removeprefix("prd-ralph "), helps[""])
        assert all(flag in about.out for flag in re.findall(r"`(--[a-z-]+)", cells[1])), cells
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {word for line in shown for word in re.findall(r"^make (\w+)", line)} <= set(targets)


def test_every_flag_that_the_readme_names_exists(tmp_path: Path) -> None:
    here = Project(tmp_path, {})
    known = "".join(
        here(*command, "--help").out
        for command in (
            ["run"],
            ["plan"],
            ["show"],
            ["init"],
            ["demo"],
            ["validate"],
            ["import"],
            ["verify"],
            ["report"],
            ["approve"],
            ["stop"],
            ["restore"],
            ["clean"],
            ["add-context"],
            [],
        )
    )
    agents = {"--dangerously-skip-permissions", "--dangerously-bypass-approvals-and-sandbox", "--allowedTools"}
    foreign = agents | {"--stat", "--source"}
    assert {flag for flag in re.findall(r"(?<![\w-])--[a-z][A-Za-z-]+", README) if flag not in known} == foreign


def test_every_setting(tmp_path: Path) -> None:
    settings = json.loads(Project(tmp_path, {})("config", "--json").out)["settings"]
    assert named(README, "Settings") == list(settings)


def test_the_example_of_the_readme_is_valid(tmp_path: Path) -> None:
    (example,) = blocks("json", README)
    project = make_project(tmp_path, [])
    project.prd_path.write_text(example)
    assert project("validate", "--strict").err == "prd.json: valid, 2 stories, 0 passing\n"
    done = project("run", "--dry-run", "--agent-command", "true")
    assert done.out.replace("command true", "command my-agent") in "\n".join(blocks("console", README))


def test_the_prd_of_the_readme_becomes_what_it_says(tmp_path: Path) -> None:
    (example,) = blocks("markdown", README)
    (tmp_path / "prd.md").write_text(example)
    here, told = Project(tmp_path, {}), "\n".join(blocks("console", README))
    assert here("plan", "prd.md", "--strict").err in told
    assert here("validate", "--strict").err in told
    prd = tmp_path / "prd.json"
    prd.write_text(prd.read_text().replace('"passes": false', '"passes": true'))
    (tmp_path / "prd.md").write_text(example.replace("Hello, Ada", "Hi, Ada"))
    assert here("plan", "prd.md", "--merge").err in told


def test_the_example_of_the_format_is_valid(tmp_path: Path) -> None:
    (example,) = blocks("json", FORMAT)
    (tmp_path / "prd.json").write_text(example)
    assert Project(tmp_path, {})("validate", "--strict").code == 0


@pytest.mark.parametrize(
    ("heading", "place"),
    [("The document", ()), ("A story", ("$defs", "story")), ("A command", ("$defs", "options"))],
)
def test_every_key_of_the_format(heading: str, place: tuple[str, ...]) -> None:
    schema = json.loads(asset("schemas/prd.schema.json").read_bytes())
    for step in place:
        schema = schema[step]
    table = {cells[0].strip("`"): cells[2] for cells in rows(FORMAT, heading) if cells[0] != "key"}
    assert sorted(table) == sorted(schema["properties"])
    required = {key for key in schema.get("required", ()) if key in table}
    assert {key for key, about in table.items() if "Required" in about} - {"project"} == required


def test_every_rule_of_lint() -> None:
    table = [name for name in (cells[0].strip("`") for cells in rows(FORMAT, "What is doubtful")) if name != "rule"]
    assert sorted(table) == sorted([*RULES, "no-command"])


def test_each_command_line_for_the_night_can_be_typed(helps: dict[str, Done]) -> None:
    lines = [line for block in blocks("console", NIGHT) for line in block.splitlines()]
    typed = [line.removeprefix("$ ").partition("#")[0].split() for line in lines if line.startswith("$ prd-ralph ")]
    assert len(typed) >= 8
    for words in typed:
        assert words[1] in helps, words
        assert all(word in helps[words[1]].out for word in words if word.startswith("--")), words
    known = "".join(done.out for done in helps.values())
    assert {flag for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]+", NIGHT) if flag not in known} == {"--user"}


@pytest.mark.parametrize("block", blocks("toml", NIGHT))
def test_each_example_of_settings_for_the_night_holds(tmp_path: Path, block: str) -> None:
    (tmp_path / "prd-ralph.toml").write_text(block)
    settings = json.loads(Project(tmp_path, {})("config", "--json").out)["settings"]
    assert [name for name, value in settings.items() if value["source"].startswith("prd-ralph.toml")]


def test_the_headings_that_the_documents_point_at_exist() -> None:
    for file in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")):
        for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", file.read_text(encoding="utf-8")):
            there = (file.parent / target if target else file).read_text(encoding="utf-8")
            headings = re.findall(r"^#+ (.*)$", there, re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in slugs, (file, target, anchor)


def test_what_the_documents_point_at_exists() -> None:
    for file in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", file.read_text(encoding="utf-8")):
            assert (file.parent / target).exists(), (file, target)
