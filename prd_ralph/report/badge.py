"""A badge: the shields endpoint's JSON (https://shields.io/badges/endpoint-badge), and an SVG of our own."""

from html import escape
from typing import Any

from prd_ralph.facts import Report

_LABEL = "stories"
_COLOURS = {"brightgreen": "#2f7d32", "yellow": "#8a6100", "red": "#b3261e"}
_CHAR = 7
_PAD = 10


def badge_json(report: Report) -> dict[str, Any]:
    """`{schemaVersion, label, message, color, isError}`; green is for all of them alone, red for none."""
    counts = report.counts
    message = "invalid" if report.problems else f"{counts.passed} of {counts.total} pass"
    return {
        "schemaVersion": 1,
        "label": _LABEL,
        "message": message,
        "color": _colour(report),
        "isError": bool(report.problems),
    }


def badge_svg(report: Report) -> str:
    """The same as a picture, with its words for those who hear it."""
    told = badge_json(report)
    label, message = escape(told["label"]), escape(told["message"])
    left, right = (len(text) * _CHAR + 2 * _PAD for text in (told["label"], told["message"]))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{label}: {message}"><title>{label}: {message}</title>'
        f'<rect width="{left}" height="20" fill="#444c56"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{_COLOURS[told["color"]]}"/>'
        f'<g fill="#ffffff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left // 2}" y="14">{label}</text><text x="{left + right // 2}" y="14">{message}</text></g></svg>\n'
    )


def _colour(report: Report) -> str:
    counts = report.counts
    if report.problems or not counts.passed:
        return "red"
    return "brightgreen" if counts.passed == counts.total else "yellow"
