"""Text of others as a block that it cannot leave."""

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_RUN = re.compile(r"`+|~+")


def fence(text: str) -> str:
    """`text` as a fenced block that nothing in it can close; control characters are taken out."""
    body = clean(text)
    longest = max((len(run) for run in _RUN.findall(body)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}\n{body.rstrip(chr(10))}\n{marks}"


def clean(text: str) -> str:
    """`text` with LF line ends, without control characters, encodable as UTF-8."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", lines))
