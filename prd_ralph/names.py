"""Names that more than one module must know: of drafts, refs, and of story ids in them (REFERENCE, "Refs")."""

import hashlib
import re

ATTEMPTS = "refs/prd-ralph/"
"""Below it lies `<run>/<story>/<n>`, the end state of each attempt."""

_UNSAFE = re.compile(rb"[^A-Za-z0-9_-]")
_LIMIT = 100
_KEPT = 80


def draft_name(name: str) -> str:
    """Beside a file, what is to become it: a kill may leave it there."""
    return f".{name}.prd-ralph.tmp"


def encode_story(story_id: str) -> str:
    """Any id as one safe name: UTF-8 bytes outside `[A-Za-z0-9_-]` as `%XX`; over 100 bytes 80 and a hash."""
    data = story_id.encode("utf-8", "surrogatepass")
    encoded = _UNSAFE.sub(lambda found: b"%%%02X" % found[0][0], data).decode("ascii")
    if len(encoded) <= _LIMIT:
        return encoded
    return f"{encoded[:_KEPT]}-{hashlib.sha256(data).hexdigest()[:8]}"


def attempt_ref(run: str, story: str, number: int) -> str:
    """The ref that holds what an attempt ended in; `run` is the one in which it began."""
    return f"{ATTEMPTS}{run}/{encode_story(story)}/{number}"
