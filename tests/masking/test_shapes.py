"""Well-known secrets are seen wherever they stand, and ordinary text is left alone."""

import json

import pytest

from prd_ralph.masking import Mask

from .secrets import KEYS, LINES, MIXED, TOKENS

MASK = Mask.of({})


def gone(secret: str, text: str) -> bool:
    """Whether nothing of the secret but its well-known beginning is left."""
    masked = MASK.text(text)
    return secret not in masked and MIXED[:10] not in masked and "***" in masked


@pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS)
@pytest.mark.parametrize(
    "around",
    ["{}", "key={} and more", '{{"key": "{}"}}', '"line\\n{}\\n"', "\x1b[32m{}\x1b[0m", "%20{}", "({}),", "`{}`"],
)
def test_a_token_is_seen_whatever_stands_around_it(token: str, around: str) -> None:
    assert gone(token, around.format(token))


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_a_private_key_is_seen_as_it_is_and_in_json(key: str) -> None:
    for text in (key, json.dumps({"key": key}), json.dumps(json.dumps([key]))):
        assert gone(key, f"before\n{text}\nafter")
        assert MASK.text(f"before\n{text}\nafter").startswith("before\n")
        assert MASK.text(f"before\n{text}\nafter").endswith("\nafter")


def test_a_private_key_is_seen_behind_margins() -> None:
    key = KEYS["pkcs8"]
    assert gone(key, "\n".join(f"{number:6}\t{line}" for number, line in enumerate(key.splitlines(), 1)))
    assert gone(key, "\n".join(f"+    {line}" for line in key.splitlines()))


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Bearer abc-123-def", "Authorization: Bearer ***"),
        ("extraheader=AUTHORIZATION: basic dXNlcjpwYXNz", "extraheader=AUTHORIZATION: basic ***"),
        ("authorization: basic dXNlcjpwYXNz", "authorization: basic ***"),
        ('{"Authorization": "Bearer abc.123-def"}', '{"Authorization": "Bearer ***"}'),
        (r'"{\"Authorization\": \"Bearer abc.1234\"}"', r'"{\"Authorization\": \"Bearer ***\"}"'),
        ("get https://me:p%40ss@example.org/x now", "get https://me:***@example.org/x now"),
        ("redis://:s3cret@cache:6379/0", "redis://:***@cache:6379/0"),
        ("two: a://b:c1@d and e://f:g2@h", "two: a://b:***@d and e://f:***@h"),
    ],
)
def test_credentials_are_taken_out_of_what_they_stand_in(text: str, masked: str) -> None:
    assert MASK.text(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        ".sk-fading-circle .sk-circle { animation: sk-circleFadeDelay 1.2s }",
        "disk-" + "a1" * 20,
        "the task-proj-management-of-everything-else is done",
        "mark_test_" + "something" * 4,
        "npm_config_registry=https://registry.example.org npm_package_dependencies_left_pad",
        "hf_hub_download(repo_id, filename)",
        "Authorization: Bearer authentication is needed",
        "Authorization: Bearer $TOKEN",
        "postgres://${USER}:${PASSWORD}@db, postgres://{user}:{password}@db, amqp://<user>:<password>@mq",
        "http://localhost:5173/@vite/client, [here](http://localhost:3000) me@example.org",
        "git+ssh://git@example.org:team/thing.git@v1",
        'if "-----BEGIN PRIVATE KEY-----" in text:\n    raise ValueError("-----END PRIVATE KEY-----")',
        f"-----BEGIN CERTIFICATE-----\n{LINES}\n-----END CERTIFICATE-----",
        f"-----BEGIN PUBLIC KEY-----\n{LINES}\n-----END PUBLIC KEY-----",
        "data:application/json;base64,ey" + "J" + MIXED * 9,
        "sha512-" + "aB3+/" * 17 + "==",
        "3f786850e387550fdab836ed7e6dc881de23001b commit",
        "",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert MASK.text(text) == text


def test_what_follows_a_key_that_is_cut_off_stays() -> None:
    assert MASK.text(KEYS["cut off"] + "\nTraceback (most recent call last):\n") == (
        "***\nTraceback (most recent call last):\n"
    )


@pytest.mark.parametrize(
    "start", [*TOKENS.values(), "ey" + "J", "://", "-----BEGIN PRIVATE KEY-----\n", "Authorization: "]
)
def test_no_text_takes_for_ever(start: str) -> None:
    for text in (start * 5000, start + "A" * 200_000, start + f"\n{'A' * 64}" * 3000, start + r"\n" * 50_000):
        assert len(MASK.text(text)) <= len(text)
