"""Settings: precedence, provenance, and every problem in one go."""

import os
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.agents import registry
from prd_ralph.config import filtered, load, render_default_toml, values
from prd_ralph.config.keys import KEYS, RESERVED, TABLES, Key
from prd_ralph.errors import ExitCode, Problem, ProblemsError, RalphError
from prd_ralph.model import Limits, Price, Selection


def write(root: Path, text: str | bytes) -> Path:
    file = root / "prd-ralph.toml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return root


def problems(root: Path, env: dict[str, str] | None = None, flags: dict[str, object] | None = None) -> list[Problem]:
    with pytest.raises(ProblemsError) as caught:
        load(root, env or {}, flags or {})
    assert caught.value.code is ExitCode.BAD_INPUT
    return list(caught.value.problems)


def test_nothing_given_is_the_finite_defaults(tmp_path: Path) -> None:
    settings = load(tmp_path, {"PATH": "/bin"}, {})
    assert settings.limits == Limits()
    assert settings.selection == Selection()
    assert settings.commit_message == "feat: {id} - {title}"
    assert {row.source for row in settings.rows()} == {"default"}
    assert [row.name for row in settings.rows()] == [key.name for key in KEYS]
    assert all(row.help for row in settings.rows())


def test_each_source_overrules_the_one_before_and_is_named(tmp_path: Path) -> None:
    write(tmp_path, "# mine\n\nmax_attempts = 4\nmax_iterations = 50\ntimeout = '10m'\n")
    settings = load(
        tmp_path,
        {"PRD_RALPH_MAX_ITERATIONS": "60", "PRD_RALPH_TIMEOUT": "20m"},
        {"timeout": "30m", "check_timeout": None},
    )
    assert (settings.max_attempts, settings.max_iterations, settings.timeout) == (4, 60, 1800.0)
    assert settings.sources["max_attempts"] == "prd-ralph.toml:3"
    assert settings.sources["max_iterations"] == "PRD_RALPH_MAX_ITERATIONS"
    assert settings.sources["timeout"] == "--timeout"
    assert settings.sources["check_timeout"] == "default"


def test_flags_that_were_not_given_overrule_nothing(tmp_path: Path) -> None:
    write(tmp_path, "strict = true\nonly = ['US-1']\nmodel = 'm'\n")
    settings = load(tmp_path, {"PRD_RALPH_MODEL": "", "PRD_RALPH_ONCE": " "}, {"strict": False, "only": (), "skip": []})
    assert (settings.strict, settings.only, settings.model, settings.once) == (True, ("US-1",), "m", False)


@given(st.integers(0, 400 * 86400 * 1000))
def test_a_time_is_written_as_it_is_read(milliseconds: int) -> None:
    assert values.duration_or_off(values.written(milliseconds / 1000)) == pytest.approx(milliseconds / 1000)


@pytest.mark.parametrize(("seconds", "text"), [(0.0, "0"), (86400.0, "24h"), (5400.0, "1h30m"), (90.5, "1m30.5s")])
def test_how_times_are_written(seconds: float, text: str) -> None:
    assert values.written(seconds) == text


def test_examples_name_agents_that_exist() -> None:
    (agent,) = (key for key in KEYS if key.name == "agent")
    assert agent.example.strip('"') in registry.names()


def test_the_result_is_frozen(tmp_path: Path) -> None:
    settings = load(tmp_path, {}, {})
    with pytest.raises(AttributeError):
        settings.strict = True  # type: ignore[misc]
    with pytest.raises(TypeError):
        settings.sources["strict"] = "me"  # type: ignore[index]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90.0),
        ("90s", 90.0),
        ("15m", 900.0),
        ("2h", 7200.0),
        ("1d", 86400.0),
        ("1h30m", 5400.0),
        ("1d2h3m4s", 93784.0),
        ("0.5s", 0.5),
        ("1.5h", 5400.0),
        (" 2H ", 7200.0),
        (90, 90.0),
        (0.25, 0.25),
    ],
)
def test_durations(tmp_path: Path, text: object, seconds: float) -> None:
    assert load(tmp_path, {}, {"timeout": text}).timeout == seconds


