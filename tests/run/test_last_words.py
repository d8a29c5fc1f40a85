"""Which of an agent's two streams has its last words."""

import pytest

from prd_ralph.attempt import last_words
from prd_ralph.model import AgentResult, FailureClass, ProcessEnd, ProcessResult


@pytest.mark.parametrize(
    ("failure", "end", "words"),
    [
        (None, ProcessEnd.EXITED, "said"),
        (FailureClass.NO_WORK, ProcessEnd.EXITED, "said"),
        (FailureClass.HANG, ProcessEnd.IDLE, "said"),
        (FailureClass.ERROR, ProcessEnd.EXITED, "WARNING"),
    ],
)
def test_a_warning_is_nobodys_last_word_unless_the_program_failed(
    failure: FailureClass | None, end: ProcessEnd, words: str
) -> None:
    process = ProcessResult(end, 0, 0.0, stderr=b"WARNING\n")
    assert last_words(AgentResult(process, "said", failure)) == words


def test_an_error_that_is_known_is_the_last_word() -> None:
    process = ProcessResult(ProcessEnd.EXITED, 1, 0.0, stderr=b"WARNING\n")
    assert last_words(AgentResult(process, "said", FailureClass.ERROR, error="out of paper")) == "out of paper"
