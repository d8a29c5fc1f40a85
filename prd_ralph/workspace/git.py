"""Runs git. Every command that could run a hook, a filter or a prompt goes through the process port.

Plumbing runs hooks too, so they are off here, and so is whatever an agent may have set to hide a change;
the one place where the person's hooks run is `commit`.
"""

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from prd_ralph.errors import ExitCode, RalphError
from prd_ralph.model import PRIVATE_VARIABLES, ProcessEnd, ProcessResult
from prd_ralph.ports import Processes, ProcessRequest

# A commit would start housekeeping in the background, which our sweep would meet.
_ALONE = ("-c", "gc.auto=0", "-c", "maintenance.auto=false")
_PLUMBING = (
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.trustctime=true"),
    *("-c", "core.checkStat=default"),
    *_ALONE,
)
_INHERITED = frozenset(
    {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX"}
)
_LIMIT_S = 600.0
# As the system says it, and git itself (csum-file.c).
_FULL = re.compile(r"No space left on device|Out of diskspace|Disk quota exceeded", re.IGNORECASE)
_ANSWER_LIMIT = 256 << 20


class GitError(RalphError):
    """A git command failed where it should not; `status` and `stderr` are git's."""

    def __init__(self, args: Iterable[str], result: ProcessResult) -> None:
        said = result.stderr.decode("utf-8", "replace").strip() or result.error or str(result.end)
        command = next((arg for arg in args if not arg.startswith("-")), "")
        why, hint = (
            f"failed ({result.exit_code}): {_verdict(said)}",
            "run the command by hand in the repository to see more",
        )
        if _FULL.search(said):
            why, hint = "could not write: disk full", "make room, then run again: the run goes on"
        super().__init__(f"git {command} {why}", hint, ExitCode.ENVIRONMENT)
        self.status = result.exit_code
        self.stderr = said


def _verdict(said: str) -> str:
    """The line that says what was wrong: advice may stand before and after it."""
    lines = said.splitlines() or [""]
    return next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1])


class Git:
    """git in one work tree, with the environment that the run was started with."""

    def __init__(self, processes: Processes, root: Path, env: Mapping[str, str]) -> None:
        self.root = root
        self.env = env
        self._processes = processes
        # Looked up once: a git that somebody puts in front of it later is not ours.
        self._program = shutil.which("git", path=env.get("PATH")) or "git"
        self._locale = {"LC_ALL": env.get("LC_ALL", "")}  # hooks speak the person's language
        # What a hook starts may be an agent's code.
        self._env = {key: value for key, value in env.items() if key not in _INHERITED | PRIVATE_VARIABLES} | {
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "LC_ALL": "C",
        }

    def __call__(
        self,
        *args: str,
        stdin: bytes = b"",
        index: Path | None = None,
        statuses: tuple[int, ...] = (0,),
        literal: bool = True,
    ) -> bytes:
        """Runs plumbing, hooks off, paths literal; its stdout. Raises GitError unless the status is in `statuses`."""
        result = self.result(*args, stdin=stdin, index=index, literal=literal)
        if result.end is not ProcessEnd.EXITED or result.exit_code not in statuses:
            raise GitError(args, result)
        return result.stdout

    def result(
        self,
        *args: str,
        stdin: bytes = b"",
        index: Path | None = None,
        limit_s: float = _LIMIT_S,
        literal: bool = True,
    ) -> ProcessResult:
        """The same, whatever the status. `literal=False` for the few commands that refuse to take paths so."""
        env = (
            self._env
            | {"GIT_LITERAL_PATHSPECS": "1" if literal else "0"}
            | ({"GIT_INDEX_FILE": str(index)} if index else {})
        )
        return self._run((self._program, *_PLUMBING, *args), env, stdin, limit_s=limit_s)

    def commit(
        self,
        message: str,
        *args: str,
        index: Path | None = None,
        config: Mapping[str, str] | None = None,
    ) -> ProcessResult:
        """`git commit` with exactly this message; the person's hooks run.

        A first signal of the person's waits until it is done. `config` overrides settings of the repository's.
        """
        own = tuple(part for key, value in (config or {}).items() for part in ("-c", f"{key}={value}"))
        argv = (self._program, *_ALONE, *own, "commit", "-q", "--cleanup=verbatim", "-F", "-", *args)
        # A hook may run an agent's code, which must not live on; but what signs (gpg-agent) is to be left alone.
        signed = self.result("config", "--type=bool", "--get", "commit.gpgsign").stdout.strip() == b"true"
        full = self._env | self._locale | ({"GIT_INDEX_FILE": str(index)} if index else {})
        return self._run(argv, full, message.encode("utf-8", "surrogateescape"), sweep=not signed)

    def push(self, *args: str, limit_s: float) -> ProcessResult:
        """`git push ARGS`; the person's hooks run, as it is their push. Nobody is asked for a password."""
        return self._run((self._program, *_ALONE, "push", *args), self._env | self._locale, b"", limit_s, sweep=True)

    def _run(
        self,
        argv: tuple[str, ...],
        env: Mapping[str, str],
        stdin: bytes,
        limit_s: float = _LIMIT_S,
        sweep: bool = False,
    ) -> ProcessResult:
        return self._processes.run(
            ProcessRequest(
                # As UTF-8 whatever the locale: a title or a branch may hold what that one cannot say.
                argv=tuple(os.fsdecode(arg.encode("utf-8", "surrogateescape")) for arg in argv),
                cwd=self.root,
                env=env,
                stdin=stdin or None,
                wall_s=limit_s,
                tail_limit=_ANSWER_LIMIT,
                separate=True,
                sweep=sweep,
                shielded=True,  # what the first signal ends is the agent or the check; git tidies up after it
            )
        )
