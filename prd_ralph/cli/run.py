"""`prd-ralph run`: the loop, from the command line."""

import os
from typing import Annotated

import typer

from prd_ralph.cli import run_options as options
from prd_ralph.cli.dry_run import dry_run as look_only
from prd_ralph.cli.options import AsJson, Prd
from prd_ralph.cli.project import look_at_project
from prd_ralph.cli.session import Show, session
from prd_ralph.cli.supervise import supervise
from prd_ralph.process.bond import VARIABLE, Bond

SHORT = "Work on the stories until they pass."
EXAMPLE = """Example: prd-ralph run --agent-command 'my-agent --yes' --max-attempts 2 --max-time 8h

For a night: prd-ralph run --supervised --worktree --max-cost 20 --agent claude"""

_NO_SETTINGS = frozenset({"dry_run", "as_json", "quiet", "verbose"})


def command(
    context: typer.Context,
    prd: Prd = None,
    agent: options.Agent = None,
    agent_command: options.AgentCommand = None,
    model: options.Model = None,
    check: options.Check = None,
    only: options.Only = None,
    skip: options.Skip = None,
    once: options.Once = False,
    max_attempts: options.MaxAttempts = None,
    max_iterations: options.MaxIterations = None,
    max_time: options.MaxTime = None,
    max_cost: options.MaxCost = None,
    max_cost_per_story: options.MaxCostPerStory = None,
    max_tokens: options.MaxTokens = None,
    assume_cost: options.AssumeCost = None,
    on_limit: options.OnLimit = None,
    timeout: options.Timeout = None,
    idle_timeout: options.IdleTimeout = None,
    check_timeout: options.CheckTimeout = None,
    baseline: options.Baseline = None,
    verify_in: options.VerifyIn = None,
    strict: options.Strict = False,
    fail_fast: options.FailFast = False,
    worktree: options.Worktree = False,
    supervised: options.Supervised = False,
    push: options.Push = False,
    accept_proposals: options.AcceptProposals = None,
    dry_run: options.DryRun = False,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the summary.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Also what the agent is seen to do.")] = False,
) -> int:
    """Run an agent on one story after another until their verification commands pass.

    DUR is 90, 90s, 15m, 2h or 1h30m.
    """
    flags = {name: value for name, value in context.params.items() if name not in _NO_SETTINGS}
    if dry_run:
        return look_only(look_at_project(flags), as_json)
    bond = Bond.of(os.environ)
    os.environ.pop(VARIABLE, None)  # it is this process's alone, and none of an agent's
    project = look_at_project(flags)
    if bond is None and project.settings.supervised and project.location:
        return supervise(project)
    return session(lambda: look_at_project(flags), Show(as_json=as_json, quiet=quiet, verbose=verbose), bond)
