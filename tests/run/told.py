"""What a run told in its events, by story."""

from typing import Any

from tests.support.project import Done, Project


def last(done: Done, kind: str) -> dict[str, dict[str, Any]]:
    """Each story's last event of a kind."""
    return {event["story"]: event for event in done.of(kind)}


def outcomes(done: Done) -> dict[str, str]:
    """How each story's last attempt was judged."""
    return {story: event["outcome"] for story, event in last(done, "judged").items()}


def statuses(done: Done) -> dict[str, str]:
    """How each command ended, by its name."""
    return {event["name"]: event["status"] for event in done.of("check_finished")}


def starts(done: Done) -> list[str]:
    """The stories that an agent was started for, in order."""
    return [event["story"] for event in done.of("agent_started")]


def end(done: Done) -> dict[str, Any]:
    return done.of("run_finished")[-1]


def stopped(done: Done) -> tuple[str, int]:
    """Why the run ended, and the process's exit code."""
    return str(end(done)["stop"]), done.code


def changed_by(project: Project, story: str) -> set[str]:
    """The paths of a story's landing commit."""
    commit = project.git("log", "--all", "--format=%H", f"--grep=^Prd-Ralph-Story: {story}$", "-1")
    return set(project.git("show", "--format=", "--name-only", "--no-renames", commit).splitlines())


def tree(project: Project) -> dict[str, bytes]:
    """The work tree but for the memory between iterations, which may grow."""
    return {path: data for path, data in project.snapshot().items() if path != "progress.txt"}
