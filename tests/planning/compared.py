"""A plan in the shape that the fixtures have (RULES: "What is compared")."""

from typing import Any

from prd_ralph.planning.output import prd_json
from prd_ralph.planning.plan import plan_file, plan_folder
from prd_ralph.planning.problems import PlanError
from prd_ralph.planning.values import Place


def compared(name: str, data: bytes | str | list[tuple[str, bytes]]) -> dict[str, Any]:
    """What is planned of a file (its bytes or text) or a folder (its files), or the error."""
    folder = isinstance(data, list)
    try:
        if isinstance(data, list):
            plan = plan_folder(name, data)
        else:
            plan = plan_file(name, data.encode() if isinstance(data, str) else data)
    except PlanError as error:
        lines = [place_json(place, folder=folder) for place in error.places]
        return {"error": {"kind": str(error.kind), "lines": lines}}
    found: dict[str, Any] = prd_json(plan, name)
    del found["source"]
    unplaced = [place_json(entry.place, folder=folder) for entry in plan.unplaced]
    return {**found, "unplaced": unplaced} if unplaced else found


def place_json(place: Place, *, folder: bool) -> int | str:
    """A line as the fixtures name it: its number, with the file before it where there are several."""
    return str(place) if folder else place.line
