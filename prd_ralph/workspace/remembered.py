"""What git was asked once in a run and need not be asked again: attempt numbers, recent commits."""

from prd_ralph.model import AttemptKey
from prd_ralph.names import encode_story
from prd_ralph.workspace import history
from prd_ralph.workspace.git import Git

_ABBREVIATED = 7


class Remembered:
    """Kept right by being told of what the run itself makes."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._numbers: dict[str, int] | None = None
        self._recent: tuple[tuple[str, int], tuple[str, ...]] | None = None

    def next_attempt(self, story_id: str) -> int:
        """The story's largest attempt number in any run, plus 1."""
        if self._numbers is None:
            self._numbers = history.attempts(self._git)
        return self._numbers.get(encode_story(story_id), 0) + 1

    def attempted(self, key: AttemptKey) -> None:
        """The attempt has its ref now."""
        if self._numbers is not None:
            story = encode_story(key.story)
            self._numbers[story] = max(self._numbers.get(story, 0), key.number)

    def recent_commits(self, base: str, count: int) -> tuple[str, ...]:
        """`abc1234 subject` lines, newest first, `base` being the newest."""
        if self._recent is None or self._recent[0] != (base, count):
            self._recent = (base, count), history.recent_commits(self._git, count)
        return self._recent[1]

    def committed(self, commit: str, subject: str) -> None:
        """One more commit, on the one that was the newest."""
        if self._recent:
            (_, count), commits = self._recent
            self._recent = (commit, count), (f"{commit[:_ABBREVIATED]} {subject}", *commits)[:count]
