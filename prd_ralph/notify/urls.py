"""The URLs of Apprise: whether they can be used, and how they may be shown. They hold tokens and passwords."""

from collections.abc import Sequence

from prd_ralph.errors import Problem

_INSTALL = "pip install 'prd-ralph[notify]'"
_KNOWN = "https://github.com/caronc/apprise/wiki lists what Apprise understands"


def shown(url: str) -> str:
    """`slack://***`: what of a URL may be seen."""
    scheme, colon, _ = url.partition("://")
    return f"{scheme}://***" if colon and scheme.isalnum() else "***"


def missing(urls: Sequence[str]) -> tuple[Problem, ...]:
    """What is wrong with this machine, where notices are to be sent and Apprise is not there."""
    if not urls:
        return ()
    try:
        import apprise  # noqa: F401 - it takes a third of a second, and few want it
    except ImportError:
        return (Problem("notify needs Apprise, which is not installed", _INSTALL),)
    return ()


def refused(urls: Sequence[str]) -> tuple[Problem, ...]:
    """Those that Apprise does not understand; none where it is missing."""
    if not urls or missing(urls):
        return ()
    from apprise import Apprise

    return tuple(
        Problem(f"notify: entry {number} ({shown(url)}) is no URL that Apprise understands", _KNOWN)
        for number, url in enumerate(urls, 1)
        if Apprise.instantiate(url, suppress_exceptions=True) is None
    )
