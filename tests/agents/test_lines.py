from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.agents.lines import LineSplitter


def split(chunks: list[bytes], limit: int = 1 << 20) -> tuple[list[bytes], int]:
    lines: list[bytes] = []
    splitter = LineSplitter(lines.append, limit)
    for chunk in chunks:
        splitter.feed(chunk)
    splitter.close()
    return lines, splitter.skipped


@given(st.lists(st.text("ab\n", max_size=9).map(str.encode), max_size=9), st.integers(0, 5))
def test_lines_do_not_depend_on_how_the_stream_is_cut(chunks: list[bytes], limit: int) -> None:
    lines = b"".join(chunks).split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    kept = [line for line in lines if len(line) <= limit]
    assert split(chunks, limit) == (kept, len(lines) - len(kept))


def test_line_ends_of_windows_are_no_part_of_a_line() -> None:
    assert split([b"one\r\ntwo\r", b"\nthree"]) == ([b"one", b"two", b"three"], 0)


def test_an_endless_line_is_not_held() -> None:
    seen: list[bytes] = []
    splitter = LineSplitter(seen.append, limit=1000)
    for _ in range(1000):
        splitter.feed(b"x" * 1000)
    splitter.feed(b"\nshort\n")
    assert (seen, splitter.skipped) == ([b"short"], 1)