BAD_DURATIONS = [
    "0",
    "-1",
    "abc",
    "nan",
    "inf",
    "1w",
    "h",
    "30m1h",
    "1 h",
    "9999999d",
    "1e9",
    "٣",
    True,
    0,
    -1,
    10**400,
]


@pytest.mark.parametrize("key", ["max_time", "timeout", "idle_timeout", "check_timeout"])
@pytest.mark.parametrize("raw", [*BAD_DURATIONS, float("nan"), float("inf"), [], {}])
def test_durations_without_end_or_sense_are_refused(tmp_path: Path, key: str, raw: object) -> None:
    if key == "idle_timeout" and raw in ("0", 0) and raw is not False:
        settings = load(tmp_path, {}, {key: raw})
        assert settings.idle_timeout == 0
        assert settings.limits.idle_s == 0
        return
    if raw == []:
        write(tmp_path, f"{key} = []\n")
        raw = None
    (problem,) = problems(tmp_path, flags={key: raw})
    assert "is no duration" in problem.message
    assert "15m" in problem.hint


@pytest.mark.parametrize("key", ["max_attempts", "max_iterations"])
@pytest.mark.parametrize("raw", ["0", "-1", "abc", "1.5", "nan", "inf", "9" * 5000, 0, -1, 1.0, True, "²"])
def test_counts_that_are_none_are_refused(tmp_path: Path, key: str, raw: object) -> None:
    (problem,) = problems(tmp_path, flags={key: raw})
    assert problem.message.startswith(f"--{key.replace('_', '-')}: ")
    assert "whole number from 1" in problem.hint
    assert len(problem.message) < 120


def test_large_counts_are_allowed(tmp_path: Path) -> None:
    assert load(tmp_path, {}, {"max_iterations": "1000000"}).max_iterations == 1_000_000


@given(st.text(max_size=12))
def test_a_duration_is_refused_or_finite_and_positive(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    root = tmp_path_factory.getbasetemp()
    try:
        seconds = load(root, {}, {"timeout": text}).timeout
    except ProblemsError:
        return
    assert 0 < seconds <= 3650 * 86400


def test_lists_from_everywhere(tmp_path: Path) -> None:
    write(tmp_path, 'never_stage = ["*.log", "tmp/**"]\nverification_commands = "npm test"\n')
    settings = load(
        tmp_path,
        {"PRD_RALPH_ONLY": "US-001, US-002", "PRD_RALPH_SKIP": '["a,b"]', "PRD_RALPH_CHECK": "true && x, y\n[ -f z ]"},
        {},
    )
    assert settings.never_stage == ("*.log", "tmp/**")
    assert settings.verification_commands == ("npm test",)
    assert settings.selection == Selection(("US-001", "US-002"), ("a,b",))
    assert settings.check == ("true && x, y", "[ -f z ]")


def test_commands_stay_as_they_are_in_prd_json(tmp_path: Path) -> None:
    write(tmp_path, 'verification_commands = ["a", ["b", "c"], {run = "d", timeout = 5}]\n')
    assert load(tmp_path, {}, {}).verification_commands == ("a", ["b", "c"], {"run": "d", "timeout": 5})
    assert load(tmp_path, {"PRD_RALPH_VERIFICATION_COMMANDS": '[["x", "y"]]'}, {}).verification_commands == (
        ["x", "y"],
    )
    assert load(tmp_path, {}, {"check": ("one", "two")}).check == ("one", "two")


@pytest.mark.parametrize("value", ["[3]", "['']", "['  ']", "[[]]", "[{}]", "true", "3"])
def test_what_is_no_command_is_refused(tmp_path: Path, value: str) -> None:
    (problem,) = problems(write(tmp_path, f"verification_commands = {value}\n"))
    assert (problem.file, problem.line) == ("prd-ralph.toml", 1)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("model = 3", "no text"),
        ("model = ' '", "no text"),
        ('model = "a\\u001bb"', "no text"),
        ("strict = 'maybe'", "no switch"),
        ("strict = 1", "no switch"),
        ("only = [1]", "no text"),
        ("only = 3", "no list"),
        ("commit_message = 'feat: {story}'", "other braces"),
        ("commit_message = '{id.__class__}'", "other braces"),
        ("commit_message = '{id'", "other braces"),
        (f"model = {['x' * 999]}", "no text"),
    ],
)
def test_wrong_values_are_refused_with_their_line(tmp_path: Path, line: str, word: str) -> None:
    (problem,) = problems(write(tmp_path, f"\n{line}\n"))
    assert word in problem.message
    assert (problem.file, problem.line) == ("prd-ralph.toml", 2)
    assert problem.hint
    assert len(problem.message) < 150


