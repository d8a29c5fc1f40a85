"""What the mock was asked, to be looked at afterwards."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One request. `key`: the credential that it came with. `tools`: the names of those offered.

    `story`: it bears a story's prompt and tools; programs also ask for titles and the like.
    """

    method: str
    path: str
    key: str = ""
    body: bytes = b""
    tools: tuple[str, ...] = ()
    streamed: bool = False
    story: bool = False
