"""One parser a kind of value: a TOML value, an environment text or a flag's text in, our value out.

Every parser raises `RefusedError`, which says what is wrong and what is allowed.
"""

import json
import re
from collections.abc import Callable

Parser = Callable[[object], object]

MAX_COUNT = 1_000_000_000
MAX_DAYS = 3650
_PRICES = ("input", "output", "cached")
_PRICE = "input = 3.0, output = 15.0 and cached = 0.3: US dollars per million tokens"
_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_NUMBER = r"([0-9]{1,12}(?:\.[0-9]{1,6})?)"
_DURATION = re.compile("".join(rf"(?:{_NUMBER}{unit})?" for unit in _UNITS))
_WORDS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
_PLACEHOLDER = re.compile(r"\{(?:id|title)\}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class RefusedError(ValueError):
    """A value that cannot be used; `allowed` is the hint, `inner` the key within a table that is to blame."""

    def __init__(self, message: str, allowed: str, inner: str = "") -> None:
        super().__init__(message)
        self.allowed = allowed
        self.inner = inner


def text(raw: object) -> str:
    """Any text on one line that is not blank."""
    if not isinstance(raw, str) or not raw.strip() or _CONTROL.search(raw.strip()):
        raise RefusedError(f"{show(raw)} is no text", "use one line that is not blank, without control characters")
    return raw.strip()


def switch(raw: object) -> bool:
    """`true` or `false`; in the environment also 1/0, yes/no, on/off."""
    value = _WORDS.get(raw.strip().lower()) if isinstance(raw, str) else raw
    if not isinstance(value, bool):
        raise RefusedError(f"{show(raw)} is no switch", "use true or false")
    return value


def one_of(*words: str) -> Parser:
    """One of these words."""

    def word(raw: object) -> str:
        value = raw.strip() if isinstance(raw, str) else raw
        if value not in words:
            raise RefusedError(f"{show(raw)} is not known here", f"use {', '.join(words[:-1])} or {words[-1]}")
        return str(value)

    return word


def count(raw: object) -> int:
    """A whole number from 1 to a thousand million."""
    whole = _whole(raw)
    if whole is None or not 1 <= whole <= MAX_COUNT:
        raise RefusedError(
            f"{show(raw)} is no count", f"use a whole number from 1 to {MAX_COUNT}; there is no unlimited"
        )
    return whole


def count_or_off(raw: object) -> int:
    """As `count`, or 0 for "off"."""
    whole = _whole(raw)
    if whole is None or not 0 <= whole <= MAX_COUNT:
        raise RefusedError(f"{show(raw)} is no count", f"use a whole number up to {MAX_COUNT}, or 0 to turn it off")
    return whole


def money(raw: object) -> float:
    """US dollars, more than 0: `5`, `0.50`, `$12.50`."""
    amount = raw if isinstance(raw, int | float) and not isinstance(raw, bool) else None
    if isinstance(raw, str) and (found := re.fullmatch(rf"\$?{_NUMBER}", raw.strip())):
        amount = float(found[1])
    if amount is None or not 0 < amount <= MAX_COUNT:
        raise RefusedError(f"{show(raw)} is no amount of US dollars", "use a number like 5 or 0.50, more than 0")
    return float(amount)


def prices(raw: object) -> dict[str, dict[str, float]]:
    """By model what a million tokens of it cost: a table of tables; outside TOML a JSON object."""
    given = _object(raw)
    if not isinstance(given, dict):
        raise RefusedError(f"{show(raw)} is no table", f'write [prices."some-model"], and below it {_PRICE}')
    return {str(model): _price(str(model), price) for model, price in given.items()}


def _price(model: str, given: object) -> dict[str, float]:
    """Without `cached` what is read from a cache costs as much as what is read anew."""
    if not isinstance(given, dict):
        raise RefusedError(f"{show(given)} is no price of {show(model)}", f"write {_PRICE}", model)
    for key, value in given.items():
        if key not in _PRICES:
            raise RefusedError(f"unknown key {key!r} of {show(model)}", f"known are: {', '.join(_PRICES)}", model)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_COUNT:
            raise RefusedError(f"{key} of {show(model)}: {show(value)} is no price", f"write {_PRICE}", model)
    for key in _PRICES[:2]:
        if key not in given:
            raise RefusedError(f"{show(model)} has no {key}", f"write {_PRICE}", model)
    return {key: float(given[key if key in given else "input"]) for key in _PRICES}


def words(*known: str) -> Parser:
    """A list of these words, each at most once."""

    def listed(raw: object) -> tuple[str, ...]:
        found = names(raw)
        for word in found:
            if word not in known or found.count(word) > 1:
                why = "is not known here" if word not in known else "stands there twice"
                raise RefusedError(f"{show(word)} {why}", f"use some of {', '.join(known)}")
        return found

    return listed


def duration(raw: object) -> float:
    """Seconds, more than 0: `90`, `90s`, `15m`, `2h`, `1d`, `1h30m`."""
    seconds = _seconds(raw)
    if seconds is None or not 0 < seconds <= MAX_DAYS * 86400:
        raise RefusedError(f"{show(raw)} is no duration", f"{_durations_allowed()}; there is no unlimited")
    return seconds


def duration_or_off(raw: object) -> float:
    """As `duration`, or 0 for "off"."""
    seconds = _seconds(raw)
    if seconds is None or not 0 <= seconds <= MAX_DAYS * 86400:
        raise RefusedError(f"{show(raw)} is no duration", f"{_durations_allowed()}, or 0 to turn it off")
    return seconds


def written(seconds: float) -> str:
    """As `duration` and `duration_or_off` read it: `24h`, `1h30m`, `0.5s`, `0`."""
    whole, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(whole), 60)
    parts = ((str(hours), "h"), (str(minutes), "m"), (f"{rest:.6f}".rstrip("0").rstrip("."), "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number != "0") or "0"


def names(raw: object) -> tuple[str, ...]:
    """A list of texts; outside TOML a JSON array, or texts parted by commas or line ends."""
    return tuple(text(item) for item in _items(raw, r"[,\n]"))


def flags(raw: object) -> tuple[str, ...]:
    """A list of texts, as a program's arguments: a flag and its value are two."""
    found = names(raw)
    for flag in found:
        if re.match(r"--?[A-Za-z][\w-]*\s", flag):
            parts = ", ".join(f'"{part}"' for part in flag.split(maxsplit=1))
            raise RefusedError(f"{show(flag)} is two arguments in one", f"write {parts}")
    return found


def commands(raw: object) -> tuple[object, ...]:
    """A list of commands, each as in prd.json and not looked into here; outside TOML a JSON array, or one a line."""
    found = tuple(_items(raw, r"\n"))
    for item in found:
        if not isinstance(item, str | list | dict) or not item or (isinstance(item, str) and not item.strip()):
            raise RefusedError(f"{show(item)} is no command", "use a text, an array of texts, or a table with `run`")
    return found


def message(raw: object) -> str:
    """A commit subject in which `{id}` and `{title}` may stand."""
    template = text(raw)
    if re.search(r"[{}]", _PLACEHOLDER.sub("", template)):
        raise RefusedError(f"{show(raw)} holds other braces than {{id}} and {{title}}", "use only these two")
    return template


def show(raw: object) -> str:
    """The value as a person wrote it, about, on one bounded line."""
    shown = json.dumps(raw, ensure_ascii=False, default=str)
    return shown if len(shown) <= 60 else f"{shown[:59]}…"


def _durations_allowed() -> str:
    return f"use seconds or a text like 90s, 15m, 2h, 1d or 1h30m, more than 0 and up to {MAX_DAYS}d"


def _whole(raw: object) -> int | None:
    if isinstance(raw, str) and re.fullmatch(r"[0-9]{1,12}", raw.strip()):
        return int(raw)
    return raw if isinstance(raw, int) and not isinstance(raw, bool) else None


def _seconds(raw: object) -> float | None:
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return _float(raw)
    if not isinstance(raw, str) or not raw.strip():
        return None
    if re.fullmatch(_NUMBER, raw.strip()):
        return float(raw.strip())
    found = _DURATION.fullmatch(raw.strip().lower())
    if not found:
        return None
    return sum(float(number) * unit for number, unit in zip(found.groups(), _UNITS.values(), strict=True) if number)


def _float(number: int | float) -> float | None:
    try:
        return float(number)
    except OverflowError:
        return None


def _object(raw: object) -> object:
    """What a text holds as JSON; anything else as it is."""
    if not isinstance(raw, str):
        return raw
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return raw


def _items(raw: object, separator: str) -> list[object]:
    if isinstance(raw, list | tuple):
        return list(raw)
    if not isinstance(raw, str):
        raise RefusedError(f"{show(raw)} is no list", "use an array")
    try:
        array = json.loads(raw)
    except (ValueError, RecursionError):
        array = None
    if isinstance(array, list):
        return array
    return [part.strip() for part in re.split(separator, raw) if part.strip()]