@pytest.mark.parametrize("word", ["true", "1", "YES", "on"])
def test_switches_in_the_environment(tmp_path: Path, word: str) -> None:
    write(tmp_path, "fail_fast = true\n")
    settings = load(tmp_path, {"PRD_RALPH_STRICT": word, "PRD_RALPH_FAIL_FAST": "off"}, {})
    assert (settings.strict, settings.fail_fast) == (True, False)


def test_all_problems_of_all_sources_come_in_one_go(tmp_path: Path) -> None:
    write(tmp_path, "verfiy = 'x'\nmax_attempts = 0\ntimeout = 'abc'\n")
    found = problems(tmp_path, {"PRD_RALPH_TIMEUOT": "5", "PRD_RALPH_STRICT": "perhaps"}, {"max_iterations": "-1"})
    texts = "\n".join(map(str, found))
    assert len(found) == 6
    assert "prd-ralph.toml:1: unknown key 'verfiy'" in texts
    assert "prd-ralph.toml:2: max_attempts: 0 is no count" in texts
    assert 'prd-ralph.toml:3: timeout: "abc" is no duration' in texts
    assert "unknown environment variable PRD_RALPH_TIMEUOT\n  hint: did you mean PRD_RALPH_TIMEOUT?" in texts
    assert 'PRD_RALPH_STRICT: "perhaps" is no switch' in texts
    assert '--max-iterations: "-1" is no count' in texts


def test_a_value_that_is_overruled_must_be_right_all_the_same(tmp_path: Path) -> None:
    assert len(problems(write(tmp_path, "timeout = 'abc'\n"), flags={"timeout": "5m"})) == 1


def test_unknown_keys_suggest_or_list(tmp_path: Path) -> None:
    found = problems(write(tmp_path, "max_atempts = 3\n[zzz]\nprd = 'x'\n"))
    assert found[0].hint == "did you mean max_attempts?"
    assert (found[1].line, "known are: prd, agent" in found[1].hint) == (2, True)


def test_reserved_variables_are_no_config(tmp_path: Path) -> None:
    load(tmp_path, dict.fromkeys(RESERVED, "x"), {})
    (problem,) = problems(write(tmp_path, "script = 'x'\n"))
    assert "unknown key" in problem.message


def test_lines_are_those_of_statements(tmp_path: Path) -> None:
    write(
        tmp_path,
        'verification_commands = [\n  """\ntimeout = 1\n""",\n]\r\n"timeout" = "abc"\n\'strict\' = 3\n'
        '"mod\\u0065l" = 3\n[table]\nmax_attempts = 0\n',
    )
    found = {problem.message.split(":")[0]: problem.line for problem in problems(tmp_path)}
    assert found == {"timeout": 6, "strict": 7, "model": None, "unknown key 'table'": 9}


def test_a_key_whose_line_is_not_found_has_the_file_as_its_source(tmp_path: Path) -> None:
    assert load(write(tmp_path, '"mod\\u0065l" = "m"\n'), {}, {}).sources["model"] == "prd-ralph.toml"


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b"a = 1\nb = \n", 2, "is not TOML"),
        (b"once = true\nonce = false\n", 2, "is not TOML"),
        (b"\n\na = [1,\n", 3, "is not TOML"),
        (b"\n\nmodel = '\xff'\n", 3, "is not UTF-8"),
        (b"a = " + b"[" * 9999, None, "nested too deeply"),
    ],
)
def test_files_that_cannot_be_parsed(tmp_path: Path, data: bytes, line: int | None, words: str) -> None:
    (problem,) = problems(write(tmp_path, data))
    assert words in problem.message
    assert (problem.file, problem.line) == ("prd-ralph.toml", line)


def test_a_broken_file_does_not_hide_other_problems(tmp_path: Path) -> None:
    assert len(problems(write(tmp_path, "=\n"), {"PRD_RALPH_TIMEOUT": "0"})) == 2


