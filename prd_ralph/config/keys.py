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
        "The agent by name (see `prd-ralph agents`), or agent_command.",
    ),
    Key(
        "agent_command",
        values.text,
        None,
        '"my-agent --stdin"',
        "Any command as the agent, instead of a name. It gets the prompt on stdin, unless {prompt_file} or {prompt} "
        "stands in it.",
    ),
    Key("model", values.text, None, '"some-model"', "The model, in the agent's own words. Unset: the agent's default."),
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
RESERVED = frozenset(f"PRD_RALPH_{name}" for name in ("ATTEMPT", "STORY_ID", "SCRIPT", "FAULT", "CLI_DIR"))
