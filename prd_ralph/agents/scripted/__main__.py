"""The player: `python -m prd_ralph.agents.scripted [ATTEMPT]`, prompt on stdin, script in PRD_RALPH_SCRIPT.

Plays the steps of the story in PRD_RALPH_STORY_ID at that attempt (the first one, where none is given), in the
working folder. Its stdout is what the steps print, and a JSON object a line for what the adapter counts.
"""

import os
import signal
import sys
from pathlib import Path

from prd_ralph.agents.scripted.script import load_script
from prd_ralph.agents.scripted.steps import Scene, StepError, perform
from prd_ralph.errors import RalphError


def main(arguments: list[str]) -> int:
    """Exit status: 0, what a step says, 1 for a step that failed, 2 for a script that is none."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    prompt = sys.stdin.buffer.read()
    story = os.environ.get("PRD_RALPH_STORY_ID", "")
    attempt = int(arguments[0]) if arguments else 1
    try:
        script = load_script(Path(os.environ.get("PRD_RALPH_SCRIPT", "")))
    except RalphError as error:
        print(*error.problems, sep="\n", file=sys.stderr)
        return 2
    steps = script.steps(story, attempt)
    if not steps:
        print(f"nothing is scripted for {story or 'no story'}, attempt {attempt}", file=sys.stderr)
    for number, step in enumerate(steps, 1):
        try:
            perform(Scene(story, prompt, Path(script.prd)), step)
        except (StepError, OSError, ValueError) as error:
            print(f"step {number} of {story}, attempt {attempt}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