def test_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    assert load(write(tmp_path, b"\xef\xbb\xbfonce = true\r\n"), {}, {}).once


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder" / "prd-ralph.toml").mkdir(parents=True)
    assert "is a folder" in problems(tmp_path / "folder")[0].message
    (tmp_path / "fifo").mkdir()
    os.mkfifo(tmp_path / "fifo" / "prd-ralph.toml")
    assert "no regular file" in problems(tmp_path / "fifo")[0].message
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "prd-ralph.toml").symlink_to("nowhere")
    assert "cannot be read" in problems(tmp_path / "link")[0].message


def test_the_agent_of_higher_rank_wins(tmp_path: Path) -> None:
    write(tmp_path, "agent = 'claude'\n")
    settings = load(tmp_path, {}, {"agent_command": "./mine"})
    assert (settings.agent, settings.agent_command) == (None, "./mine")
    assert settings.sources["agent"] == "overruled by --agent-command"
    settings = load(tmp_path, {"PRD_RALPH_AGENT_COMMAND": "./mine"}, {"agent": "codex"})
    assert (settings.agent, settings.agent_command) == ("codex", None)


def test_several_agents_are_outranked_as_one_is(tmp_path: Path) -> None:
    write(tmp_path, "agents = ['claude', 'command']\nagent_command = './mine'\n")
    settings = load(tmp_path, {}, {})
    assert (settings.agents, settings.agent, settings.agent_command) == (("claude", "command"), None, "./mine")
    assert settings.first_agent == "claude"
    settings = load(tmp_path, {}, {"agent": "codex"})
    assert (settings.agents, settings.agent, settings.agent_command) == ((), "codex", None)
    assert settings.sources["agents"] == "overruled by --agent"
    settings = load(tmp_path, {}, {"agent_command": "./other"})
    assert (settings.agents, settings.agent, settings.agent_command) == ((), None, "./other")
    settings = load(tmp_path, {"PRD_RALPH_AGENTS": "codex"}, {})
    assert (settings.agents, settings.agent_command) == (("codex",), None)
    settings = load(tmp_path, {"PRD_RALPH_AGENTS": "[]", "PRD_RALPH_AGENT": "codex"}, {})
    assert (settings.agents, settings.first_agent, settings.agent_command) == ((), "codex", None)


@pytest.mark.parametrize("other", ["agent = 'claude'", "agent_command = './mine'"])
def test_several_agents_and_one_of_the_same_rank_are_a_problem(tmp_path: Path, other: str) -> None:
    write(tmp_path, f"agents = ['claude', 'codex']\n{other}\n")
    (problem,) = problems(tmp_path)
    told = f"agents (prd-ralph.toml:1) and {other.split()[0]} (prd-ralph.toml:2) are both given"
    assert problem.message == told
    assert '"command" in agents' in problem.hint


def test_two_agents_of_one_rank_are_a_problem(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, flags={"agent": "codex", "agent_command": "./mine"})
    assert problem.message == "--agent and --agent-command are both given"


def examples() -> dict[str, str]:
    """What the written file shows for each key, in its order."""
    found: dict[str, str] = {}
    table = ""
    for line in render_default_toml().split("\n"):
        if header := re.fullmatch(r"\[(\w+)\]", line):
            table = f"{header[1]}."
        elif shown := re.fullmatch(r"# (\w+) = (.*)", line):
            found[table + shown[1]] = shown[2]
    return found


def test_the_written_file_is_all_comments_and_names_every_key() -> None:
    assert tomllib.loads(render_default_toml()) == {table: {} for table in TABLES}
    assert list(examples()) == [key.name for key in KEYS]


def test_the_written_file_shows_the_defaults(tmp_path: Path) -> None:
    names = {key.name for key in KEYS if key.default is not None}
    write(tmp_path, "\n".join(f"{name} = {shown}" for name, shown in examples().items() if name in names))
    settings = load(tmp_path, {}, {})
    for row, key in zip(settings.rows(), KEYS, strict=True):
        assert row.value == key.default
        assert (row.source == "default") == (key.name not in names)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_example_can_be_used(tmp_path: Path, key: Key) -> None:
    write(tmp_path, f"{key.name} = {examples()[key.name]}\n")
    assert load(tmp_path, {}, {}).sources[key.name] == "prd-ralph.toml:1"


