"""The steps of a script, done. Standard library only."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from prd_ralph.agents.scripted.script import Step

_CHUNK = 64 << 10
_STUCK = re.compile(rb"<stuck-(\w+)>")
_DEAF = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StepError(Exception):
    """A step that could not be done."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What the steps of one attempt act on; paths are relative to the working folder."""

    story: str
    prompt: bytes
    prd: Path


def perform(scene: Scene, step: Step) -> None:
    """Does one step. Raises StepError, OSError or ValueError when it cannot; SystemExit where it is the end."""
    verb = next(key for key in step if key in _ACTIONS)
    _ACTIONS[verb](scene, step)


def _say(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass") + b"\n")
    sys.stdout.buffer.flush()


def _event(kind: str, **fields: Any) -> None:
    _say(json.dumps({"event": kind, **fields}))


def _print(scene: Scene, step: Step) -> None:
    _say(step["print"])


def _stderr(scene: Scene, step: Step) -> None:
    sys.stderr.buffer.write(step["stderr"].encode("utf-8", "surrogatepass") + b"\n")
    sys.stderr.buffer.flush()


def _write(scene: Scene, step: Step) -> None:
    path = Path(step["write"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_content(step["text"]), encoding="utf-8")


def _content(content: str | list[str]) -> str:
    return content if isinstance(content, str) else "".join(f"{line}\n" for line in content)


def _append(scene: Scene, step: Step) -> None:
    _append_to(Path(step["append"]), _content(step["text"]))


def _append_to(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def _delete(scene: Scene, step: Step) -> None:
    path = Path(step["delete"])
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _patch(scene: Scene, step: Step) -> None:
    _call(["git", "apply", "--whitespace=nowarn", "-"], _content(step["patch"]).encode())


def _prd(scene: Scene, step: Step) -> None:
    match step["prd"]:
        case {"text": str(text)}:
            scene.prd.write_text(text, encoding="utf-8")
        case {"set": values}:
            document = json.loads(scene.prd.read_bytes())
            for pointer, value in values.items():
                _set(document, pointer, value)
            _save(scene.prd, document)


def _set(document: Any, pointer: str, value: Any) -> None:
    *parents, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    try:
        for part in parents:
            document = document[int(part)] if isinstance(document, list) else document[part]
        if not isinstance(document, list):
            document[last] = value
        elif last == "-":
            document.append(value)
        else:
            document[int(last)] = value
    except (LookupError, TypeError) as error:
        raise StepError(f"prd: nothing at {pointer}") from error


def _notes(scene: Scene, step: Step) -> None:
    document = json.loads(scene.prd.read_bytes())
    for story in document["userStories"]:
        if str(story["id"]) == scene.story:
            story["notes"] = step["notes"]
    _save(scene.prd, document)


def _save(path: Path, document: Any) -> None:
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _progress(scene: Scene, step: Step) -> None:
    _append_to(scene.prd.with_name("progress.txt"), step["progress"] + "\n")


def _run(scene: Scene, step: Step) -> None:
    _call(["sh", "-c", step["run"]])


def _commit(scene: Scene, step: Step) -> None:
    _call(["git", "add", "-A"])
    _call(["git", "commit", "-q", "-m", step["commit"]])


def _checkout(scene: Scene, step: Step) -> None:
    branch = step["checkout"]
    exists = subprocess.run(
        ["git", "rev-parse", "-q", "--verify", f"refs/heads/{branch}"], capture_output=True
    ).returncode
    _call(["git", "checkout", "-q", *(["-b"] if exists else []), branch])


def _call(argv: list[str], data: bytes = b"") -> None:
    code = subprocess.run(argv, input=data, check=False).returncode
    if code:
        raise StepError(f"{' '.join(argv)}: exit {code}")


def _expect(scene: Scene, step: Step) -> None:
    if step["expect"].encode() not in scene.prompt:
        raise StepError(f"expect: the prompt does not hold {step['expect']!r}")


def _stuck(scene: Scene, step: Step) -> None:
    named = _STUCK.findall(scene.prompt)
    if not named:
        raise StepError("stuck: the prompt names no tag")
    nonce = named[-1].decode()
    _say(f"<stuck-{nonce}>{step['stuck']}</stuck-{nonce}>")


def _save_prompt(scene: Scene, step: Step) -> None:
    Path(step["save-prompt"]).write_bytes(scene.prompt)


def _sleep(scene: Scene, step: Step) -> None:
    time.sleep(step["sleep"])


def _spawn(scene: Scene, step: Step) -> None:
    argv = ["sh", "-c", step["spawn"]]
    if step["how"] == "double-fork":
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execvp(argv[0], argv)
            os._exit(0)
        os.wait()
    else:
        # Never waited for: that is the point.
        subprocess.Popen(argv, stdin=subprocess.DEVNULL, start_new_session=step["how"] == "setsid")


def _bytes(scene: Scene, step: Step) -> None:
    chunk = (b"x" * 79 + b"\n" if step.get("newlines") else b"x" * 80) * (_CHUNK // 80)
    left = step["bytes"]
    while left > 0:
        left -= sys.stdout.buffer.write(chunk[:left])
    sys.stdout.buffer.flush()


def _tool(scene: Scene, step: Step) -> None:
    _event("tool", name=step["tool"], **{key: step[key] for key in ("input",) if key in step})


def _cost(scene: Scene, step: Step) -> None:
    _event("cost", usd=step["cost"], tokens=step.get("tokens"))


def _fail(scene: Scene, step: Step) -> NoReturn:
    _event("failure", **{"class": step["fail"], "reset_in": step.get("reset_in")})
    raise SystemExit(1)


def _exit(scene: Scene, step: Step) -> NoReturn:
    raise SystemExit(step["exit"])


def _signal(scene: Scene, step: Step) -> None:
    os.kill(os.getpid(), step["signal"])


def _ignore_signals(scene: Scene, step: Step) -> None:
    for number in _DEAF:
        signal.signal(number, signal.SIG_IGN)


_ACTIONS: Mapping[str, Callable[[Scene, Step], None]] = {
    "print": _print,
    "stderr": _stderr,
    "write": _write,
    "append": _append,
    "delete": _delete,
    "patch": _patch,
    "prd": _prd,
    "notes": _notes,
    "progress": _progress,
    "run": _run,
    "commit": _commit,
    "checkout": _checkout,
    "expect": _expect,
    "stuck": _stuck,
    "save-prompt": _save_prompt,
    "sleep": _sleep,
    "spawn": _spawn,
    "bytes": _bytes,
    "tool": _tool,
    "cost": _cost,
    "fail": _fail,
    "exit": _exit,
    "signal": _signal,
    "ignore-signals": _ignore_signals,
}
