"""What an attempt made, for people to read."""

import pytest

from prd_ralph.errors import RalphError
from prd_ralph.model import AttemptKey
from prd_ralph.workspace.reading import attempt_diff
from tests.conftest import git
from tests.workspace.scene import Scene, put


def test_the_patch_of_an_attempt_holds_all_that_it_changed(scene: Scene) -> None:
    scene.attempt(lambda root: put(root, {"a.py": "edited\n", "new.py": "new\n"}))
    git(scene.root, "config", "diff.external", "false")
    patch = attempt_diff(scene.root, AttemptKey("r1", "US-1", 1)).decode()
    assert "-one\n+edited\n" in patch
    assert "+++ b/new.py" in patch
    assert "prd.json" not in patch


def test_an_attempt_that_changed_nothing_has_no_patch(scene: Scene) -> None:
    scene.attempt()
    assert attempt_diff(scene.root, AttemptKey("r1", "US-1", 1)) == b""


def test_an_attempt_that_no_ref_holds_is_said(scene: Scene) -> None:
    with pytest.raises(RalphError, match="nothing is kept of US-1 attempt 7"):
        attempt_diff(scene.root, AttemptKey("r1", "US-1", 7))
