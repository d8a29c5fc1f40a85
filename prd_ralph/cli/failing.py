"""An agent that was asked for something and failed: as an error, by the class of its failure."""

from prd_ralph.attempt import last_words
from prd_ralph.console import printable
from prd_ralph.errors import ExitCode, Problem, ProblemsError
from prd_ralph.masking import Mask
from prd_ralph.model import AgentResult, FailureClass, StopReason
from prd_ralph.rules import exit_code

_STOPS = {
    FailureClass.AUTH: StopReason.AUTH,
    FailureClass.CREDITS: StopReason.CREDITS,
    FailureClass.BAD_MODEL: StopReason.BAD_MODEL,
    FailureClass.USAGE_LIMIT: StopReason.USAGE_LIMIT,
}


def failed(label: str, result: AgentResult, mask: Mask, hint: str) -> ProblemsError:
    """The error, with the exit code that a run would stop with for the same: 1, 3 or 4."""
    failure = result.failure or FailureClass.ERROR
    stop = _STOPS.get(failure, StopReason.AGENT_FAILING)
    said = printable(mask.text(" ".join(last_words(result).split())))
    message = f"{label} failed: {failure}{f': {said}' if said else ''}"
    return ProblemsError([Problem(message, hint)], ExitCode(exit_code(stop)))
