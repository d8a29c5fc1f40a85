"""Which values of an environment are secret, and that nothing else is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.masking import Mask
from prd_ralph.masking.values import is_secret_name, is_worth_masking, secret_values

VALUE = "tok-1234-abcd"


@pytest.mark.parametrize(
    "name",
    [
        "MY_API_TOKEN",
        "ANTHROPIC_API_KEY",
        "my_secret",
        "SECRET_KEY_BASE",
        "PGPASSWORD",
        "DB_PASSWD",
        "SSH_PASSPHRASE",
        "AWS_ACCESS_KEY_ID",
        "CLOUD_CREDENTIALS",
        "GH_PAT",
        "OPENAI_APIKEY",
        "GITHUB_TOKEN2",
        "DB_PASS1",
        "MYSQL_PWD",
        "SSHPASS",
        "REDISCLI_AUTH",
        "GEMINI_API_KEYS",
        "npm_config_//registry.example.org/:_authToken",
    ],
)
def test_names_that_speak_of_secrets(name: str) -> None:
    assert is_secret_name(name)
    assert Mask.of({name: VALUE}).text(f"it is {VALUE}!") == "it is ***!"


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "HOME",
        "MONKEY",
        "TOKENIZERS_PARALLELISM",
        "MAX_OUTPUT_TOKENS",
        "KEYBOARD_LAYOUT",
        "PATTERN",
        "PWD",
        "OLDPWD",
        "AUTH_TYPE",
        "SSH_AUTH_SOCK",
        "XAUTHORITY",
        "KEY_PATH",
        "SECRET_NAME",
        "TOKEN_URL",
        "PASSWORD_FILE",
        "COMPASS",
        "BYPASSED",
    ],
)
def test_names_that_do_not(name: str) -> None:
    assert not is_secret_name(name)
    assert Mask.of({name: VALUE}).text(VALUE) == VALUE


@pytest.mark.parametrize(
    "value", ["hunter2!", "correcthorsebattery", "Tr0ub4dor&3", VALUE, "12345678901234567", "a b c d e"]
)
def test_values_worth_masking(value: str) -> None:
    assert is_worth_masking(value)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "short",
        "production",
        "PRODUCTION",
        "Localhost",
        "postgres",
        "86400000",
        "2031-03-01",
        "12:30:00",
        "/home/someone/.ssh/id_ed25519",
        "~/keys/ours.pem",
        "./certs/dev key.pem",
        "/run/secrets/db",
    ],
)
def test_values_that_are_words_numbers_or_paths_are_not_masked(value: str) -> None:
    assert not is_worth_masking(value)
    text = f"in {value} we trust"
    assert Mask.of({"MY_SECRET": value}).text(text) == text


@pytest.mark.parametrize("value", ["topsecret" + "value", "CORRECTHORSE", "839201" + "748392", "hunter2!"])
def test_what_is_longer_than_a_usual_word_or_mixed_is_masked(value: str) -> None:
    assert Mask.of({"MY_SECRET": value}).text(f"in {value} we trust") == "in *** we trust"


def test_a_secret_that_begins_like_a_path_is_masked() -> None:
    value = "/" + "aB3dE6gH9jK2mN5pQ8sT" + "/x1"
    assert Mask.of({"AWS_SECRET_ACCESS_KEY": value}).text(value) == "***"


def test_the_password_of_a_url_is_secret_whatever_its_variable_is_called() -> None:
    mask = Mask.of({"DATABASE_URL": "postgres://me:p4ss-of-mine@db/app", "DEV_URL": "postgres://me:postgres@db/app"})
    assert mask.text("it is p4ss-of-mine, not postgres") == "it is ***, not postgres"


def test_the_password_of_a_url_is_secret_as_it_is_typed_too() -> None:
    mask = Mask.of({"DSN": "postgres://me:p%40ss%2F1234@db/x"})
    assert mask.text("password p@ss/1234, p%40ss%2F1234") == "password ***, ***"


def test_each_of_several_keys_in_one_variable_is_secret() -> None:
    assert Mask.of({"API_KEYS": "one-key-12345,other-key-678"}).text("with other-key-678") == "with ***"


@pytest.mark.parametrize(
    ("value", "written"),
    [("tok/with/slash/12", r"tok\/with\/slash\/12"), ("p&ss<w>rd1", r"p\u0026ss\u003cw\u003erd1")],
)
def test_a_value_is_found_however_json_is_written(value: str, written: str) -> None:
    assert json.loads(f'"{written}"') == value
    assert Mask.of({"MY_TOKEN": value}).text(f'{{"token": "{written}"}}') == '{"token": "***"}'


def test_blanks_around_a_value_are_no_part_of_it() -> None:
    assert Mask.of({"A_TOKEN": f" {VALUE}\n"}).text(f"<{VALUE}>") == "<***>"


def test_each_line_of_a_value_is_secret_unless_it_is_words_alone() -> None:
    value = "apiVersion: v1\nkind: Configuration\n  token: abcDEF123456ghi\nx\n"
    text = "apiVersion: v1\nkind: Configuration\ntoken: abcDEF123456ghi\nx"
    assert Mask.of({"KUBE_CREDENTIALS": value}).text(text) == "apiVersion: v1\nkind: Configuration\n***\nx"


@pytest.mark.parametrize("value", ['say "friend" \\ enter', "pässwörd-1234", "tab\there-12", "two\nlines of it"])
def test_a_value_is_found_in_json_and_in_json_within_json(value: str) -> None:
    mask = Mask.of({"A_SECRET": value})
    for ascii_only in (True, False):
        once = json.dumps([value], ensure_ascii=ascii_only)
        assert mask.text(once) == '["***"]'
        assert json.loads(json.loads(mask.text(json.dumps(once, ensure_ascii=ascii_only)))) == ["***"]


def test_a_long_value_is_masked_to_its_end() -> None:
    value = "".join(f"{number:05d}-" for number in range(2000))
    assert set(Mask.of({"A_KEY": value}).text(f"<{value}>")) == set("<*>")


def test_bytes_that_are_no_text_part_a_value() -> None:
    value = "first-part\udcff\udcfesecond-part1"
    masked = Mask.of({"A_KEY": value}).data(b"first-part \xff\xfe second-part1")
    assert masked == b"first-part \xff\xfe ***"


def test_the_longer_of_two_values_that_overlap_leaves_nothing() -> None:
    mask = Mask.of({"A_KEY": "abcd-1234", "B_KEY": "1234-efgh", "C_KEY": "abcd-1234-efgh"})
    assert mask.text("abcd-1234-efgh abcd-1234 1234-efgh") == "*** *** ***"


@given(st.dictionaries(st.sampled_from(["A_KEY", "B_TOKEN", "C"]), st.text(max_size=30)), st.text())
def test_any_environment_makes_a_mask(env: dict[str, str], text: str) -> None:
    assert all(len(value) >= 8 for value in secret_values(env))
    Mask.of(env).text(text)


@given(st.text(st.characters(), max_size=60))
def test_text_without_secrets_stays_as_it_is(text: str) -> None:
    assert Mask.of({}).text(text) is text or "://" in text
