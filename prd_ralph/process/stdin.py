"""What a process reads: a private copy, for a child can open its standard input again and write to it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prd_ralph.process.program import NotStartedError


@contextmanager
def open_stdin(source: Path | bytes | None) -> Iterator[int]:
    """A file descriptor to read from: `/dev/null`, or an unlinked copy of `source`. Raises NotStartedError."""
    try:
        fd = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC) if source is None else _copy(source)
    except OSError as error:
        raise NotStartedError(f"cannot prepare standard input: {error}") from error
    try:
        yield fd
    finally:
        os.close(fd)


def _copy(source: Path | bytes) -> int:
    import tempfile

    data = source.read_bytes() if isinstance(source, Path) else source
    with tempfile.NamedTemporaryFile(prefix="prd-ralph-") as copy:
        copy.write(data)
        copy.flush()
        return os.open(copy.name, os.O_RDONLY | os.O_CLOEXEC)
