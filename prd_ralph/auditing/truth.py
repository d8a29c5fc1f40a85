"""The truth table: a story's claim, what its commands said, and what is to be noticed."""

from collections.abc import Iterator, Mapping, Sequence

from prd_ralph.auditing.flags import Flags
from prd_ralph.auditing.values import Finding, State, Tried
from prd_ralph.model import Check, Prd, Story


def commands_of(prd: Prd, story: Story, given: Sequence[Check], adopted: bool) -> tuple[Check, ...]:
    """What would be run for a story: `given` on the command line, and where `adopted` the file's own, in their order.

    What is to be run at landings alone may cost money: it is left out.
    """
    every = prd.checks_for(story, given) if adopted else given
    return tuple(check for check in every if check.when == "always")


def state_of(story: Story, commands: Sequence[Tried], ran: bool) -> State:
    """`ran`: commands were run at all. An open story passes by commands of its own alone."""
    results = [each.result for each in commands]
    green = bool(results) and all(result is not None and result.passed for result in results)
    if not story.passes:
        own = any(each.check in story.checks for each in commands)
        return State.OPEN_PASSES if green and own else State.OPEN
    if story.approved and (green or not commands):
        return State.APPROVED
    if not ran:
        return State.UNTRIED
    if not commands:
        return State.UNPROVABLE
    if green:
        return State.PROVED
    return State.FAILING if any(result is not None and not result.passed for result in results) else State.UNTRIED


def about_commands(story: Story, commands: Sequence[Tried], adopted: bool) -> Iterator[Finding]:
    """What is to be noticed of a story's commands and their results."""
    for each in commands:
        if each.result is not None and each.result.suspect:
            yield Finding("suspect", f"{each.check.label}: {each.result.suspect}", suspicious=story.passes)
    left_out = [check.label for check in story.checks if check.when == "land"] if adopted else []
    if left_out:
        yield Finding("left_out", f"not run, for it is for landings alone: {', '.join(left_out)}")


def about_flag(key: str, flags: Flags, odd: Mapping[str, Sequence[Finding]]) -> Iterator[Finding]:
    """What is to be noticed of how a claimed story's flag came to be. `odd`: what is known to be odd, by the key."""
    if not flags.now.get(key):
        yield Finding("uncommitted", "the flag is in no commit: only the file on disk claims it")
    elif flags.settings.get(key) is None:
        yield Finding("unknown_history", "set before the commits that are known here begin")
    yield from odd.get(key, ())
