"""The mask on a stream gives what the mask on the whole gives, however the stream is parted, and soon."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.masking import Mask, MaskedStream
from prd_ralph.masking.shapes import LONGEST
from prd_ralph.masking.stream import LIMIT

from .secrets import KEYS, MIXED, TOKENS

VALUES = {
    "MY_TOKEN": "tok-1234-abcd",
    "MY_KEY": '"say-No1one-else"\nor-Number2-here',
    "A_SECRET": "abab" * 4,
    "B_SECRET": "aba" * 7,
}
MASK = Mask.of(VALUES)

_SECRETS = [*TOKENS.values(), *KEYS.values(), *VALUES.values(), "://me:p4ss@", "Authorization: Bearer " + MIXED]
_SECRET = st.sampled_from([secret.encode() for secret in _SECRETS])
_WORDS = st.sampled_from(
    [b"\n", b"\r\n", b" ", b"ab", b"-----BEGIN PRIVATE KEY-----\n", b"sk-", b"ey" + b"J", b"://a:", b"\\n"]
)
_LONG = st.builds(
    lambda unit, size: (unit * size)[:size],
    st.sampled_from([b"x", b"ab", b"A" * 64 + b"\n", b"12 "]),
    st.integers(0, 90_000),
)
_PIECES = st.one_of(_SECRET, _WORDS, st.binary(max_size=5))


def chunks(data: bytes, cuts: list[int]) -> Iterator[bytes]:
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return (data[start:end] for start, end in pairwise(places))


def streamed(parts: Iterator[bytes], mask: Mask = MASK) -> bytes:
    stream = MaskedStream(mask)
    return b"".join([*map(stream.feed, parts), stream.close()])


@given(st.lists(_PIECES, max_size=30), st.lists(st.integers(0, 10_000), max_size=12))
def test_however_a_stream_is_parted_the_same_comes_out(pieces: list[bytes], cuts: list[int]) -> None:
    data = b"".join(pieces)
    assert streamed(chunks(data, cuts)) == MASK.data(data)


@given(st.lists(st.one_of(_PIECES, _LONG), max_size=8), st.lists(st.integers(0, 1_000_000), max_size=8))
def test_so_it_is_in_lines_without_an_end(pieces: list[bytes], cuts: list[int]) -> None:
    data = b"".join(pieces)
    assert streamed(chunks(data, cuts)) == MASK.data(data)


@given(st.lists(st.one_of(_SECRET, st.sampled_from([b"\n", b" ", b"word\n"])), max_size=20))
def test_no_secret_is_left_and_masking_twice_is_masking_once(pieces: list[bytes]) -> None:
    masked = MASK.data(b" ".join(pieces))
    assert MASK.data(masked) == masked
    assert MIXED[:10].encode() not in masked
    assert not any(value.encode() in masked for value in VALUES.values())


@pytest.mark.parametrize("secret", [*TOKENS.values(), *KEYS.values(), VALUES["MY_TOKEN"]])
def test_byte_by_byte_no_secret_gets_through(secret: str) -> None:
    data = f"a line\nbefore {secret} behind\n".encode()
    said = streamed(data[place : place + 1] for place in range(len(data)))
    assert said == MASK.data(data)
    assert secret.encode() not in said
    assert said.startswith(b"a line\nbefore ")
    assert said.endswith(b" behind\n")


@given(st.integers(0, 2 * LIMIT), st.integers(1, 70_000))
def test_a_secret_in_an_endless_line_is_found_wherever_it_stands(before: int, size: int) -> None:
    data = b"." * before + b" tok-1234-abcd " + b"." * (3 * LIMIT)
    said = streamed(data[place : place + size] for place in range(0, len(data), size))
    assert said == data.replace(b"tok-1234-abcd", b"***")


def test_a_line_comes_out_as_soon_as_it_ends() -> None:
    stream = MaskedStream(MASK)
    assert stream.feed(b"one\ntwo tok-1234-abcd\nthr") == b"one\ntwo ***\n"
    assert stream.feed(b"ee") == b""
    assert stream.feed(b"\n") == b"three\n"
    assert stream.close() == b""


def test_a_private_key_is_held_back_only_as_long_as_it_may_be_one() -> None:
    stream = MaskedStream(MASK)
    assert stream.feed(b"x\n-----BEGIN PRIVATE KEY-----\n") == b"x\n"
    assert stream.feed(b"is what it looks for\n") == b"-----BEGIN PRIVATE KEY-----\nis what it looks for\n"
    key = KEYS["pkcs8"].encode()
    assert stream.feed(key[:100]) == b""
    assert stream.feed(key[100:]) == b""
    assert stream.feed(b"\nmore\n") == b"***\nmore\n"


@pytest.mark.parametrize(
    "unit", [b"x", b"-", b"tok-1234-abcd", b"aba", b"://a:", b"-----BEGIN PRIVATE KEY-----" + b"A" * 64]
)
def test_what_is_held_back_is_bounded(unit: bytes) -> None:
    stream = MaskedStream(MASK)
    chunk = unit * (65_536 // len(unit))
    fed = came = 0
    for _ in range(20):
        fed += len(chunk)
        came += len(stream.feed(chunk))
    assert len(stream.close()) <= LIMIT + LONGEST
    assert came <= fed


def test_secrets_that_overlap_without_end_are_let_go_as_one() -> None:
    mask = Mask.of({"A_KEY": "x-" * 5, "B_KEY": "-x" * 5})
    data = b"x-" * (2 * LIMIT)
    said = streamed(chunks(data, list(range(0, len(data), 1000))), mask)
    assert set(said) <= set(b"*-x")
    assert b"x-x-x-x-x-" not in said
