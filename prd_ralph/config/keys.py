"""Every setting: its name, how it is read, what it is when nobody says, and what it is for."""

from dataclasses import dataclass

from prd_ralph.config import values


@dataclass(frozen=True, slots=True)
class Key:
    """`name` is the key in prd-ralph.toml; `PRD_RALPH_<NAME>` and `--name` say the same. `env.pass` stands in a table,
    is `PRD_RALPH_ENV_PASS`, and no flag.

    `example` is TOML: the default where there is one. `default` has been parsed.
    """

    name: str
    parse: values.Parser
    default: object
    example: str
    help: str

    @property
    def field(self) -> str:
        """Its name in `Settings`."""
        return self.name.replace(".", "_")

    @property
    def table(self) -> str:
        """The table that it stands in; "" at the top of the file."""
        return self.name.rpartition(".")[0]

    @property
    def variable(self) -> str:
        return f"PRD_RALPH_{self.field.upper()}"

    @property
    def is_time(self) -> bool:
        return self.parse in (values.duration, values.duration_or_off)

    @property
    def flag(self) -> str:
        return f"--{self.name.replace('_', '-')}"


KEYS = (
    Key("prd", values.text, None, '"prd.json"', "The prd.json to work on. Unset: looked for from here up."),
    Key(
        "agent",
        values.text,
        None,
        '"claude"',
        "The agent by name (see `prd-ralph agents`), or agent_command, or agents.",
    ),
    Key(
        "agent_command",
        values.text,
        None,
        '"my-agent --stdin"',
        "Any command as the agent, instead of a name. It gets the prompt on stdin, unless {prompt_file} or {prompt} "
        "stands in it.",
    ),
    Key(
        "agents",
        values.names,
        (),
        "[]",
        'Agents by name, the first choice first, as ["claude", "codex"]: the next works while those before it are '
        "limited or out of credit.",
    ),
    Key("model", values.text, None, '"some-model"', "The model, in the agent's own words. Unset: the agent's default."),
    Key(
        "escalate",
        values.names,
        (),
        "[]",
        'Models, the first choice first, as ["sonnet", "opus"]: a story whose attempts fail gets the next one.',
    ),
    Key("escalate_after", values.count, 1, "1", "Failed attempts of a story with one model before it gets the next."),
    Key(
        "verification_commands",
        values.commands,
        (),
        "[]",
        "Commands that must exit 0 for every story, beside the PRD's and the story's own; written as in prd.json.",
    ),
    Key("check", values.commands, (), "[]", "More commands for every story: what --check adds for one run."),
    Key("only", values.names, (), "[]", "Ids of the stories to work on. Empty: all."),
    Key("skip", values.names, (), "[]", "Ids of stories to leave alone."),
    Key("max_attempts", values.count, 3, "3", "Attempts a story gets in one run."),
    Key(
        "max_iterations",
        values.count,
        None,
        "100",
        "Agent starts in one run. Unset: open stories x attempts + 20.",
    ),
    Key("max_time", values.duration, 86400.0, '"24h"', "Time for the whole run."),
    Key(
        "max_cost",
        values.money,
        None,
        "10.00",
        "US dollars for the whole run. An agent whose cost nobody can tell is refused, unless assume_cost is set.",
    ),
    Key("max_cost_per_story", values.money, None, "2.50", "US dollars for one story in one run; then it is set aside."),
    Key("max_tokens", values.count, None, "5000000", "Tokens, read and written, for the whole run."),
    Key(
        "assume_cost",
        values.money,
        None,
        "0.50",
        "US dollars that an attempt counts for whose cost is not known.",
    ),
    Key(
        "prices",
        values.prices,
        {},
        "{}",
        "US dollars per million tokens, where prd-ralph knows no price of a model, or a wrong one: a table at the end "
        'of this file, [prices."some-model"], with input, output and cached.',
    ),
    Key(
        "on_limit",
        values.one_of("wait", "stop"),
        "wait",
        '"wait"',
        "At the vendor's usage limit: wait for its end, or stop the run.",
    ),
    Key(
        "max_wait",
        values.duration,
        21600.0,
        '"6h"',
        "The longest wait at once for the end of a usage limit; after it the agent is asked again.",
    ),
    Key(
        "max_transient",
        values.count,
        10,
        "10",
        "Failures in a row that pass by themselves (overload, network) before the run stops.",
    ),
    Key(
        "stall_after",
        values.count,
        2,
        "2",
        "Attempts in a row with the same work, the same failing commands and the same output: a stall.",
    ),
    Key(
        "on_stall",
        values.words("tell", "escalate", "set_aside", "stop"),
        ("tell", "escalate", "set_aside"),
        '["tell", "escalate", "set_aside"]',
        "What is done at a stall, one after the other: tell the agent, take the next model of escalate, set the story "
        "aside, stop the run.",
    ),
    Key(
        "loop_warn",
        values.count_or_off,
        3,
        "3",
        "An agent that makes the very same call so often in a row, changing nothing, is named. 0: never.",
    ),
    Key("loop_end", values.count_or_off, 6, "6", "So often: its attempt is ended. 0: never."),
    Key("timeout", values.duration, 3600.0, '"1h"', "Time for one attempt of the agent."),
    Key(
        "idle_timeout",
        values.duration_or_off,
        1800.0,
        '"30m"',
        "An agent that shows no sign of life for this long is ended. 0 turns this off; the timeout still holds.",
    ),
    Key("check_timeout", values.duration, 900.0, '"15m"', "Time for one verification command, where it sets none."),
    Key("once", values.switch, False, "false", "Stop after one iteration."),
    Key("fail_fast", values.switch, False, "false", "Leave out the other commands once one has failed."),
    Key(
        "strict",
        values.switch,
        False,
        "false",
        "Refuse passes that are suspect (after tampering, with no test run, with changed tests, on a second try) or "
        "unproven.",
    ),
    Key(
        "baseline",
        values.one_of("warn", "skip", "off"),
        "warn",
        '"warn"',
        "A story's commands run before its first attempt. Where they are green already: say so (warn), or take the "
        "story as done without an agent (skip). off: do not look, and call no pass proved.",
    ),
    Key(
        "regressions",
        values.one_of("refuse", "off"),
        "refuse",
        '"refuse"',
        "The commands of stories that passed before run again before each landing, and all of them at the end; what "
        "breaks one is refused. off: neither.",
    ),
    Key(
        "regression_time",
        values.duration,
        120.0,
        '"2m"',
        "Time for those commands before a landing. What does not fit comes first before the next one.",
    ),
    Key(
        "verify_in",
        values.one_of("tree", "clean"),
        "tree",
        '"tree"',
        "Where the commands run: in the work tree, or in a fresh checkout of what would land (clean), after `setup`.",
    ),
    Key(
        "hidden_checks",
        values.text,
        None,
        '"/home/me/hidden.toml"',
        "A file outside of the project with more commands by story, which no agent is told of.",
    ),
    Key("worktree", values.switch, False, "false", "Work in a work tree of its own beside the repository."),
    Key("supervised", values.switch, False, "false", "Start the run again when it dies or freezes."),
    Key("on_land", values.text, None, '"make deploy"', "A command that runs after each landing; it moves no flag."),
    Key("push", values.switch, False, "false", "Push the run's branch after each landing; never with force."),
    Key(
        "accept_proposals",
        values.count,
        None,
        "10",
        "Take up so many stories that agents propose, as stories of this run. Unset: they are listed at its end.",
    ),
    Key(
        "notify",
        values.names,
        (),
        "[]",
        "Where to send notices, as URLs of Apprise (pip install 'prd-ralph[notify]').",
    ),
    Key("notify_command", values.text, None, '"./tell.sh"', "A command that gets each notice as JSON on its stdin."),
    Key(
        "notify_on",
        values.words("finished", "stopped", "stuck", "waiting", "budget"),
        ("finished", "stopped", "stuck", "waiting", "budget"),
        '["finished", "stopped", "stuck", "waiting", "budget"]',
        "What notices are sent of.",
    ),
    Key(
        "commit_message",
        values.message,
        "feat: {id} - {title}",
        '"feat: {id} - {title}"',
        "The subject of a landing commit. {id} and {title} are the story's.",
    ),
    Key(
        "never_stage",
        values.names,
        (),
        "[]",
        "Globs of new files that no commit takes up, beside the built-in ones (.env, keys, node_modules).",
    ),
    Key(
        "env.exclude",
        values.names,
        (),
        "[]",
        'Globs of environment variables that the agent does not get, as "AWS_*" or "*_SECRET". Their case counts.',
    ),
    Key("env.pass", values.names, (), "[]", 'Globs of those that it gets all the same, as "AWS_REGION".'),
    Key(
        "check_env.exclude",
        values.names,
        (),
        "[]",
        'Globs of environment variables that the verification commands and `setup` do not get, as "*_API_KEY".',
    ),
    Key("check_env.pass", values.names, (), "[]", "Globs of those that they get all the same."),
    Key(
        "autonomy.claude",
        values.flags,
        None,
        '["--dangerously-skip-permissions"]',
        "The flags that let claude act without asking: with them it runs any command and changes any file that you "
        "could. Unset: prd-ralph's own; []: none.",
    ),
    Key(
        "autonomy.codex",
        values.flags,
        None,
        '["--dangerously-bypass-approvals-and-sandbox"]',
        "The same for codex: any command and any file, outside of its sandbox too.",
    ),
)
TABLES = tuple(dict.fromkeys(key.table for key in KEYS if key.table))
RESERVED = frozenset(
    f"PRD_RALPH_{name}"
    for name in (
        *("ATTEMPT", "STORY_ID", "LANDED", "SCRIPT", "FAULT", "CLOCK", "CLI_DIR"),
        *("SUPERVISOR", "FROZEN_S", "PAUSE_S"),
    )
)
