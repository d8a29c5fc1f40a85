"""Where an agent would find a key or a login: seen and named, never read out."""

import json
import os
from pathlib import Path

import pytest

from prd_ralph.agents.login import KEYS, login_of

SECRET = "sk-never-to-be-shown"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".codex").mkdir()
    return tmp_path


def seen(name: str, home: Path, **env: str) -> str:
    found = login_of(name, {"HOME": str(home), **env}, home)
    assert SECRET not in found
    return found


@pytest.mark.parametrize(("name", "variable"), [(name, key) for name, keys in KEYS.items() for key in keys])
def test_a_variable(home: Path, name: str, variable: str) -> None:
    assert seen(name, home) == ""
    assert seen(name, home, **{variable: SECRET}) == variable
    for blank in ("", " ", "0"):
        assert seen(name, home, **{variable: blank}) == ""


@pytest.mark.parametrize(
    ("name", "variable", "file"),
    [("claude", "CLAUDE_CONFIG_DIR", ".credentials.json"), ("codex", "CODEX_HOME", "auth.json")],
)
def test_a_login(home: Path, tmp_path: Path, name: str, variable: str, file: str) -> None:
    (home / f".{name}" / file).write_text(SECRET)
    assert seen(name, home) == str(home / f".{name}" / file)
    assert seen(name, home, **{variable: "elsewhere"}) == ""
    (home / "elsewhere").mkdir()
    (home / "elsewhere" / file).write_text(SECRET)
    assert seen(name, home, **{variable: "elsewhere"}) == str(home / "elsewhere" / file)


def test_a_helper_and_a_key_in_the_settings_of_claude(home: Path) -> None:
    file = home / ".claude" / "settings.json"
    file.write_text(json.dumps({"env": {"ANTHROPIC_API_KEY": SECRET}}))
    assert seen("claude", home) == f"ANTHROPIC_API_KEY in {file}"
    file.write_text(json.dumps({"apiKeyHelper": f"echo {SECRET}"}))
    assert seen("claude", home) == f"apiKeyHelper in {file}"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"env": 3}', '{"apiKeyHelper": ""}', "[" * 100_000, "\xff"])
def test_settings_of_claude_that_say_nothing(home: Path, text: str) -> None:
    (home / ".claude" / "settings.json").write_text(text, encoding="latin-1")
    assert seen("claude", home) == ""


def test_a_provider_of_codex_has_its_own_key(home: Path) -> None:
    file = home / ".codex" / "config.toml"
    file.write_text('model_provider = "mine"\n[model_providers.mine]\nenv_key = "MY_KEY"\n')
    assert seen("codex", home, OPENAI_API_KEY=SECRET) == ""
    assert seen("codex", home, MY_KEY=SECRET) == f"MY_KEY, for the provider mine in {file}"
    file.write_text('model_provider = "mine"\n[model_providers.mine]\nname = "x"\n')
    assert "asks for no key" in seen("codex", home)
    file.write_text('model_provider = "mine"\n[model_providers.mine]\nrequires_openai_auth = true\n')
    assert seen("codex", home) == ""
    assert seen("codex", home, OPENAI_API_KEY=SECRET) == "OPENAI_API_KEY"


@pytest.mark.parametrize(
    "text", ["model_provider = ", 'model_provider = "openai"\n', "model_provider = 3\n", "a.b = 1"]
)
def test_a_config_of_codex_that_says_nothing(home: Path, text: str) -> None:
    (home / ".codex" / "config.toml").write_text(text)
    assert seen("codex", home) == ""
    assert seen("codex", home, CODEX_API_KEY=SECRET) == "CODEX_API_KEY"


def test_nothing_is_waited_for_and_no_home_is_no_error(home: Path) -> None:
    os.mkfifo(home / ".claude" / "settings.json")
    (home / ".codex" / "auth.json").mkdir()
    assert seen("claude", home) == seen("codex", home) == ""
    assert login_of("claude", {"CLAUDE_CONFIG_DIR": f"{home}/{'x' * 300}"}, home) == ""
