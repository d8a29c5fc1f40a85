"""The bench's part of pytest: when its cases run, what they get, and the table at the end."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.realcli.install import bin_of, folder_of
from tests.realcli.mock import MockModel
from tests.realcli.programs import Program
from tests.realcli.stage import Seen, Stage, Told, set_the_stage
from tests.realcli.table import Row, lines

MARKER = "realcli"
ROW = "realcli-row"

SetStage = Callable[..., Stage]
Ended = Callable[[Stage, str, Told], Seen]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Cases with real programs are no part of the tests, unless they are asked for."""
    if MARKER in config.option.markexpr or "PRD_RALPH_CLI_DIR" in os.environ:
        return
    cases = [item for item in items if item.get_closest_marker(MARKER)]
    if cases:
        config.hook.pytest_deselected(items=cases)
        items[:] = [item for item in items if item not in cases]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The table. Rows come with the reports, because worker processes may have run the cases."""
    reports = [each for kind in ("passed", "failed") for each in terminalreporter.getreports(kind)]
    rows = [Row(tuple(value), each.passed) for each in reports for name, value in each.user_properties if name == ROW]
    if rows:
        terminalreporter.section("real agent programs")
        for line in lines(rows):
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def cli() -> Path:
    """The folder of the programs; of the session, because each test's environment is stripped of it."""
    return folder_of(os.environ)


@pytest.fixture
def mock() -> Iterator[MockModel]:
    with MockModel.serving() as serving:
        yield serving


@pytest.fixture
def set_stage(cli: Path, mock: MockModel, tmp_path: Path) -> Iterator[SetStage]:
    """Sets a stage: `set_stage(program, "scenario", "a part of the story")`. What it left is ended after the test."""
    stages: list[Stage] = []

    def make(program: Program, scenario: str, text: str = "") -> Stage:
        if not (bin_of(cli, program.pin) / program.name).exists():
            pytest.skip(f"{program.name} is not installed in {cli}: make realcli")
        stages.append(set_the_stage(program, mock, scenario, cli, tmp_path, text))
        return stages[-1]

    yield make
    for process in [each for stage in stages for each in stage.left()]:
        with suppress(psutil.Error):
            process.kill()


@pytest.fixture
def ended(request: pytest.FixtureRequest) -> Ended:
    """Looks how a run ended and what it left, and writes that down for the table: `ended(stage, "case", told)`."""

    def look(stage: Stage, case: str, told: Told) -> Seen:
        seen = told.seen(len(stage.left()))
        cells = (seen.failure, seen.outcome, "yes" if seen.charged else "no", seen.stop, seen.exit, seen.left)
        row = (stage.program.name, case, *(str(cell) or "-" for cell in cells))
        request.node.user_properties.append((ROW, row))
        print(told.err)  # shown where the case fails
        return seen

    return look
