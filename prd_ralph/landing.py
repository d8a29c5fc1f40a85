"""Landing: flip the flag and commit, together. The commit first, then the file, then the index."""

from collections.abc import Callable

from prd_ralph import events
from prd_ralph.guard import stand_by
from prd_ralph.model import AttemptKey, AttemptRecord, Check, Outcome, Prd, Proof, RunPlan, Story, Verdict
from prd_ralph.ports import Candidate, Landed, LandingRefused, LandingRequest, Ports
from prd_ralph.task import Task
from prd_ralph.trial import Trial

_SUBJECT_LIMIT = 72
_SUSPECTS_SHOWN = 5


def land(ports: Ports, plan: RunPlan, task: Task, tried: Trial, flipped: bytes) -> Landed | LandingRefused:
    """One story, one commit on base: the candidate, prd.json as `flipped`, progress.txt."""
    message = landing_message(plan, task, tried, ports.mask)
    landed = ports.workspace.land(LandingRequest(task.key, tried.candidate, flipped, message))
    if isinstance(landed, LandingRefused):
        return landed
    ports.stage("committed")
    stand_by(ports, task.key, task.document.data)
    finish(ports, task.key, task.story, landed, flipped, task.document.data)
    return landed


def finish(ports: Ports, key: AttemptKey, story: Story, landed: Landed, flipped: bytes, expected: bytes) -> None:
    """What follows the commit; a start after a crash does the same."""
    ports.prd_file.write(flipped, expected)
    ports.stage("flipped")
    ports.workspace.settle(landed.commit)
    ports.emit(
        events.LandedEvent(
            story=key.story, attempt=key.number, commit=landed.commit, title=story.title, files=len(landed.paths)
        )
    )


def verdict_of(refused: LandingRefused, candidate: Candidate, last: AttemptRecord | None) -> Verdict:
    """A hook that refuses is a failed attempt, told so; the same refusal with nothing changed, or anything of the
    environment's (identity, signer, lock), ends the run: paying again would not help."""
    if not refused.by_hook:
        return Verdict(Outcome.LAND_FAILED, refused.text)
    again = last is not None and last.verdict == Verdict(Outcome.FAILED, "hook", (refused.text,))
    if again and last is not None and last.files == candidate.paths:
        return Verdict(Outcome.LAND_FAILED, refused.text)
    return Verdict(Outcome.FAILED, "hook", (refused.text,))


def landing_message(plan: RunPlan, task: Task, tried: Trial, mask: Callable[[str], str]) -> str:
    """Subject and trailers of a landing commit (REFERENCE, "Landing commit"); masked before anything is cut off."""
    subject = plan.commit_message.replace("{id}", task.story.id).replace("{title}", task.story.title)
    trailers = [
        ("Story", task.story.id),
        ("Prd", prd_name(plan, task.document.prd)),
        ("Run", task.key.run),
        ("Attempt", str(task.key.number)),
        ("Agent", task.agent_label),
        ("Proof", str(tried.verdict.proof or Proof.UNPROVEN)),
        *(("Suspect", suspect) for suspect in tried.verdict.suspects[:_SUSPECTS_SHOWN]),
        *(("Check", _named(result.check)) for result in tried.results),
    ]
    lines = (f"Prd-Ralph-{name}: {mask(_one_line(value))}" for name, value in trailers)
    return f"{_short(mask(_one_line(subject)))}\n\n" + "\n".join(lines) + "\n"


def _named(check: Check) -> str:
    return f"{check.label} {check.text}" if check.hidden else check.label


def prd_name(plan: RunPlan, prd: Prd) -> str:
    """`<path> <branchName>`: story ids are unique only together with these."""
    return f"{plan.prd} {prd.branch or ''}".strip()


def _one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _short(subject: str) -> str:
    return subject if len(subject) <= _SUBJECT_LIMIT else subject[: _SUBJECT_LIMIT - 1].rstrip() + "…"
