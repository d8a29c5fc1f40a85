"""Programs that only look: which read or ask how something stands, and with which arguments they do no more."""

import re
from collections.abc import Callable, Sequence

Words = Sequence[str]


def looks(program: str, arguments: Words) -> bool:
    """Whether the program, so called, is known to change nothing."""
    if program in _ALWAYS:
        return True
    return program in _BY_ARGUMENTS and _BY_ARGUMENTS[program](arguments)


def words_of(text: str) -> frozenset[str]:
    """A set of words, from a text."""
    return frozenset(text.split())


_ALWAYS = words_of(
    "cat ls head tail less more wc grep egrep fgrep rg ag stat file du df ps top pgrep uptime date sleep echo printf "
    "pwd which type whoami id printenv uname hostname true false : test [ [[ cd pushd popd tree diff cmp uniq cut tr "
    "jq column nl od xxd md5sum sha1sum sha256sum realpath readlink basename dirname lsof ss netstat ping dig nslookup "
    "host free vmstat journalctl wait jobs seq"
)
_AREAS = words_of("run pr issue release workflow repo ci mr pipeline job")
_ABOUT_AREAS = words_of("view list status checks watch diff")
_GIT = words_of(
    "status log diff show rev-parse ls-files ls-tree ls-remote describe blame shortlog grep cat-file rev-list "
    "merge-base for-each-ref show-ref"
)
_CLUSTER = words_of("get describe logs top wait explain version cluster-info events")
_CONTAINERS = words_of("ps logs ls inspect images stats top port info version events wait diff history")
_UNITS = words_of("status is-active is-failed is-enabled list-units show")
_PACKAGES = words_of("list ls view outdated why info show freeze tree")
_FIELDS = ("-X", "-f", "-F", "--method", "--field", "--raw", "--input")
_CURL_SHORT = frozenset("dFToOXK")
_CURL_LONG = ("--data", "--form", "--upload-file", "--output", "--remote-name", "--request", "--json", "--config")


def _one_of(known: frozenset[str]) -> Callable[[Words], bool]:
    """The first argument that is no option is one of these."""
    return lambda arguments: next((word for word in arguments if not word.startswith("-")), "") in known


def _without(*options: str) -> Callable[[Words], bool]:
    return lambda arguments: not any(word.startswith(options) for word in arguments)


def _git(arguments: Words) -> bool:
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        del rest[: 2 if rest[0] in ("-C", "-c") else 1]
    return bool(rest) and rest[0] in _GIT and not any(word.startswith("--output") for word in rest)


def _hub(arguments: Words) -> bool:
    """`gh run view 7`, `glab ci status`, `gh api repos/x/y` without fields."""
    match list(arguments):
        case [area, what, *_] if area in _AREAS:
            return what in _ABOUT_AREAS
        case ["api", *rest]:
            return not any(word.startswith(_FIELDS) for word in rest)
        case ["status" | "search", *_] | ["auth", "status", *_]:
            return True
        case _:
            return False


def _cluster(arguments: Words) -> bool:
    return list(arguments[:2]) == ["rollout", "status"] or _one_of(_CLUSTER)(arguments)


def _containers(arguments: Words) -> bool:
    grouped = bool(arguments) and arguments[0] in ("compose", "container", "image")
    return _one_of(_CONTAINERS)(arguments[1:] if grouped else arguments)


def _curl(arguments: Words) -> bool:
    """It only gets, and into no file."""
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if rest and rest[0] == "/dev/null" and re.fullmatch(r"-\w*o|--output", word):
            continue
        if word.startswith(_CURL_LONG) or (re.match(r"-\w", word) and _CURL_SHORT & set(word)):
            return False
    return True


def _wget(arguments: Words) -> bool:
    return "--spider" in arguments or "-qO-" in arguments


def _cloud(arguments: Words) -> bool:
    """`aws ecs describe-services`."""
    return len(arguments) > 1 and arguments[1].startswith(("describe-", "list-", "get-"))


def _awk(arguments: Words) -> bool:
    return not any(re.search(r"system|[>|]|^-i", word) for word in arguments)


def _sed(arguments: Words) -> bool:
    return "-n" in arguments and not any(re.match(r"-\w*i|--in-place", word) for word in arguments)


def _python(arguments: Words) -> bool:
    return list(arguments[:2]) == ["-m", "json.tool"]


_BY_ARGUMENTS: dict[str, Callable[[Words], bool]] = {
    "git": _git,
    **dict.fromkeys(("gh", "glab"), _hub),
    **dict.fromkeys(("kubectl", "oc"), _cluster),
    **dict.fromkeys(("docker", "podman", "docker-compose"), _containers),
    **dict.fromkeys(("npm", "pnpm", "yarn", "pip", "pip3", "cargo"), _one_of(_PACKAGES)),
    "systemctl": _one_of(_UNITS),
    "curl": _curl,
    "wget": _wget,
    "aws": _cloud,
    "awk": _awk,
    "sed": _sed,
    **dict.fromkeys(("python", "python3"), _python),
    "find": _without("-delete", "-exec", "-ok", "-fprint", "-fls"),
    "sort": _without("-o", "--output"),
    "yq": _without("-i", "--inplace"),
}