def test_chosen_values_are_set(tmp_path: Path) -> None:
    text = render_default_toml({"agent_command": 'say "é 😀"', "max_attempts": 5, "strict": True})
    settings = load(write(tmp_path, text), {}, {})
    assert (settings.agent_command, settings.max_attempts, settings.strict) == ('say "é 😀"', 5, True)


# --- tables ---


@pytest.mark.parametrize(
    "text",
    ["\n[env]\nexclude = ['A_*']\npass = ['A_B']\n", "\n\nenv.exclude = ['A_*']\nenv . 'pass' = ['A_B']\n"],
)
def test_a_key_of_a_table(tmp_path: Path, text: str) -> None:
    settings = load(write(tmp_path, text), {}, {})
    assert (settings.env_exclude, settings.env_pass, settings.check_env_exclude) == (("A_*",), ("A_B",), ())
    assert (settings.sources["env.exclude"], settings.sources["env.pass"]) == ("prd-ralph.toml:3", "prd-ralph.toml:4")


def test_an_inline_table_is_one_line(tmp_path: Path) -> None:
    settings = load(write(tmp_path, "\ncheck_env = {exclude = ['A'], pass = []}\n"), {}, {})
    assert (settings.check_env_exclude, settings.sources["check_env.exclude"]) == (("A",), "prd-ralph.toml:2")


def test_tables_from_the_environment(tmp_path: Path) -> None:
    write(tmp_path, "[env]\nexclude = ['OLD']\n[autonomy]\nclaude = ['--old']\n")
    env = {
        "PRD_RALPH_ENV_EXCLUDE": "A_*, *_B",
        "PRD_RALPH_CHECK_ENV_PASS": '["X"]',
        "PRD_RALPH_AUTONOMY_CLAUDE": '["--allowedTools", "Bash,Edit"]',
        "PRD_RALPH_AUTONOMY_CODEX": "[]",
    }
    settings = load(tmp_path, env, {})
    assert (settings.env_exclude, settings.check_env_pass) == (("A_*", "*_B"), ("X",))
    assert (settings.autonomy_claude, settings.autonomy_codex) == (("--allowedTools", "Bash,Edit"), ())
    assert settings.sources["env.exclude"] == "PRD_RALPH_ENV_EXCLUDE"


def test_unset_and_empty_autonomy_are_not_the_same(tmp_path: Path) -> None:
    settings = load(write(tmp_path, "[autonomy]\ncodex = []\n"), {}, {})
    assert (settings.autonomy_claude, settings.autonomy_codex) == (None, ())


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ("[env]\n\nexlude = []\n", 3, "unknown key 'env.exlude'", "did you mean env.exclude?"),
        ("once = true\nenv = 3\n", 2, "env: 3 is no table", "write [env], and its keys below it: env.exclude"),
        ("[[env]]\nexclude = []\n", 1, "is no table", "write [env]"),
        ("[strict]\na = 1\n", 1, "is no switch", "true or false"),
        ("agent = {name = 'x'}\n", 1, "is no text", "one line"),
        ("[env]\nexclude = 3\n", 2, "env.exclude: 3 is no list", "array"),
        ("env.pass.deep = ['x']\n", 1, "is no list", "array"),
        ("\n[env.pass]\nexclude = []\n", 2, "is no list", "array"),
        ("[env]\nexclude = []\nstrict = true\n", 3, "unknown key 'env.strict'", "strict is no key of a table"),
        ("exclude = []\n", 1, "unknown key 'exclude'", "did you mean env.exclude?"),
        ("[enw]\nexclude = []\n", 1, "unknown key 'enw'", ""),
        ('[env]\nexclude = ["""\n[autonomy]\nclaude = 3\n"""]\n', 2, "env.exclude: ", "control characters"),
    ],
)
def test_tables_that_are_not_right(tmp_path: Path, text: str, line: int, message: str, hint: str) -> None:
    (problem,) = problems(write(tmp_path, text))
    assert (problem.file, problem.line) == ("prd-ralph.toml", line)
    assert message in problem.message
    assert hint in problem.hint


