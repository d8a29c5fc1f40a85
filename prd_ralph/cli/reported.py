"""Which format is made by what."""

import json
from collections.abc import Callable, Mapping

from prd_ralph.facts import Report
from prd_ralph.report.as_json import report_record
from prd_ralph.report.badge import badge_json, badge_svg
from prd_ralph.report.junit import junit
from prd_ralph.report.markdown import markdown


def encoded(report: Report, name: str, output: str | None) -> bytes:
    """The report in the format of that name, as the bytes to write. `output`: the file that is meant, if any."""
    if name == "badge" and output is not None and output.endswith(".svg"):
        return badge_svg(report).encode()
    return FORMATS[name](report)


def _json(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, allow_nan=False).encode("ascii") + b"\n"


FORMATS: Mapping[str, Callable[[Report], bytes]] = {
    "markdown": lambda report: markdown(report).encode(),
    "json": lambda report: _json(report_record(report)),
    "junit": junit,
    "badge": lambda report: _json(badge_json(report)),
}
