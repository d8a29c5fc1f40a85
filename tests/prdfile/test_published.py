"""The limits that the documents state are the program's."""

import json
from pathlib import Path

from prd_ralph.assets import asset
from prd_ralph.prdfile.guard import NOTES_LIMIT
from prd_ralph.prdfile.names import ID_LIMIT
from prd_ralph.prdfile.text import SIZE_LIMIT
from prd_ralph.workspace.files import LARGE

DOC = (Path(__file__).parent.parent.parent / "docs" / "prd-json.md").read_text(encoding="utf-8")
DEFINITIONS = json.loads(asset("schemas/prd.schema.json").read_text(encoding="utf-8"))["$defs"]
OPTIONS = DEFINITIONS["options"]["properties"]


def _row(key: str) -> str:
    return next(line for line in DOC.splitlines() if line.startswith(f"| `{key}` |"))


def test_the_limits_in_the_document_are_the_ones_that_hold() -> None:
    assert f"up to {SIZE_LIMIT >> 20} MiB" in DOC
    assert f"1 to {ID_LIMIT} characters" in _row("id")
    assert DEFINITIONS["story"]["properties"]["id"]["maxLength"] == ID_LIMIT
    assert f"up to {NOTES_LIMIT:,} characters" in _row("notes")
    assert f"{OPTIONS['retries']['maximum']} at most" in _row("retries")
    assert f"{OPTIONS['retries']['maximum']} times at most" in OPTIONS["retries"]["description"]
    assert f"{OPTIONS['timeout']['maximum']:,} at most" in _row("timeout")


def test_what_is_accepted_can_be_committed() -> None:
    assert SIZE_LIMIT < LARGE
