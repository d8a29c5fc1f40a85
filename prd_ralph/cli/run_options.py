"""The options of `prd-ralph run`, each with its help."""

from typing import Annotated

import typer

Agent = Annotated[str | None, typer.Option(metavar="NAME", help="The agent: see prd-ralph agents.")]
AgentCommand = Annotated[
    str | None, typer.Option(metavar="CMD", help="Any command as the agent; the prompt is on its stdin.")
]
Model = Annotated[str | None, typer.Option(metavar="M", help="The model, in the agent's own words.")]
Check = Annotated[
    list[str] | None, typer.Option(metavar="CMD", help="A command that must exit 0 for every story. Repeatable.")
]
Only = Annotated[list[str] | None, typer.Option(metavar="ID", help="Only this story. Repeatable.")]
Skip = Annotated[list[str] | None, typer.Option(metavar="ID", help="Not this story. Repeatable.")]
Once = Annotated[bool, typer.Option("--once", help="Stop after one iteration.")]
MaxAttempts = Annotated[str | None, typer.Option(metavar="N", help="Attempts a story. Default: 3.")]
MaxIterations = Annotated[
    str | None, typer.Option(metavar="N", help="Agent starts. Default: open stories × attempts + 20.")
]
MaxTime = Annotated[str | None, typer.Option(metavar="DUR", help="For the whole run. Default: 24h.")]
MaxCost = Annotated[str | None, typer.Option(metavar="USD", help="US dollars for the whole run. Default: no cap.")]
MaxCostPerStory = Annotated[str | None, typer.Option(metavar="USD", help="US dollars for one story.")]
MaxTokens = Annotated[str | None, typer.Option(metavar="N", help="Tokens for the whole run, read and written.")]
AssumeCost = Annotated[
    str | None, typer.Option(metavar="USD", help="What an attempt counts for whose cost is not known.")
]
OnLimit = Annotated[
    str | None, typer.Option(metavar="wait|stop", help="At the vendor's usage limit. Default: wait for its end.")
]
Worktree = Annotated[bool, typer.Option("--worktree", help="Work in a work tree of its own, beside the repository.")]
Supervised = Annotated[bool, typer.Option("--supervised", help="Start the run again when it dies or freezes.")]
Push = Annotated[bool, typer.Option("--push", help="Push the branch after each landing; never with force.")]
AcceptProposals = Annotated[
    str | None, typer.Option(metavar="N", help="Take up so many stories that agents propose. Default: none.")
]
Timeout = Annotated[str | None, typer.Option(metavar="DUR", help="For one attempt. Default: 1h.")]
IdleTimeout = Annotated[str | None, typer.Option(metavar="DUR", help="Without a sign of life; 0: off. Default: 30m.")]
CheckTimeout = Annotated[str | None, typer.Option(metavar="DUR", help="For one command. Default: 15m.")]
Baseline = Annotated[
    str | None,
    typer.Option(
        metavar="warn|skip|off",
        help="Where a story's commands are green already: warn, skip the agent, or off: don't look. Default: warn.",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse passes that are suspect or unproven.")]
VerifyIn = Annotated[
    str | None, typer.Option(metavar="tree|clean", help="Run the commands here, or in a fresh checkout.")
]
FailFast = Annotated[bool, typer.Option("--fail-fast", help="No more commands once one has failed.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done; start and change nothing.")]
