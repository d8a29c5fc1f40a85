"""A secret of the environment is seen by the agent and the commands, and by nobody who reads what a run keeps."""

import json
from pathlib import Path

import pytest

from tests.run.told import stopped
from tests.support.project import Project, make_project, story

TOKEN = "tok" + "-9f8e7d6c5b4a" + '-"quoted"'
KEY = "sk-" + "ant-api03-" + "aB3dE6gH9jK2mN5pQ8sT" * 2
ENV = {"MY_API_TOKEN": TOKEN, "MY_SECRET": "production", "MY_PASSWORD": "short"}

WHOLE = "printf '%s\\n' \"$MY_API_TOKEN\""
# Two writes, the first of which fills a whole read of ours, less a part of the token.
SPLIT = (
    "head -c 65530 /dev/zero | tr '\\0' .; printf %s \"${MY_API_TOKEN%????????}\";"
    ' printf \'%s\\n\' "${MY_API_TOKEN#"${MY_API_TOKEN%????????}"}"'
)
SPEAK = f"{WHOLE}; {SPLIT}; {{ {WHOLE}; {SPLIT}; }} >&2; echo {KEY[:20]}{KEY[20:]}; echo in production, in short"


def holders(folder: Path, secret: str) -> list[str]:
    """The files below that hold a secret, as it is or as JSON has it."""
    forms = (secret.encode(), json.dumps(secret)[1:-1].encode())
    files = (path for path in folder.rglob("*") if path.is_file())
    return [str(path) for path in files if any(form in path.read_bytes() for form in forms)]


def telling_project(folder: Path) -> Project:
    """The agent and the command print all they know; the first attempt fails."""
    check = {"name": f"uses {TOKEN}", "run": f'{SPEAK}; printf %s "$MY_API_TOKEN" > ../check-saw; test -f work.txt'}
    talk = {"run": SPEAK}
    script = {
        "stories": {
            "US-001": [
                [talk, {"prd": {"set": {"/userStories/0/passes": True}}}, {"save-prompt": "first.txt"}],
                [talk, {"print": json.dumps({"said": TOKEN})}, {"run": 'printf %s "$MY_API_TOKEN" > work.txt'}],
            ]
        }
    }
    told = story("US-001", check, title=f"Use {TOKEN}", description=f"The token is {TOKEN}, the key is {KEY}.")
    return make_project(folder, [told], script, setup=[SPEAK])


@pytest.mark.parametrize("flag", ["--json", "-v"])
def test_a_run_keeps_and_shows_no_secret(tmp_path: Path, flag: str) -> None:
    project = telling_project(tmp_path)
    done = project("run", flag, cwd=None, **ENV)
    assert done.code == 0
    for secret in (TOKEN, json.dumps(TOKEN)[1:-1], KEY):
        assert secret not in done.out + done.err
        assert secret not in project.git("log", "-1", "--format=%B")
        assert secret not in (project.root / "progress.txt").read_text()
        assert holders(project.root / ".git" / "prd-ralph", secret) == []
    assert project.git("log", "-1", "--format=%s") == "feat: US-001 - Use ***"


def test_the_agent_and_the_commands_see_it_and_work_is_left_as_it_is(tmp_path: Path) -> None:
    project = telling_project(tmp_path)
    before = json.loads(project.prd_path.read_bytes())["userStories"][0]
    done = project.run(**ENV)
    assert stopped(done) == ("complete", 0)
    assert (tmp_path / "check-saw").read_text() == TOKEN
    assert project.git("show", "HEAD:work.txt") == TOKEN == (project.root / "work.txt").read_text()
    after = json.loads(project.git("show", "HEAD:prd.json"))["userStories"][0]
    assert after == before | {"passes": True}
    assert "The token is ***, the key is sk-***." in (project.root / "first.txt").read_text()


def test_what_is_not_secret_is_kept_as_it_was_printed(tmp_path: Path) -> None:
    project = telling_project(tmp_path)
    done = project.run(**ENV)
    (finished,) = (each for each in done.of("agent_finished") if each["attempt"] == 1)
    (attempt,) = (project.root / ".git" / "prd-ralph").glob("runs/*/US-001/1")
    log = (attempt / "transcript.log").read_bytes()
    assert log.startswith(b"***\n" + b"." * 65530 + b"***\nsk-***\nin production, in short\n")
    assert (attempt / "transcript.log.stderr").read_bytes() == b"***\n" + b"." * 65530 + b"***\n"
    assert finished["output_bytes"] >= 65530 + 2 * len(TOKEN)
    assert b"in production, in short" in (attempt / "check-1.log").read_bytes()


def test_the_prompt_is_shown_without_secrets(tmp_path: Path) -> None:
    done = telling_project(tmp_path)("prompt", cwd=None, **ENV)
    assert "The token is ***, the key is sk-***." in done.out
    assert TOKEN not in done.out


def test_a_refusal_is_told_without_secrets(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true")], {"stories": {}})
    done = project.run("--only", KEY, **ENV)
    assert done.code == 2
    assert KEY not in done.err
    assert "--only sk-***: no such story" in done.err
