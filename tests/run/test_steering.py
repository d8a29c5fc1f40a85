"""A person's word for the next prompt, edits of its template, and a memory that has grown."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.run.told import end
from tests.support.project import Project, make_project, story
from tests.support.waiting import PATIENCE_S, pids_in, started
from tests.support.workshop import Workshop

FAILS = story("US-001", "test -f right.txt")
TEMPLATE = ".prd-ralph/templates/prompt.md.j2"


def prompts(project: Project) -> list[str]:
    """What the attempts were told, the oldest first."""
    found = sorted((project.root / ".git/prd-ralph/runs").rglob("prompt.md"), key=lambda path: path.stat().st_mtime_ns)
    return [path.read_text() for path in found]


def warnings(done: object) -> list[str]:
    return [event["message"] for event in done.of("warning")]  # type: ignore[attr-defined]


def test_what_is_added_is_in_the_next_prompt_and_then_gone(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, ["echo 1 >> a.txt"], [FAILS])
    project = workshop.project
    assert project("add-context", "use the ``` fixtures,\nnot the database").code == 0
    assert project("add-context", "and be quick").code == 0
    assert project("add-context", "--list").out == "use the ``` fixtures,\nnot the database\nand be quick\n"
    assert "and be quick" in project("prompt").out
    done = workshop.run("--max-attempts", "2")
    first, second = prompts(project)
    assert "````\nuse the ``` fixtures,\nnot the database\n\nand be quick\n````" in first
    assert "From the person who started this" in first
    assert "quick" not in second
    told = [message for message in warnings(done) if "added by you" in message]
    assert told == ["context added by you: use the ``` fixtures, not the database and be quick"]
    assert project("add-context", "--list").out == ""
    assert "quick" not in project.git("log", "-p", "--all")


def test_a_run_that_goes_on_takes_it_up_at_its_next_iteration(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    workshop = Workshop(
        tmp_path, [f"echo $$ >> {tmp_path}/pids; cat {tmp_path}/fifo; echo 1 > a.txt", "echo 2 > a.txt"], [FAILS]
    )
    with started(workshop.project, *workshop.arguments("--max-attempts", "2")) as run:
        pids_in(tmp_path / "pids")
        added = workshop.project("add-context", "look at b.txt")
        assert "of the run that goes on" in added.err
        (tmp_path / "fifo").write_text("go on\n")
        run.communicate(timeout=PATIENCE_S)
    first, second = prompts(workshop.project)
    assert "look at b.txt" not in first
    assert "look at b.txt" in second


def test_a_template_without_a_place_for_it_does_not_lose_it(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, ["echo 1 >> a.txt"], [FAILS])
    project = workshop.project
    (project.root / TEMPLATE).parent.mkdir(parents=True)
    (project.root / TEMPLATE).write_text("Do {{ story.id }}.\n")
    project("add-context", "mind me")
    done = workshop.run("--max-attempts", "3")
    assert [message for message in warnings(done) if "context" in message] == [
        "the prompt template does not use `context`: what you added waits"
    ]
    assert prompts(project) == ["Do US-001.\n"] * 3
    assert project("add-context", "--list").out == "mind me\n"


def test_secrets_in_it_reach_no_prompt_and_no_ledger(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, ["echo 1 >> a.txt"], [FAILS])
    workshop.project("add-context", "the key is s3cr3t-value-42")
    workshop.project(*workshop.arguments("--once"), MY_API_TOKEN="s3cr3t-value-42")
    [prompt] = prompts(workshop.project)
    assert "the key is" in prompt
    kept = [path for path in (workshop.root / ".git/prd-ralph").rglob("*") if path.is_file()]
    assert not [path for path in kept if b"s3cr3t-value-42" in path.read_bytes()]


@pytest.mark.parametrize(
    ("args", "env", "says"),
    [
        (("x" * 20_000,), {}, "more than 16 KiB"),
        (("  \n",), {}, "nothing to add"),
        ((), {}, "say what to add"),
        (("text", "--clear"), {}, "say what to add"),
        (("do it my way",), {"PRD_RALPH_ATTEMPT": "r/US-001/1"}, "an agent cannot speak for the person"),
    ],
)
def test_what_cannot_be_added(tmp_path: Path, args: tuple[str, ...], env: dict[str, str], says: str) -> None:
    project = make_project(tmp_path, [FAILS])
    refused = project("add-context", *args, cwd=None, **env)
    assert (refused.code, says in refused.err, "hint:" in refused.err) == (2, True, True)
    assert project("add-context", "--list").out == ""


def test_the_bound_is_for_all_of_it_and_clear_forgets_it(tmp_path: Path) -> None:
    project = make_project(tmp_path, [FAILS])
    assert project("add-context", "x" * 9_000).code == 0
    assert project("add-context", "y" * 9_000).code == 2
    assert project("add-context", "--clear").err == "forgot 1 addition\n"
    assert project("add-context", "y" * 9_000).code == 0


def test_it_may_come_on_stdin(tmp_path: Path) -> None:
    project = make_project(tmp_path, [FAILS])
    command = project.command("add-context", "-")
    subprocess.run(command, cwd=project.root, env=project.environment(), input="two\nlines\n", text=True, check=True)
    assert project("add-context", "--list").out == "two\nlines\n"


def test_an_edit_of_the_template_is_named_once_and_whose_it_may_be(tmp_path: Path) -> None:
    edit = f"mkdir -p .prd-ralph/templates; echo 'Do {{{{ story.id }}}} now.' > {TEMPLATE}; echo 1 > a.txt"
    workshop = Workshop(tmp_path, [edit, "echo 2 > a.txt", "echo 3 > a.txt"], [FAILS])
    done = workshop.run("--max-attempts", "3")
    assert [message for message in warnings(done) if "template" in message] == [
        f"prompt template changed during US-001 attempt 1: {TEMPLATE}"
    ]
    assert prompts(workshop.project)[1:] == ["Do US-001 now.\n"] * 2


def test_an_edit_between_two_attempts_is_named(tmp_path: Path) -> None:
    work = tmp_path / "repo" / TEMPLATE
    check = f"mkdir -p {work.parent}; echo 'Do it.' > {work}; test -f right.txt"
    workshop = Workshop(tmp_path, ["echo 1 >> a.txt"], [story("US-001", check)])
    done = workshop.run("--max-attempts", "2", "--baseline", "off")
    told = [message for message in warnings(done) if "template changed" in message]
    assert told == [f"prompt template changed: {TEMPLATE}"]


# --- the memory ---------------------------------------------------------------------------------------


def test_c104_ten_megabytes_of_progress_are_a_bounded_prompt_and_nothing_of_them_is_lost(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, ["echo 1 > right.txt"], [FAILS])
    head = "# Progress\n\n## Codebase Patterns\n\n- tests lie in tests/\n\n"
    entries = "".join(f"## entry {number:06}\n{'fact.' * 20}\n\n" for number in range(90_000))
    progress = workshop.root / "progress.txt"
    progress.write_text(head + entries)
    assert progress.stat().st_size > 10_000_000
    done = workshop.run()
    assert done.code == 0, done.err
    assert done.of("agent_started")[0]["prompt_bytes"] < 64 << 10
    now = progress.read_text()
    assert len(now) < 80 << 10
    assert now.startswith(head)
    assert "entry 089999" in now
    [older] = (workshop.root / ".git/prd-ralph/archive").iterdir()
    rest = now[len(head) :]
    kept = rest[rest.index("## ") : rest.index("US-001 attempt 1") - len("## 2031-03-01T08:00:00Z ")]
    assert older.read_text() + kept.rstrip() + "\n\n" == entries
    count = older.read_text().count("## entry")
    assert f"---\n{count} older entries: prd-ralph/archive/progress-1.txt in git's folder\n" in rest
    assert any(f"{count} older entries moved to {older}" in message for message in warnings(done))
    assert workshop.project.git("show", "HEAD:progress.txt") + "\n" == now


def test_c104_fifty_iterations_do_not_grow_the_prompt(tmp_path: Path) -> None:
    lesson = "echo; echo '## learned'; yes 'a long lesson of this attempt' | head -c 12000; echo"
    grow = f"wc -l < {tmp_path}/starts > a.txt; {{ {lesson}; }} >> progress.txt"
    workshop = Workshop(tmp_path, [grow], [FAILS])
    given = workshop.arguments("--max-attempts", "50", "--baseline", "off")
    done = workshop.project(*given, PRD_RALPH_STALL_AFTER="100")
    sizes = [event["prompt_bytes"] for event in done.of("agent_started")]
    assert (len(sizes), end(done)["stop"]) == (50, "exhausted")
    assert max(sizes[10:]) <= max(sizes[:10]) + 2000
    assert max(sizes) < 40 << 10
    assert (workshop.root / "progress.txt").stat().st_size < 272 << 10
    archive = sorted((workshop.root / ".git/prd-ralph/archive").iterdir())
    assert [path.name for path in archive] == ["progress-1.txt", "progress-2.txt"]
    kept = [*(path.read_text() for path in archive), (workshop.root / "progress.txt").read_text()]
    assert sum(text.count("## learned") for text in kept) == 50
    assert all(sum(f"attempt {number}:" in text for text in kept) == 1 for number in range(1, 51))
