"""JUnit XML: a suite a story, a case a command."""

from typing import TYPE_CHECKING

from prd_ralph.facts import CheckFacts, Report, StoryFacts
from prd_ralph.wording import exit_of, printable, shown_lines

if TYPE_CHECKING:
    from junitparser import TestCase, TestSuite


def junit(report: Report) -> bytes:
    """The report as one XML document in UTF-8. Each suite tells by properties where its story stands, and what that
    rests on; a story that passes has no failure, and one that does not at least one, or is skipped.
    """
    from junitparser import JUnitXml

    xml = JUnitXml("prd-ralph")
    if report.problems:
        xml.add_testsuite(_broken(report))
    for story in report.stories:
        xml.add_testsuite(_suite(report, story))
    xml.update_statistics()  # type: ignore[no-untyped-call]
    data: bytes = xml.tostring()  # type: ignore[no-untyped-call]
    return data


def _suite(report: Report, story: StoryFacts) -> "TestSuite":
    from junitparser import TestSuite

    suite = TestSuite(printable(f"{story.id} {story.title}", 300))
    for name, value in (("basis", str(report.basis)), ("story", story.id), ("state", story.state)):
        suite.add_property(name, printable(value))
    for case in _cases(report, story):
        suite.add_testcase(case)
    return suite


def _cases(report: Report, story: StoryFacts) -> list["TestCase"]:
    from junitparser import Skipped

    cases = [_case(story, check) for check in story.results]
    said = f"passes is {'true' if story.passes else 'false'}, {report.basis.words}"
    if story.state == "passed":
        # What failed in an earlier attempt is the past of a story that passes.
        return cases if cases and all(check.passed for check in story.results) else [_named(story, said)]
    if story.state in ("blocked", "skipped"):
        held = _named(story, said)
        held.result = [Skipped(printable(story.reason or story.state))]
        return [held]
    return cases if any(not check.passed for check in story.results) else [*cases, _failed(story, said)]


def _case(story: StoryFacts, check: CheckFacts) -> "TestCase":
    from junitparser import Failure

    case = _named(story, check.label)
    case.time = max(0.0, check.duration_s)
    if not check.passed:
        failure = Failure(printable(f"{check.label}: {check.status} ({exit_of(check.exit_code)})", 500), check.status)
        failure.text = "\n".join(shown_lines(check.excerpt))
        case.result = [failure]
    return case


def _failed(story: StoryFacts, said: str) -> "TestCase":
    from junitparser import Failure

    case = _named(story, said)
    case.result = [Failure(said, story.state)]
    return case


def _named(story: StoryFacts, name: str) -> "TestCase":
    from junitparser import TestCase

    return TestCase(printable(name, 300), classname=printable(story.id, 200))


def _broken(report: Report) -> "TestSuite":
    from junitparser import Error, TestCase, TestSuite

    suite = TestSuite(printable(report.prd))
    for problem in report.problems:
        case = TestCase("prd.json is valid", classname=printable(report.prd))
        case.result = [Error(printable(str(problem), 1000), "invalid")]
        suite.add_testcase(case)
    return suite
