"""The table's part of pytest: which cells are played, and what is printed at the end."""

from collections.abc import Callable

import pytest

from tests.adversaries.cast import ADVERSARIES
from tests.adversaries.table import Entry, lines

MARKER = "adversaries"
ENTRY = "adversaries-entry"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`make test` plays the everyday policies; the others have a command of their own."""
    if MARKER in config.option.markexpr or config.option.keyword:
        return
    others = [item for item in items if item.get_closest_marker(MARKER)]
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in others]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The table, where all of it was asked for. Entries come with the reports: worker processes have played them."""
    if MARKER not in terminalreporter.config.option.markexpr:
        return
    reports = [each for kind in ("passed", "failed") for each in terminalreporter.getreports(kind)]
    entries = [Entry(*value) for each in reports for name, value in each.user_properties if name == ENTRY]
    terminalreporter.section("adversaries")
    for line in lines(entries, [adversary.name for adversary in ADVERSARIES]):
        terminalreporter.write_line(line)


@pytest.fixture
def noted(request: pytest.FixtureRequest) -> Callable[[str, str, str, bool], None]:
    """Notes a cell of the table: `noted(who, policy, outcome, as_expected)`."""

    def note(who: str, policy: str, outcome: str, holds: bool) -> None:
        request.node.user_properties.append((ENTRY, (who, policy, str(outcome), holds)))

    return note
