"""What prd-ralph costs: time per iteration beside a plain bash loop that does the same.

Both give a prompt to the same stub agent, run a story's command, flip its flag, add and commit, for 20 one-file
stories in fresh repositories, taking turns; both then run once more with nothing left to do, and this start-up is no
part of an iteration (it is shown apart). Exit 1 when the ratio of the medians is over the limit, 2 when one of the two
did not do its work. Run by `make bench`; pytest does not collect it.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

STORIES = 20
ROUNDS = 5
LIMIT = 2.5
TIMEOUT_S = 300

AGENT = """\
cat >/dev/null
mkdir -p out
echo done >"out/$PRD_RALPH_STORY_ID.txt"
"""

LOOP = """\
set -eu
for id in "$@"; do
  printf 'Do the story %s of prd.json.\\n' "$id" | PRD_RALPH_STORY_ID=$id sh "$AGENT"
  if bash -o pipefail -c "test -f out/$id.txt"; then
    sed "/\\"id\\": \\"$id\\"/,/\\"passes\\"/s/\\"passes\\": false/\\"passes\\": true/" prd.json >prd.tmp
    mv prd.tmp prd.json
    git add -A
    git commit -q -m "feat: $id"
  fi
done
"""

Command = list[str]


class BenchError(Exception):
    """One of the two did not do its work; the message is its output."""


def main() -> int:
    """Runs the rounds and prints the medians."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--stories", type=int, default=STORIES)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="prd-ralph-bench-") as folder:
        try:
            ours, theirs = measure(Path(folder), args.rounds, args.stories)
        except BenchError as error:
            print(error, file=sys.stderr)
            return 2
    mine, bash = (Times.median(times) for times in (ours, theirs))
    ratio = mine.iteration / bash.iteration
    print(f"prd-ralph  {mine.iteration * 1000:6.1f} ms per iteration, {mine.start * 1000:6.1f} ms to start")
    print(f"bash loop  {bash.iteration * 1000:6.1f} ms per iteration, {bash.start * 1000:6.1f} ms to start")
    print(f"ratio      {ratio:6.2f} (at most {LIMIT}; medians of {args.rounds} rounds)")
    all_in = mine.all_in(args.stories) / bash.all_in(args.stories)
    print(f"with start-up, over {args.stories} iterations: {all_in:.2f}")
    return 1 if ratio > LIMIT else 0


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds: to start and find nothing to do, and for one iteration."""

    start: float
    iteration: float

    @classmethod
    def median(cls, times: list["Times"]) -> "Times":
        return cls(statistics.median(each.start for each in times), statistics.median(each.iteration for each in times))

    def all_in(self, stories: int) -> float:
        return self.start + self.iteration * stories


def measure(folder: Path, rounds: int, stories: int) -> tuple[list[Times], list[Times]]:
    """The times of prd-ralph and of the loop, a value a round."""
    agent, loop = folder / "agent.sh", folder / "loop.sh"
    agent.write_text(AGENT, encoding="utf-8")
    loop.write_text(LOOP, encoding="utf-8")
    (folder / ".gitconfig").write_text("[user]\nname = Bench\nemail = bench@example.invalid\n", encoding="utf-8")
    ids = [f"US-{number:03}" for number in range(1, stories + 1)]
    env = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "PRD_RALPH_", "XDG_"))}
    # What the loop does not do is left out: looking before and after the story's own verdict.
    off = {"PRD_RALPH_BASELINE": "off", "PRD_RALPH_REGRESSIONS": "off"}
    env |= {"HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", "AGENT": str(agent)} | off
    ours = [sys.executable, "-m", "prd_ralph", "run", "--agent-command", f"sh {agent}"]
    theirs = ["bash", str(loop), *ids]
    nothing = ["bash", str(loop)]
    times: tuple[list[Times], list[Times]] = ([], [])
    for turn in range(rounds):
        for command, again, taken, name in ((ours, ours, times[0], "ours"), (theirs, nothing, times[1], "theirs")):
            root = make_repository(folder / f"{name}-{turn}", ids, env)
            whole = run(command, root, env, ids)
            start = run(again, root, env, ids)
            taken.append(Times(start, (whole - start) / stories))
    return times


def make_repository(root: Path, ids: list[str], env: dict[str, str]) -> Path:
    """A fresh repository whose one commit holds prd.json."""
    stories = [
        {"id": name, "title": f"Write {name}", "verificationCommands": [f"test -f out/{name}.txt"], "passes": False}
        for name in ids
    ]
    root.mkdir()
    (root / "prd.json").write_text(json.dumps({"project": "bench", "userStories": stories}, indent=2) + "\n")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        subprocess.run(["git", *command], cwd=root, env=env, check=True)
    return root


def run(command: Command, root: Path, env: dict[str, str], ids: list[str]) -> float:
    """How many seconds the command took. Raises BenchError unless each story passes, by a commit each."""
    began = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=root,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    seconds = time.perf_counter() - began
    passing = sum(story["passes"] for story in json.loads((root / "prd.json").read_text())["userStories"])
    log = subprocess.run(["git", "log", "--format=%s"], cwd=root, env=env, check=True, capture_output=True, text=True)
    landed = sum(subject.startswith("feat: ") for subject in log.stdout.splitlines())
    if done.returncode or passing != len(ids) or landed != len(ids):
        raise BenchError(
            f"{' '.join(command[:4])}: exit {done.returncode}, {passing} pass, {landed} landed\n{done.stdout}"
        )
    return seconds


if __name__ == "__main__":
    sys.exit(main())
