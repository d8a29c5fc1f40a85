"""What git remembers of earlier work: recent commits, landings by their trailers, attempts by their refs.

One git process a question, so that `status` is quick, in a fresh clone too.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from prd_ralph.names import ATTEMPTS, encode_story
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.location import Location

_TRAILER = "Prd-Ralph-"
_LOG = ("--no-show-signature", "--encoding=UTF-8", "-z")
_LANDING_FORMAT = "%H%n%ct%n%(trailers:only=true,unfold=true)"
_UNBORN = 128


@dataclass(frozen=True, slots=True)
class LandingRecord:
    """A landing commit's trailers. `proof`: `proved`, `unproven` or None; `at`: UTC as `2031-03-01T08:00:00Z`.

    `by`: of a story that a person has approved (`proof` is `approved`), who.
    """

    commit: str
    attempt: int | None
    proof: str | None
    agent: str | None
    at: str
    run: str | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Landings:
    """The newest landing of each story, by its id; `shallow`: older ones may lie beyond what was fetched."""

    records: Mapping[str, LandingRecord]
    shallow: bool


def recent_commits(git: Git, count: int) -> tuple[str, ...]:
    """`abc1234 subject`, newest first; nothing where there is no commit yet."""
    told = git("log", *_LOG, f"--max-count={count}", "--format=%h %s", statuses=(0, _UNBORN))
    return tuple(line for line in told.decode("utf-8", "replace").split("\0") if line)


def landings(git: Git, location: Location, prd_path: str, branch: str | None, commit: str = "HEAD") -> Landings:
    """Of this PRD alone: ids recur, so that only commits with its `Prd-Ralph-Prd: <path> <branchName>` count.

    `commit`: the newest one that is looked at.
    """
    wanted = _in_one_line(f"{prd_path} {branch or ''}")
    records: dict[str, LandingRecord] = {}
    for landed, seconds, said in _landed(git, commit):
        if said.get("Prd") == wanted:
            records.setdefault(said["Story"], _record(landed, seconds, said))
    return Landings(records, (location.common_dir / "shallow").exists())


def landed_before(git: Git, prd_path: str, branch: str | None) -> dict[str, str]:
    """Ids that landed for the file at this path when it named another branch, with the newest such branch.

    "" stands for no branch. What lies beyond a shallow history is not there.
    """
    wanted, path = _in_one_line(f"{prd_path} {branch or ''}"), _in_one_line(prd_path)
    found: dict[str, str] = {}
    for _, _, said in _landed(git):
        named = said.get("Prd", "")
        if named != wanted and f"{named} ".startswith(f"{path} "):
            found.setdefault(said["Story"], named.removeprefix(path).strip())
    return found


def _landed(git: Git, newest: str = "HEAD") -> Iterator[tuple[str, int, dict[str, str]]]:
    """Commit, Unix time and trailers of every landing of a story up to `newest`, newest first."""
    grep = f"--grep=^{_TRAILER}Prd: "
    told = git("log", *_LOG, grep, f"--format={_LANDING_FORMAT}", newest, "--", statuses=(0, _UNBORN))
    for entry in filter(None, told.decode("utf-8", "replace").split("\0")):
        commit, seconds, trailers = entry.split("\n", 2)
        said = trailers_of(trailers)
        if "Story" in said:
            yield commit, int(seconds), said


def attempts(git: Git) -> dict[str, int]:
    """The largest attempt number of each story, over all runs, by the story's encoded id."""
    largest: dict[str, int] = {}
    for ref in git("for-each-ref", "--format=%(refname)", ATTEMPTS).decode("utf-8", "replace").splitlines():
        _run, _, rest = ref.removeprefix(ATTEMPTS).partition("/")
        name, _, number = rest.partition("/")
        if number.isascii() and number.isdigit():
            largest[name] = max(int(number), largest.get(name, 0))
    return largest


def attempt_counts(git: Git, stories: Iterable[str]) -> dict[str, int]:
    """For each of these ids the largest attempt number of any run; 0 where there is none."""
    largest = attempts(git)
    return {story: largest.get(encode_story(story), 0) for story in stories}


def _record(commit: str, seconds: int, said: Mapping[str, str]) -> LandingRecord:
    attempt = said.get("Attempt", "")
    return LandingRecord(
        commit=commit,
        attempt=int(attempt) if attempt.isdecimal() else None,
        proof=said.get("Proof"),
        agent=said.get("Agent"),
        at=datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        run=said.get("Run"),
        by=said.get("Approved-By"),
    )


def trailers_of(text: str) -> dict[str, str]:
    """The first of each of ours in a commit's trailers, less `Prd-Ralph-`."""
    said: dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.startswith(_TRAILER):
            said.setdefault(key.removeprefix(_TRAILER), _in_one_line(value))
    return said


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
