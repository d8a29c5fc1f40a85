"""Every sample of a true program through the classifier: the class expected, and the one that came."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.agents.failures import failure_of
from prd_ralph.agents.presets import PRESETS
from prd_ralph.model import ProcessEnd, ProcessResult
from tests.agents.test_samples import EXPECTED, SAMPLES, process_of, read

OK = "ok"

# Of the programs that are run as any command: by class, the samples. An exit status of 0 is a success whatever was said
# (aider's is 0 for everything); what was killed while it was recorded (status -9, -15) has failed with no class.
# Where a program tells its error in its own JSON on stdout alone, only what cannot be of the story is believed.
_COMMANDS: Mapping[str, Mapping[str, str]] = {
    "aider": {
        OK: "400 401 429 int-stall ok-arg ok-arg-gitignore ok-file ok-stdin quota",
        "error": "badflag term-stall",
    },
    "copilot": {
        OK: "no-perm ok-json-stdin",
        "usage_limit": "429",
        "transient": "529",
        "credits": "quota",
        "auth": "nokey",
        "error": "401",
    },
    "gemini": {
        OK: "cut no-perm ok-stream-stdin",
        "usage_limit": "429-ma2",
        "transient": "503-ma2",
        "credits": "quota",
        "auth": "401 401-json nokey",
        "error": "max-turns untrusted",
    },
    "kimi": {
        OK: "ok-stream-arg ok-text-arg orphan t-ok",
        "usage_limit": "429 429-r1",
        "transient": "529",
        "auth": "401",
        "error": "auto badflag int-stall int-tool kill-tool killgroup-tool ok-stream-stdin term-stall term-tool yolo",
    },
    "mini": {
        OK: "loop-limit ok-arg",
        "usage_limit": "429",
        "auth": "401",
        "error": "int-tool ok-stdin term-tool",
    },
    "opencode": {
        OK: "ok-json-stdin perm-ask",
        "usage_limit": "429",
        "credits": "quota",
        "error": "400 401 badmodel",
    },
    "qwen": {
        OK: "no-perm ok-json-stdin ok-stream-stdin",
        "auth": "401",
        "error": "429-r0 cut max-turns max-wall quota",
    },
    "vibe": {
        OK: "no-perm no-trust ok-json-arg ok-stream-arg ok-stream-stdin ok-text-arg orphan t-ok",
        "usage_limit": "429-r",
        "auth": "401",
        "error": "429 429-timelimit 529 badflag int-stall int-tool kill-tool killgroup-tool max-turns term-stall "
        "term-tool",
    },
}


@dataclass(frozen=True)
class Row:
    """One sample: its program, how it ended, and its class (`ok`: none)."""

    family: str
    case: str
    exit: int
    expected: str
    got: str

    def __str__(self) -> str:
        mark = "" if self.expected == self.got else "   <-- not as expected"
        return f"{self.family:<9} {self.case:<18} {self.exit:>5}  {self.expected:<13} {self.got:<13}{mark}".rstrip()


def expected() -> dict[tuple[str, str], str]:
    """By program and sample."""
    read_by_us = {
        (family, case): str(wanted.failure or OK)
        for family, cases in EXPECTED.items()
        for case, wanted in cases.items()
    }
    others = {
        (family, case): word
        for family, words in _COMMANDS.items()
        for word, cases in words.items()
        for case in cases.split()
    }
    return read_by_us | others


def row(family: str, case: str) -> Row:
    if family in PRESETS:
        process = process_of(family, case)
        got = read(family, process, 4096).failure
    else:
        process = _of_command(family, case)
        got = failure_of(process)
    return Row(family, case, process.exit_code or 0, expected()[family, case], str(got or OK))


def there() -> set[tuple[str, str]]:
    """Every sample that there is."""
    found = (path for path in SAMPLES.glob("*/*") if path.stem != "exit-codes")
    return {(path.parent.name, path.stem) for path in found}


def table() -> Iterator[str]:
    """Readable lines: a head, and a line a sample."""
    yield f"{'program':<9} {'sample':<18} {'exit':>5}  {'expected':<13} got"
    for family, case in sorted(there()):
        yield str(row(family, case))


def _of_command(family: str, case: str) -> ProcessResult:
    folder = SAMPLES / family
    codes = dict(line.split() for line in (folder / "exit-codes.txt").read_text().splitlines())
    said = [path for path in folder.glob(f"{case}.*") if path.suffix != ".stderr"]
    stdout, stderr = _bytes(said[0]) if said else b"", _bytes(folder / f"{case}.stderr")
    return ProcessResult(ProcessEnd.EXITED, int(codes[case]), 1.0, stdout, stderr)


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""
