"""The corpus: invented documents of the kinds that people write, and what must become of each by rules alone."""

import json
from pathlib import Path

import pytest

from tests.planning.compared import compared

FIXTURES = Path(__file__).parents[1] / "fixtures" / "plan"
EXPECTED = sorted(FIXTURES.glob("*.expected.json"))


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda path: path.name.removesuffix(".expected.json"))
def test_a_document_becomes_what_the_rules_say(expected: Path) -> None:
    """Covers C061, C062, C064, C065, C067, C069, C070, C072, C074, C075; see the documents' names."""
    stem = expected.name.removesuffix(".expected.json")
    folder = FIXTURES / stem
    if folder.is_dir():
        files = [(path.name, path.read_bytes()) for path in folder.glob("*.md")]
        assert compared(stem, files) == json.loads(expected.read_bytes())
    else:
        data = (FIXTURES / f"{stem}.md").read_bytes()
        assert compared(f"{stem}.md", data) == json.loads(expected.read_bytes())
