"""How a person sets each program up: here with a dummy key, and the mock in the vendor's place."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.realcli.pins import PINS, Pin

KEY = "dummy"

_CODEX = """\
model = "gpt-5.5"
model_provider = "mock"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.mock]
name = "mock"
base_url = "{url}/v1"
env_key = "MOCK_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
"""


@dataclass(frozen=True, slots=True)
class Program:
    """`set_up(home, url)` writes what belongs into the home and gives the variables that point the program at `url`."""

    pin: Pin
    set_up: Callable[[Path, str], Mapping[str, str]]
    tells_cost: bool

    @property
    def name(self) -> str:
        return self.pin.name


def _claude(home: Path, url: str) -> Mapping[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_MAX_RETRIES": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        # Root is refused without; a case of its own leaves it out.
        "IS_SANDBOX": "1",
    }


def _codex(home: Path, url: str) -> Mapping[str, str]:
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text(_CODEX.format(url=url), encoding="utf-8")
    return {"MOCK_API_KEY": KEY}


_CLAUDE_PIN, _CODEX_PIN = PINS
PROGRAMS = (Program(_CLAUDE_PIN, _claude, tells_cost=True), Program(_CODEX_PIN, _codex, tells_cost=False))
