"""The ledger, `events.jsonl`: one JSON object a line, appended and on disk before the run goes on."""

import errno
import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from prd_ralph.errors import cannot_write
from prd_ralph.events import RunEvent, as_line, as_record
from prd_ralph.model import AttemptKey, AttemptRecord, Check, CheckResult, CheckStatus, Need, Outcome, Verdict
from prd_ralph.ports import Clock

_LINE_LIMIT = 16 << 20


class Ledger:
    """Appends the events of one run. `seq` goes on from what the file holds already.

    The file is opened for each event, so that one whose folder was deleted in the middle of a run begins anew.
    """

    def __init__(self, path: Path, run_id: str, clock: Clock) -> None:
        self._path = path
        self._run_id = run_id
        self._clock = clock
        records, _ = read(path)
        self._seq = max((seq for record in records if isinstance(seq := record.get("seq"), int)), default=0)

    def emit(self, event: RunEvent) -> dict[str, Any]:
        """Writes the event and returns the record. Raises BlockedError (exit 3) where it cannot be written."""
        record = as_record(event, self._run_id, self._seq + 1, self._clock.now())
        try:
            self._append(as_line(record).encode("ascii") + b"\n")
        except OSError as error:
            raise cannot_write(self._path, error) from error
        self._seq += 1
        return record

    def _append(self, line: bytes) -> None:
        if not self._path.parent.is_dir():
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = _open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            end = os.lseek(handle, 0, os.SEEK_END)
            if end and os.pread(handle, 1, end - 1) != b"\n":
                line = b"\n" + line
            while line:
                line = line[os.write(handle, line) :]
            os.fsync(handle)
        finally:
            os.close(handle)


def read(path: Path) -> tuple[list[dict[str, Any]], int]:
    """The records, and how many lines were none (torn or garbage).

    A file that is not there has none of both; what stands there and can't be read is one that was none.
    """
    try:
        with os.fdopen(_open(path, os.O_RDONLY), "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return [], 0
    except OSError:
        return [], 1
    lines = [line for line in data.split(b"\n") if line.strip()]
    records = [record for line in lines if (record := parse(line)) is not None]
    return records, len(lines) - len(records)


def stream(path: Path) -> Iterator[dict[str, Any] | None]:
    """The records one after another, None for a line that is none (torn, garbage, or over 16 MiB). Holds one line.

    A file that is not there has none; what stands there and can't be read is one that was none.
    """
    try:
        with os.fdopen(_open(path, os.O_RDONLY), "rb") as file:
            while line := file.readline(_LINE_LIMIT):
                whole = line.endswith(b"\n") or len(line) < _LINE_LIMIT
                while not whole and not line.endswith(b"\n") and (line := file.readline(_LINE_LIMIT)):
                    pass
                if not whole or line.strip():
                    yield parse(line) if whole else None
    except FileNotFoundError:
        return
    except OSError:
        yield None


def recall(path: Path, key: AttemptKey) -> AttemptRecord | None:
    """What was found out of an attempt, as far as a ledger tells; None where it tells nothing of a verdict."""
    told = [
        record for record in read(path)[0] if (record.get("story"), record.get("attempt")) == (key.story, key.number)
    ]
    frozen = [number for number, record in enumerate(told) if record["kind"] == "candidate_frozen"]
    last = told[frozen[-1] :] if frozen else told
    try:
        judged = [record for record in last if record["kind"] == "judged"][-1]
        return AttemptRecord(
            key,
            Verdict(
                Outcome(judged["outcome"]),
                judged["reason"],
                tuple(judged["warnings"]),
                tuple(judged.get("suspects", ())),
            ),
            tuple(_check(record) for record in last if record["kind"] == "check_finished"),
            tuple(last[0]["files"]) if frozen else (),
            need=_need(last),
        )
    except (IndexError, KeyError, ValueError, TypeError):
        return None


def _need(records: list[dict[str, Any]]) -> Need | None:
    found = [record for record in records if record["kind"] == "asked" and record.get("what") in ("stuck", "question")]
    return Need(found[-1]["what"], str(found[-1]["text"])) if found else None


def checked(path: Path, key: AttemptKey) -> tuple[CheckResult, ...]:
    """How the commands have ended that have run on the attempt's candidate so far, as far as a ledger tells."""
    found: list[CheckResult] = []
    for record in read(path)[0]:
        if (record.get("story"), record.get("attempt")) != (key.story, key.number):
            continue
        if record["kind"] == "candidate_frozen":
            found.clear()
        elif record["kind"] == "check_finished":
            with suppress(KeyError, ValueError):
                found.append(_check(record))
    return tuple(found)


def _open(path: Path, flags: int) -> int:
    """The regular file itself: no link is followed, and a FIFO does not block. Raises OSError."""
    handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is no regular file")
    return handle


def _check(record: Mapping[str, Any]) -> CheckResult:
    return CheckResult(
        check=Check(str(record["command"]), str(record["name"]), hidden=record.get("hidden") is True),
        own=bool(record["own"]),
        status=CheckStatus(record["status"]),
        exit_code=record["exit_code"],
        excerpt=str(record["excerpt"]),
        stories=tuple(record.get("stories", ())),
    )


def parse(line: bytes) -> dict[str, Any] | None:
    """A line of a ledger as its record; None where it is torn or garbage."""
    try:
        record = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and _is_event(record) else None


def _is_event(record: dict[str, Any]) -> bool:
    """Whether what all readers rely on is there: `kind run at`, and a story and an attempt, if any, of their types."""
    return (
        all(isinstance(record.get(name), str) for name in ("kind", "run", "at"))
        and isinstance(record.get("story"), str | None)
        and isinstance(record.get("attempt"), int | None)
    )
