"""What can be looked for: quoted text, and what names a number, a file, a piece of code or an exit status."""

import re

QUOTED = re.compile(
    r"`[^`]+`|\"[^\"]+\"|“[^”]+”|«[^»]+»|„[^“”]+[“”]|「[^」]+」|(?<!\w)'[^']+'(?!\w)|‘[^’]+’",
)
_CODE = r"\d|\w_\w|\w\.[a-z]{1,5}\b|(?<!\w)/\w|https?:|\b[a-z]+[A-Z]\w*"
_SAID = r"\b(?:exits?|exit (?:status|code)|returns?|raises?|throws?|prints?|fails? with)\b"
_TIME = r"\b(?:one|two|three|five|ten|a hundred) (?:ms|milliseconds?|seconds?|minutes?|percent)\b"
CHECKABLE = re.compile(f"{_CODE}|{_SAID}|{_TIME}")
