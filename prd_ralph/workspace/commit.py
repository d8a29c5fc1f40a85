"""Which way a landing is made: by `git commit`, or by plumbing where nothing of the person's would run."""

from collections.abc import Callable

from prd_ralph.errors import ForeignChangeError
from prd_ralph.ports import Landed, LandingRefused, LandingRequest
from prd_ralph.workspace import landing, opening, plain
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.head import Head, read_head


def refuse_moved_head(desk: Desk, base: str, branch: str | None) -> None:
    """Raises ForeignChangeError where HEAD is not where the run has left it."""
    head = read_head(desk.git, desk.location)
    if head != Head(base, branch):
        where = f"{head.branch or 'detached'} at {head.commit[:10]}"
        raise ForeignChangeError(f"HEAD was moved meanwhile: {where}", "see what was changed there, and run again")


def commit(
    desk: Desk,
    footing: landing.Footing,
    request: LandingRequest,
    signature: plain.Signature | None,
    hooks: str,
    announce: Callable[[str], object],
) -> tuple[Landed | LandingRefused, bool]:
    """The landing, and whether nothing of the person's has run. `announce` gets the tree first, `hooks` is where they
    are, or empty. Raises ForeignChangeError.
    """
    tree = plain.tree_of(desk, footing, request) if signature else ""
    if signature and tree:
        announce(tree)
        return plain.commit(desk, footing, tree, signature, request), True
    intended = landing.intend(desk, footing, request)
    announce(intended.tree)
    return landing.commit(desk, footing, intended, {"core.hooksPath": hooks} if hooks else {}), False


def close(desk: Desk, base: str, branch: str | None, message: str) -> str | None:
    """As `opening.close`. Raises ForeignChangeError where that would be on another branch, or on others' commits.

    A flag that is true here need not be true there.
    """
    return opening.close(desk.git, desk.memory, message, lambda: refuse_moved_head(desk, base, branch))