def test_chosen_lists_are_set_in_their_table(tmp_path: Path) -> None:
    text = render_default_toml({"agent": "codex", "autonomy.claude": ("--a", 'b"c'), "env.exclude": []})
    settings = load(write(tmp_path, text), {}, {})
    assert (settings.agent, settings.autonomy_claude, settings.autonomy_codex) == ("codex", ("--a", 'b"c'), None)
    assert settings.sources["env.exclude"].startswith("prd-ralph.toml:")


# --- what is kept of the environment ---


def test_what_is_excluded_and_passed_after_all() -> None:
    env = {"AWS_KEY": "1", "AWS_REGION": "2", "DB_SECRET": "3", "db_secret": "4", "PATH": "5", "PRD_RALPH_SCRIPT": "6"}
    assert filtered(env, ["AWS_*", "*_SECRET"], ["AWS_R*"]).keys() == env.keys() - {"AWS_KEY", "DB_SECRET"}
    assert filtered(env, ["*"], ["PATH"]).keys() == {"PATH", "PRD_RALPH_SCRIPT"}
    assert filtered(env, [], ["X"]) == env


@given(st.dictionaries(st.text(max_size=4), st.text()), st.lists(st.text(max_size=3)), st.lists(st.text(max_size=3)))
def test_nothing_is_added_and_what_is_passed_stays(env: dict[str, str], exclude: list[str], passed: list[str]) -> None:
    left = filtered(env, exclude, passed)
    assert left.items() <= env.items()
    assert filtered(left, exclude, passed) == left
    assert filtered(env, exclude, ["*"]) == env


def test_a_flag_and_its_value_are_two(tmp_path: Path) -> None:
    (tmp_path / "prd-ralph.toml").write_text('[autonomy]\nclaude = ["--permission-mode acceptEdits"]\n')
    with pytest.raises(RalphError) as caught:
        load(tmp_path, {}, {})
    (problem,) = caught.value.problems
    assert problem.line == 2
    assert problem.hint == 'write "--permission-mode", "acceptEdits"'
    (tmp_path / "prd-ralph.toml").write_text('[autonomy]\nclaude = ["--x=a b", "Bash(git log)"]\n')
    assert load(tmp_path, {}, {}).autonomy_claude == ("--x=a b", "Bash(git log)")


# --- prices ---------------------------------------------------------------------------------------


def test_prices_by_model_are_read_from_tables_and_from_the_environment(tmp_path: Path) -> None:
    write(
        tmp_path,
        '[prices."gpt-5.6"]\ninput = 4\noutput = 24.0\ncached = 0.4\n\n[prices.local]\ninput = 1\noutput = 2\n',
    )
    settings = load(tmp_path, {}, {})
    # What is read from a cache costs as much as the rest where nothing else is said.
    assert settings.price_table == {"gpt-5.6": Price(4.0, 24.0, 0.4), "local": Price(1.0, 2.0, 1.0)}
    assert settings.sources["prices"] == "prd-ralph.toml:1"
    given = load(tmp_path, {"PRD_RALPH_PRICES": '{"m": {"input": 1, "output": 0}}'}, {})
    assert given.price_table == {"m": Price(1.0, 0.0, 1.0)}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[prices.a]\ninput = 1\noutput = 2\n[prices.b]\ninput = -1\noutput = 2\n", 4, 'input of "b": -1 is no price'),
        ("[prices.a]\ninput = nan\noutput = 2\n", 1, 'input of "a": NaN is no price'),
        ("[prices.a]\ninput = true\noutput = 2\n", 1, 'input of "a": true is no price'),
        ("\n[prices.a]\ninput = 1\n", 2, '"a" has no output'),
        ('[prices."a.b"]\ninput = 1\noutput = 2\ncache = 3\n', 1, "unknown key 'cache' of \"a.b\""),
        ("[prices]\na = 3\n", 2, '3 is no price of "a"'),
        ("prices = 3\n", 1, "3 is no table"),
    ],
)
def test_prices_that_are_none_are_told_with_their_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    (problem,) = problems(write(tmp_path, text))
    assert problem.line == line
    assert said in problem.message
    assert problem.hint


def test_prices_that_are_no_json_are_refused(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, {"PRD_RALPH_PRICES": "cheap"})
    assert problem.message == 'PRD_RALPH_PRICES: "cheap" is no table'
