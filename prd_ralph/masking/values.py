"""Which values of an environment are secrets, and in which forms they may turn up in a text."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from urllib.parse import unquote

_LEAST = 8
_LEAST_LINE = 12
_LONGEST = 4 << 10

# Words of a name between underscores; a word may also end in one of the long ones (PGPASSWORD, GITHUB_TOKEN2). PWD
# alone is the working folder, MYSQL_PWD a password.
_SECRET_NAME = re.compile(
    r"(?:^|[^A-Z0-9])"
    r"(?:(?:KEYS?|PAT|CREDS?|(?:SSH)?PASS|(?<=_)PWD|AUTH$)"
    r"|[A-Z0-9]*?(?:TOKEN|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|CREDENTIALS?|APIKEYS?))[0-9]*"
    r"(?:[^A-Z0-9]|$)",
    re.IGNORECASE,
)
# What such a name is about, where it is not the secret itself.
_ABOUT = re.compile(
    r"(?:^|[^A-Z0-9])(?:FILE|PATH|DIR|SOCK|URL|URI|HOST|PORT|NAME|TYPE|ALGORITHM|TTL|COUNT|LIMIT)$",
    re.IGNORECASE,
)
# An ordinary word, or a number: masking it would garble what has nothing to do with it.
_WORD = re.compile(r"[a-z]{1,11}|[A-Z]{1,11}|[A-Z][a-z]{1,10}|[0-9.,:-]{1,11}")
_PATH = re.compile(r"(?:~|\.{1,2})?(?:/[\w.@ -]+)+/?")
_RANDOM = re.compile(r"(?=\S*[a-z])(?=\S*[A-Z])(?=\S*[0-9])[A-Za-z0-9]{16,}")
_URL_PASSWORD = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/:@]*:([^\s/@]+)@", re.IGNORECASE)
# A line of a longer value is secret where something in it is more than words.
_TELLING = re.compile(r"(?=[\w+/=-]*(?:[0-9]|[a-z][A-Z]))[\w+/=-]{12,}")
_GO = {ord(char): f"\\u{ord(char):04x}" for char in "<>&"}
# Bytes that are no UTF-8 stand in an environment as lone surrogates: no text holds these, so they part a value.
_BREAKS = re.compile("[\r\n\ud800-\udfff]+")


def secret_values(env: Mapping[str, str], named: Collection[str] = ()) -> frozenset[bytes]:
    """What to look for, as UTF-8; none shorter than 8 characters, none over 4 KiB: longer ones come in parts.

    The values of variables whose names say that they are secret or are in `named`, and the passwords of URLs whatever
    their names.
    """
    found = set(_values(env, named))
    return frozenset(part for value in found for form in _forms(value) for part in _parts(form.encode("utf-8")))


def is_secret_name(name: str) -> bool:
    """Whether a variable's name says that its value is a secret: `NPM_TOKEN` does, `MONKEY` and `KEY_PATH` do not."""
    return bool(_SECRET_NAME.search(name)) and not _ABOUT.search(name)


def is_worth_masking(value: str) -> bool:
    """Whether a secret variable's value can be a secret: `production`, `86400000` and `/etc/keys/ours` are none."""
    path = _PATH.fullmatch(value) and not _RANDOM.search(value)
    return len(value) >= _LEAST and not _WORD.fullmatch(value) and not path


def _values(env: Mapping[str, str], named: Collection[str]) -> Iterator[str]:
    for name, value in env.items():
        for password in _URL_PASSWORD.findall(value):
            yield from (form for form in {password, unquote(password)} if is_worth_masking(form))
        if name in named or is_secret_name(name):
            yield from _pieces(value.strip())


def _pieces(value: str) -> Iterator[str]:
    """The value; one of several lines is also known by each line that is not made of words alone."""
    lines = [line.strip() for line in _BREAKS.split(value)]
    if len(lines) == 1:
        yield from (line for line in lines if is_worth_masking(line))
        yield from (item for item in re.split(r"[,;]", value) if len(item) >= _LEAST_LINE and _TELLING.fullmatch(item))
        return
    yield from (line for line in lines if len(line) >= _LEAST_LINE and _TELLING.search(line))
    if "\n" in value and not re.search("[\ud800-\udfff]", value) and is_worth_masking(value):
        yield value


def _forms(value: str) -> Iterator[str]:
    """As it is, as a string of JSON, and as one in a string of JSON. Only these are ever one line."""
    escaped = {value}
    for _ in range(2):
        escaped |= {form for each in escaped for form in _as_json(each)}
    yield from (each for each in escaped if "\n" not in each)


def _as_json(text: str) -> Iterator[str]:
    """As most write it; as PHP does, with `\\/`; and as Go does, in which docker, gh and kubectl are written."""
    for ascii_only in (True, False):
        plain = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
        yield from (plain, plain.replace("/", "\\/"), plain.translate(_GO))


def _parts(data: bytes) -> Iterator[bytes]:
    """A last part that is short would be found where it is none, so it is left to the part before."""
    starts = range(0, max(len(data) - _LEAST_LINE, 1), _LONGEST)
    yield from (data[start : start + _LONGEST] for start in starts)
