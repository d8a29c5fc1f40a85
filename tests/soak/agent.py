"""The soak's agent, a program of its own: does what the plan says for this start of this story's agent.

Arguments: the plan (JSON: by story, what its agents do, one start after the other), and the folder of notes outside of
the repository: `starts`, a line a start, is what the ledger is held against.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

LIMIT = "You've hit your session limit"
RESET = "Claude usage limit reached. Your limit will reset at 7pm (Asia/Tokyo)."
OVERLOADED = 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
NETWORK = "API Error: Connection error (ECONNREFUSED)"
ROOM = 256 << 20


def main(plan: Path, notes: Path) -> None:
    story = os.environ["PRD_RALPH_STORY_ID"]
    sys.stdin.read()
    with (notes / "starts").open("a") as file:
        file.write(f"{story}\n")
    starts = (notes / "starts").read_text().split().count(story)
    kinds = json.loads(plan.read_text())[story]
    kind = kinds[min(starts, len(kinds)) - 1]
    # Work of its own in each start: what fails in the same way with the same work would rightly be set aside.
    work = Path("work") / f"{story}.txt"
    work.parent.mkdir(exist_ok=True)
    with work.open("a") as file:
        file.write(f"start {starts}: {kind}\n")
    do(kind, story, notes)


def do(kind: str, story: str, notes: Path) -> None:
    match kind:
        case "pass":
            done = Path("done") / story
            done.parent.mkdir(exist_ok=True)
            done.write_text("done\n")
        case "fail":
            print("I believe that this is done. <promise>COMPLETE</promise>")
        case "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        case "hang":
            time.sleep(99999)
        case "limit":
            fail(LIMIT)
        case "limit-reset":
            fail(RESET)
        case "overloaded":
            fail(OVERLOADED)
        case "network":
            fail(NETWORK)
        case "memory":
            resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
            kept = [bytearray(16 << 20) for _ in range(1000)]
            print(len(kept))
        case "daemon":
            leave_behind(notes)
        case "chatter":
            for _ in range(40):
                sys.stdout.write("x" * (100 << 10) + "\n")
        case "commit":
            subprocess.run(["git", "add", "-A"], check=True)
            subprocess.run(["git", "commit", "-qm", f"{story}: all done"], check=True)
        case "lost":
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(99999)
        case "kill-runner":
            os.kill(runner(), signal.SIGKILL)
            time.sleep(99999)
        case "freeze-runner":
            os.kill(runner(), signal.SIGSTOP)
            time.sleep(99999)
        case "disk-full":
            # Who fills the disk is somebody else: the soak, when it sees this file.
            (notes / "disk-full").touch()
            while not (notes / "disk-is-full").exists():
                time.sleep(0.05)
            print("no room left")


def fail(words: str) -> None:
    print(words, file=sys.stderr)
    sys.exit(1)


def leave_behind(notes: Path) -> None:
    """A server in a session of its own, forked twice, deaf to TERM."""
    script = f"trap '' TERM HUP; echo $$ >> {notes}/daemons; while :; do sleep 1; done"
    subprocess.Popen(["setsid", "sh", "-c", f'sh -c "{script}" >/dev/null 2>&1 &'])


def runner() -> int:
    """The pid of the prd-ralph that holds the lock."""
    common = subprocess.run(
        ["git", "rev-parse", "--git-common-dir"], capture_output=True, text=True, check=True
    ).stdout.strip()
    return int(json.loads((Path(common) / "prd-ralph" / "lock-main").read_text())["pid"])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
