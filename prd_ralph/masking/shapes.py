"""What well-known secrets look like, whoever holds them.

Every pattern begins with literal bytes, and what must stand before these is looked at behind them: for literal bytes
`re` searches at some GB/s, for anything else at a tenth of that. So all of them together can go over all that is
printed. Of a pattern with a group, the group alone is secret.
"""

import re
from collections.abc import Iterator

LONGEST = 16 << 10
"""No shape takes more bytes than this."""


def _alone(start: str) -> str:
    """`start` (of a fixed width) when nothing runs into it but an escape of JSON or of a URL, or a terminal's colour.

    So `disk-…` is no `sk-…`, and `"\\nsk-…"` is one.
    """
    return rf"(?:(?<![A-Za-z0-9]{start})|(?<=\\[bfnrt]{start})|(?<=[0-9;\[]m{start})|(?<=%[0-9A-F]{{2}}{start}))"


_AUTHORIZATION = (
    r"""[\\"']{0,6}[ \t]{0,4}[:=][ \t]{0,4}[\\"']{0,6}(?:[Bb]earer|[Bb]asic|[Tt]oken|BEARER|BASIC)[ \t]{1,4}"""
    r"((?=[a-z]{0,64}[^a-z\s])[\w.~+/=-]{8,8192})"
)

# What each begins with, and what follows. Each maker's documentation names the beginning; lengths are a little below
# those of tokens seen.
_TOKENS = (
    # Anthropic and OpenAI, "API keys"; plain `sk-` is OpenAI's older form, and other vendors' too.
    ("sk-", rf"{_alone('sk-')}((?:ant|proj|svcacct|admin|or-v1)-[\w-]{{20,512}}|[A-Za-z0-9]{{32,128}})"),
    # GitHub, "GitHub's token formats".
    ("gh", r"[pousr]_([A-Za-z0-9]{36,255})"),
    ("github_pat_", r"([A-Za-z0-9_]{22,255})"),
    # GitLab, "Token prefixes".
    ("glpat-", r"([\w-]{20,255}(?:\.[\w-]{2}\.[\w-]{9})?)"),
    # Slack, "Token types".
    ("xox", r"[abeoprs]-([0-9][A-Za-z0-9-]{9,255})"),
    # AWS, "IAM identifiers: unique ID prefixes".
    ("IA", rf"(?<=A[KS]IA){_alone('A[KS]IA')}([A-Z0-9]{{16}})(?![A-Za-z0-9])"),
    # Google Cloud, "Manage API keys".
    ("AIza", r"([\w-]{35})(?![\w-])"),
    # npm, "About access tokens".
    ("npm_", rf"{_alone('npm_')}([A-Za-z0-9]{{36}})(?!\w)"),
    # PyPI, "How can I use API tokens?": a macaroon in base64.
    ("pypi-AgE", r"([\w-]{50,1024})"),
    # Hugging Face, "User access tokens".
    ("hf_", rf"{_alone('hf_')}([A-Za-z0-9]{{30,64}})"),
    # Stripe, "API keys": secret and restricted ones.
    ("k_", rf"(?:live|test)_(?<=[rs]k_(?:live|test)_){_alone('[rs]k_.{4}_')}([A-Za-z0-9]{{24,255}})"),
    # Twilio SendGrid, "API keys".
    ("SG.", rf"{_alone('SG[.]')}([\w-]{{22}}\.[\w-]{{43}})"),
    # RFC 7519: a JSON Web Token; both its header and its claims begin with `{"`.
    ("eyJ", rf"{_alone('eyJ')}([\w-]{{10,2048}}+\.eyJ[\w-]{{10,8192}}+\.[\w-]{{10,2048}})"),
    # RFC 6750 and 7617; in a header, in JSON, in a program. One word of prose behind it is none. In capitals it stands
    # in the git configuration of a checkout on GitHub Actions.
    ("uthorization", _AUTHORIZATION),
    ("UTHORIZATION", _AUTHORIZATION),
    # RFC 3986, "User information"; `$NAME`, `{name}` and `<name>` stand for a password that is elsewhere.
    ("://", r"""[^\s/:@"'<>\\\[\]]{0,256}+:(?![${<])([^\s/@"'<>\\\[\]]{1,512}+)@"""),
)

KEY_START = "-----BEGIN "
_KIND = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_MARGIN = r'[^\n"]{0,12}?'
"""What may stand before a line of a key: blanks, a diff's sign, the number of the line."""


def _key(end: str) -> tuple[str, str]:
    """RFC 7468, RFC 1421 and RFC 4880: a private key whose lines are parted by `end`, whole or cut off behind a line.

    And the same as far as it may have come where the text stops. Both without the start.
    """
    header = rf"(?>{end}{_MARGIN}[A-Z][A-Za-z-]{{2,20}}: [^\n\\\"]{{1,100}}){{0,4}}+(?>{end}{_MARGIN}(?={end}))?"
    line = rf"(?>(?:{end}{_MARGIN})?[A-Za-z0-9+/=]{{40,76}})"
    last = rf"(?>(?:{end}{_MARGIN})?[A-Za-z0-9+/=]{{1,75}}(?={end}|-----END)){{0,2}}"
    closed = rf"{last}(?:{end}{_MARGIN})?-----END {_KIND}"
    whole = rf"{_KIND}{header}(?:{line}{{1,150}}+(?:{closed})?|{closed})"
    return whole, rf"{_KIND}{header}{line}{{0,150}}+{last}(?:{end})?[^\n]{{0,200}}\Z"


_KEY, _OPEN_KEY = _key(r"\r?\n")
_KEY_IN_JSON, _ = _key(r"(?:\\{1,4}r)?\\{1,4}n")


def shapes() -> Iterator[re.Pattern[bytes]]:
    """All of them, compiled: some milliseconds, so this is for commands that keep or show what others wrote."""
    for start, rest in (*_TOKENS, (KEY_START, f"(?:{_KEY}|{_KEY_IN_JSON})")):
        yield re.compile((re.escape(start) + rest).encode())


def open_key() -> re.Pattern[bytes]:
    """A private key that has begun and may go on behind the end of the text: the one secret of more than one line."""
    return re.compile((re.escape(KEY_START) + _OPEN_KEY).encode())
