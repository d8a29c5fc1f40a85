"""Bad prd.json files and bad settings: exit 2, everything at once, each at its place, and nothing is touched."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.refusal import AGENT, lines_of, refused, with_env
from tests.support.project import Project, make_project, story

FINE = story("US-001", "test -f done")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """One repository for all that is refused: a refusal leaves it as it was."""
    return make_project(tmp_path_factory.mktemp("shared"), [FINE])


def holding(project: Project, data: bytes | str | dict[str, Any]) -> Project:
    """The same project, its prd.json being just this."""
    text = json.dumps(data, indent=1) if isinstance(data, dict) else data
    project.prd_path.write_bytes(text.encode() if isinstance(text, str) else text)
    return project


# --- the file as a whole: one error, because nothing more can be known ---


@pytest.mark.parametrize(
    ("data", "told"),
    [
        pytest.param(b"", ["prd.json: the file is empty"], id="empty"),
        pytest.param(
            b'{"project": "p",\n "userStories": [{"id": "1", "ti', ["prd.json:2: not JSON, column "], id="truncated"
        ),
        pytest.param('{"project": "Grün"}'.encode("latin-1"), ["prd.json:1: the file is not UTF-8"], id="latin-1"),
        pytest.param('{"project": "p"}'.encode("utf-16"), ["prd.json: the file is UTF-16, not UTF-8"], id="UTF-16"),
        pytest.param(
            b'{"project": "p",\n "userStories": [\n  {"id": "1"}\n }\n}\n',
            ["prd.json:4: not JSON, column 2", "`}` where `]` closes the `[` of line 2", ": }"],
            id="C049",
        ),
        pytest.param(
            json.dumps({"prd": {"name": "x"}, "tasks": [{"title": "t", "status": "pending"}]}).encode(),
            ["prd.json:1 /tasks", "'tasks'", "'userStories'", "`status` is our `passes`"],
            id="C044",
        ),
        pytest.param(
            json.dumps({"prd": {"project": "p", "userStories": [FINE]}}).encode(),
            ["prd.json:1 /prd", "'prd.userStories'"],
            id="C045",
        ),
        pytest.param(json.dumps([FINE]).encode(), ["a list at the top", "'userStories'"], id="list"),
        pytest.param(
            b'{"project": "p", "userStories": []}', ["prd.json:1 /userStories: userStories has no stories"], id="C079"
        ),
        pytest.param(b'{"project": "p"}', ["a specification, not a list of stories"], id="specification"),
    ],
)
def test_a_file_that_is_none_of_ours(shared: Project, data: bytes, told: list[str]) -> None:
    done = refused(holding(shared, data), code=2)
    (line,) = lines_of(done)
    assert all(text in line for text in told), line


def test_no_prd_json(tmp_path: Path) -> None:
    project = make_project(tmp_path, [FINE])
    project.git("rm", "-q", "prd.json")
    project.git("commit", "-q", "-m", "none")
    assert lines_of(refused(project, code=2)) == [f"no prd.json found in {project.root}"]
    (line,) = lines_of(refused(project, "--prd", "other.json", code=2))
    assert line == "other.json: there is no such file"
    (line,) = lines_of(refused(project, "--prd", "..", code=2))
    assert "is not inside the project" in line


def test_a_key_twice_is_told_with_all_the_others(shared: Project) -> None:
    text = """{"project": "p", "userStories": [
      {"id": "US-001", "title": "t", "passes": true, "passes": false, "verificationCommands": ["true"]},
      {"id": "US-002", "id": "US-003", "title": "t", "passes": "no", "verificationCommands": ["true"]}]}"""
    assert lines_of(refused(holding(shared, text), code=2)) == [
        'prd.json:2 /userStories/0/passes US-001: "passes" is written twice in one object, first in line 2',
        'prd.json:3 /userStories/1/id US-003: "id" is written twice in one object, first in line 3',
        'prd.json:3 /userStories/1/passes US-003: passes must be true or false, not the text "no"',
    ]


# --- what is in it: all faults of one file ---


def test_every_wrong_value_is_told_at_once(shared: Project) -> None:
    stories = [
        {**story("US-001", "true"), "passes": "false"},
        {**story("US-002", "true"), "passes": 0},
        {**story("US-003", "true"), "passes": None},
        {**story("US-004", "true"), "description": None, "priority": "high", "acceptanceCriteria": "all"},
        {"title": "no id", "passes": False, "verificationCommands": ["true"]},
        story("US-006"),
        story("US-007", "", "   "),
        story("US-008", None, 7),
        {**story("US-009"), "verificationCommands": None},
        story("US-010", {"run": "true", "cwd": "../.."}, {"run": "true", "cdw": "x"}),
        story("US-011", "true", dependsOn=["US-099", "US-011"]),
        story("us-001", "true"),
        story("a\nb", "true"),
        story(" x ", "true"),
        {**story("US-015", "true"), "verifcationCommands": ["true"]},
    ]
    prd = {"project": 5, "branchName": "--upload-pack=x", "baseBranch": "../..", "userStories": stories}
    told = lines_of(refused(holding(shared, prd), code=2))
    wanted = [
        ("/project", "project must be a text"),
        ("/branchName", '"--upload-pack=x"'),
        ("/baseBranch", '"../.."'),
        ("/userStories/0/passes US-001", 'must be true or false, not the text "false"'),
        ("/userStories/1/passes US-002", "must be true or false, not 0"),
        ("/userStories/2/passes US-003", "must be true or false, not null"),
        ("/userStories/3/description US-004", "must be a text, not null"),
        ("/userStories/3/priority US-004", "must be a number"),
        ("/userStories/3/acceptanceCriteria US-004", "must be a list"),
        ("/userStories/4", "'id' is missing"),
        ("/userStories/5/verificationCommands US-006", "must not be an empty list"),
        ("/userStories/6/verificationCommands/0 US-007", "must not be blank"),
        ("/userStories/6/verificationCommands/1 US-007", "must not be blank"),
        ("/userStories/7/verificationCommands/0 US-008", "not null"),
        ("/userStories/7/verificationCommands/1 US-008", "not 7"),
        ("/userStories/8/verificationCommands US-009", "must be a list, not null"),
        ("/userStories/9/verificationCommands/0/cwd US-010", '"../.."'),
        ("/userStories/9/verificationCommands/1/cdw US-010", 'unknown key "cdw" in a command'),
        ("/userStories/10/dependsOn/0 US-011", 'there is no story "US-099"'),
        ("/userStories/10/dependsOn/1 US-011", "names itself"),
        ("/userStories/11/id us-001", "is taken already"),
        ("/userStories/12/id", "control character"),
        ("/userStories/13/id", "blank"),
        ("/userStories/14/verifcationCommands US-015", "verificationCommands"),
    ]
    for (place, text), line in zip(wanted, told, strict=True):
        assert line.startswith("prd.json:"), line
        assert f" {place}" in line, (place, line)
        assert text in line, (text, line)


def test_circles_are_told_as_they_go_round(shared: Project) -> None:
    prd = {
        "project": "p",
        "userStories": [
            story("US-001", "true", dependsOn=["US-003"]),
            story("US-002", "true", dependsOn=["US-001"]),
            story("US-003", "true", dependsOn=["US-002"]),
        ],
    }
    (line,) = lines_of(refused(holding(shared, prd), code=2))
    assert line.endswith("stories wait for each other: US-001 → US-003 → US-002 → US-001")


def test_what_is_wrong_for_this_run_alone(tmp_path: Path) -> None:
    """Open stories without commands, a `cwd` that is a file, unknown ids, a template: the file itself is valid."""
    project = holding(
        make_project(tmp_path, [FINE]),
        {
            "project": "p",
            "userStories": [
                {"id": "US-001", "title": "t", "passes": False},
                {"id": "US-002", "title": "t", "passes": False, "skip": True},
                {"id": "US-003", "title": "t", "passes": True},
                story("US-004", {"run": "true", "cwd": "README.md"}),
            ],
        },
    )
    template = project.root / ".prd-ralph" / "templates" / "prompt.md.j2"
    template.parent.mkdir(parents=True)
    template.write_text("Do {{ story.id }}\nfor {{ custmer }}\n")
    done = refused(project, "--skip", "US-99", "--only", "us-004", "--only", "US-001", "--only", "US-004", code=2)
    assert lines_of(done) == [
        "--only us-004: no such story in prd.json",
        "--skip US-99: no such story in prd.json",
        "prd.json:4 /userStories/0 US-001: an open story without verification commands can never pass",
        "prd.json:20 US-004: cwd README.md is not a folder",
        f"{template}:2: prompt template: 'custmer' is undefined",
    ]
    assert "--check CMD" in done.err


@pytest.mark.parametrize("names", [("x; touch pwned", "../.."), ("-x", "HEAD"), ("a.lock", "@{1}")])
def test_branch_names_that_are_none(shared: Project, names: tuple[str, str]) -> None:
    prd = {"project": "p", "branchName": names[0], "baseBranch": names[1], "userStories": [FINE]}
    told = lines_of(refused(holding(shared, prd), code=2))
    assert [line.split()[1] for line in told] == ["/branchName:", "/baseBranch:"]


def test_ids_that_are_no_ref_names_work(tmp_path: Path) -> None:
    """C160: they are encoded where they become refs and file names, and stay as written everywhere else."""
    ids = ["a/../b~^:.lock", "-ñ ✓"]
    prd = {"project": "p", "userStories": [story(name, "test -f AGENT_RAN") for name in ids]}
    project = holding(make_project(tmp_path, [FINE]), prd)
    done = with_env(project, **AGENT).run()
    assert done.code == 0, done.err
    assert project.passes() == dict.fromkeys(ids, True)
    assert project.landings() == ids
    refs = project.git("for-each-ref", "--format=%(refname)", "refs/prd-ralph/").splitlines()
    assert {ref.split("/")[3] for ref in refs} == {"a%2F%2E%2E%2Fb%7E%5E%3A%2Elock", "-%C3%B1%20%E2%9C%93"}
    assert project("show", done.events[0]["run"], ids[0], "1").code == 0


def test_a_byte_order_mark_and_letters_of_all_kinds_in_a_bare_locale(tmp_path: Path) -> None:
    """C058."""
    bare = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    text = json.dumps({"project": "p", "userStories": [{**FINE, "title": "修复登录"}]}, ensure_ascii=False)
    project = with_env(holding(make_project(tmp_path, [FINE]), b"\xef\xbb\xbf" + text.encode()), **AGENT, **bare)
    for command in (("status",), ("run", "--dry-run"), ("prompt",)):
        done = project(*command)
        assert done.code == 0, (command, done.err)
    assert "修复登录" in done.out
    assert json.loads(project("status", "--json").out)["stories"][0]["title"] == "修复登录"


# --- settings ---


CAPS = ("max_attempts", "max_iterations", "max_time", "timeout", "check_timeout")


@pytest.mark.parametrize(("flag", "variable", "key"), [("0", "-1", '"abc"'), ("nan", "inf", "0")])
def test_caps_are_finite_and_more_than_nothing(tmp_path: Path, flag: str, variable: str, key: str) -> None:
    """C133: every cap, wherever it is given; an overruled mistake is told as well."""
    project = make_project(tmp_path, [FINE])
    (project.root / "prd-ralph.toml").write_text("".join(f"{name} = {key}\n" for name in CAPS))
    flags = [part for name in CAPS for part in (f"--{name.replace('_', '-')}", flag)]
    env = {f"PRD_RALPH_{name.upper()}": variable for name in CAPS}
    told = lines_of(refused(project, *flags, code=2, env=env))
    wanted = [
        line
        for number, name in enumerate(CAPS, 1)
        for line in (
            f"prd-ralph.toml:{number}: {name}: {key} is no ",
            f'PRD_RALPH_{name.upper()}: "{variable}" is no ',
            f'--{name.replace("_", "-")}: "{flag}" is no ',
        )
    ]
    assert all(line.startswith(text) for text, line in zip(wanted, told, strict=True)), told


def test_an_idle_limit_may_be_off_and_no_more(tmp_path: Path) -> None:
    project = make_project(tmp_path, [FINE])
    assert project("config", PRD_RALPH_IDLE_TIMEOUT="0").code == 0
    assert "--idle-timeout" in refused(project, "--idle-timeout", "-1", code=2).err


def test_the_default_caps_are_finite_and_told(tmp_path: Path) -> None:
    project = make_project(tmp_path, [FINE])
    started = with_env(project, **AGENT).run("--once").of("run_started")[0]
    assert started["limits"]["iterations"] == 1 * 3 + 20
    assert started["limits"]["run_s"] == 24 * 3600


def test_settings_and_prd_json_are_told_together(tmp_path: Path) -> None:
    project = holding(make_project(tmp_path, [FINE]), {"project": "p", "userStories": [{**FINE, "passes": "no"}]})
    (project.root / "prd-ralph.toml").write_text('strict = "perhaps"\nmax_atempts = 3\n')
    done = refused(project, "--timeout", "soon", code=2, env={"PRD_RALPH_TIMEOT": "3"})
    told = "\n".join(lines_of(done))
    for place in ("prd-ralph.toml:1: strict", "prd-ralph.toml:2: ", "PRD_RALPH_TIMEOT", "--timeout", "prd.json:7 "):
        assert place in told, (place, told)
    assert "did you mean max_attempts?" in done.err
    assert "did you mean PRD_RALPH_TIMEOUT?" in done.err


def test_a_command_in_the_settings_is_judged_as_in_prd_json(tmp_path: Path) -> None:
    project = holding(make_project(tmp_path, [FINE]), {"project": "p", "userStories": [{**FINE, "passes": "no"}]})
    (project.root / "prd-ralph.toml").write_text('verification_commands = [{run = "true", cwd = "../.."}]\n')
    told = lines_of(refused(project, code=2))
    assert len(told) == 2
    assert "prd-ralph.toml:1 /0/cwd" in told[0]
    assert told[1].startswith("prd.json:7 ")


def test_nothing_is_asked_again(shared: Project) -> None:
    """C046: invalid input is told once; `--json` and `--quiet` change nothing about that."""
    project = holding(shared, "{}")
    for flags in (("--json",), ("--quiet", "--dry-run"), ("--dry-run", "--json")):
        assert len(lines_of(refused(project, *flags, code=2))) == 1
