"""Each rule by what it finds, and by what it must leave alone."""

from dataclasses import replace
from typing import Any

import pytest

from prd_ralph.errors import Problem
from prd_ralph.model import Check
from prd_ralph.prdfile import RULES, Surroundings, lint, parse
from tests.prdfile.support import FIXTURES, data_of, prd, story

OWN = {"verificationCommands": ["make own"]}
MISSING = Surroundings(is_missing=lambda word, _: word.startswith("no-"))


def found(value: Any, rule: str, around: Surroundings = MISSING) -> list[Problem]:
    document = parse(value if isinstance(value, bytes) else data_of(value), "prd.json")
    problems = [problem for problem in lint(document, "prd.json", around) if problem.rule == rule]
    assert all(problem.message and problem.hint and problem.line and problem.file for problem in problems)
    return problems


def pointers(value: Any, rule: str, around: Surroundings = MISSING) -> list[str | None]:
    return [problem.pointer for problem in found(value, rule, around)]


def commands(*runs: Any) -> dict[str, Any]:
    return prd(story(verificationCommands=list(runs)))


ENDED = ("exec pytest || true", ': "${TOKEN:?}"', 'echo "${A?not set}"; echo ok')

COMMANDS: dict[str, tuple[list[Any], list[Any]]] = {
    "masked-status": (
        ["pytest || true", {"run": "pytest; echo ok", "name": "x"}, ["sh", "-c", "pytest | tail"]],
        [
            "pytest",
            ["bash", "-o", "pipefail", "-c", "pytest | tail"],
            ["echo", "|| true"],
            "case a in a) true;; esac",
            *ENDED,
        ],
    ),
    "piped-status": (
        ["pytest | tail -5", "pytest 2>&1 | tee log", "cd a; pytest | head", "a && (b || c) | cat"],
        ["pytest | grep -q ok", "echo a | cat", 'test "$(a | wc -l)" = 3', "! a | cat", "pytest | tail -1 || true"],
    ),
    "green-without-tests": (
        ["npx jest --passWithNoTests", "CI=1 vitest --pass-with-no-tests -r x", ["npm", "test", "--if-present"]],
        ["npx jest --passWithNoTests=false", "grep -q -e '--passWithNoTests ' x", "npm test", "echo passWithNoTests"],
    ),
    "inverted-grep": (
        ["grep -qv TODO a", "grep -v -q TODO a", ["grep", "-q", "--invert-match", "x", "a"], "a && grep -vqE x a"],
        ["! grep -qv TODO a", "grep -q v a", "grep -v x a | grep -q y", "if grep -qv a b; then c; fi", "grep -c v a"],
    ),
    "missing-program": (
        ["no-tool --x", ["no-argv"]],
        ["make", "bin/no-tool", "true && no-tool", "FOO=1 no-tool", "case no- in a) b;; esac"],
    ),
    "needs-terminal": (
        [
            "docker run -it a b",
            "docker run --rm -ti a",
            ["docker", "exec", "-t", "a"],
            "vim a",
            "top",
            "git add -p",
            "git rebase -i main",
            "docker compose exec -it a b",
            "a && nano b",
        ],
        [
            "docker run a b -it",
            "docker build -t a .",
            "docker run -d a",
            "vim -es a",
            "top -b",
            "git add .",
            "docker ps",
            "emacs --batch a",
            "git",
            "CI=1",
            "docker run",
        ],
    ),
    "never-ends": (
        ["npx jest --watch", "tsc --watch=true", "npm run dev", "yarn serve", "tail -f log", ["npm", "run", "watch"]],
        [
            "npx jest --watch=false",
            "npm run dev & sleep 1; curl x",
            "timeout 5 npm run dev",
            "tail -f log | grep -m1 x",
            "npm run build",
            "npm run dev -- --version",
            "tail -5 log",
            "A=1",
        ],
    ),
}


@pytest.mark.parametrize("rule", COMMANDS)
def test_a_rule_about_commands(rule: str) -> None:
    bad, good = COMMANDS[rule]
    places = [f"/userStories/0/verificationCommands/{number}" for number in range(len(bad))]
    assert pointers(commands(*bad), rule) == places
    assert pointers(commands(*good), rule) == []


def test_commands_of_all_stories_are_looked_at_and_setup_is_not() -> None:
    value = prd(story(**OWN, passes=True), verificationCommands=["a || true"], setup=["b || true"])
    assert pointers(value, "masked-status") == ["/verificationCommands/0"]
    value = prd(story(verificationCommands=["a || true", "no-a"], passes=True))
    assert pointers(value, "masked-status") == ["/userStories/0/verificationCommands/0"]
    assert pointers(value, "missing-program") == []


def test_a_line_is_the_command_s_own() -> None:
    stories = b'[\n{"id": 1, "title": "t", "passes": false, "verificationCommands": [\n"a",\n"b &"]}]'
    data = b'{"project": "p", "userStories": ' + stories + b"}"
    (problem,) = found(data, "masked-status")
    assert (problem.line, problem.story) == (4, "1")
    assert "a command in the background is not waited for" in problem.message


def test_without_bash_a_pipe_s_status_is_masked() -> None:
    around = Surroundings(pipefail=False)
    assert found(commands("pytest | tail"), "masked-status", around)
    assert found(commands("pytest | tail"), "piped-status", around) == []
    assert found(commands("pytest | grep -q ok"), "masked-status", around) == []


def test_a_program_that_is_missing_is_told_once() -> None:
    value = prd(story(1, verificationCommands=["no-a x"]), story(2, verificationCommands=["no-a y", "no-b"]))
    assert [problem.message for problem in found(value, "missing-program")] == [
        "no-a is not on PATH",
        "no-b is not on PATH",
    ]


def test_a_command_that_stands_in_every_story() -> None:
    both = {"verificationCommands": ["make", "own"]}
    rule, first = "same-everywhere", "/userStories/1/verificationCommands/0"
    held = story(0, verificationCommands=["other"], skip=True)
    assert pointers(prd(held, story(1, **both), story(2, verificationCommands=["make"]), story(3)), rule) == [first]
    assert pointers(prd(story(1, **both)), rule) == []
    assert pointers(prd(story(1, **both), story(2, **OWN)), rule) == []
    assert pointers(prd(story(1, **both, passes=True), story(2, **both, passes=True)), rule) == []
    each = {"verificationCommands": ["make test-$PRD_RALPH_STORY_ID", {"run": "make", "cwd": "a"}]}
    assert pointers(prd(story(1, **each), story(2, verificationCommands=[each["verificationCommands"][0]])), rule) == []


def test_a_story_without_a_command_of_its_own() -> None:
    rule = "no-own-command"
    value = prd(story(1), story(2, verificationCommands=["make"]), story(3, **OWN), verificationCommands=["make"])
    assert pointers(value, rule) == ["/userStories/0", "/userStories/1"]
    assert pointers(prd(story(1)), rule) == []  # nothing at all: told, and refused, otherwise
    assert pointers(prd(story(1)), rule, Surroundings(extra=(Check("make"),))) == ["/userStories/0"]
    done = prd(story(1, passes=True), story(2, skip=True), verificationCommands=["make"])
    assert pointers(done, rule) == []


CRITERIA: dict[str, tuple[list[str], list[str]]] = {
    "vague-criterion": (
        [
            "works correctly",
            "Everything works as expected",
            "Search is fast",
            "Fast",
            "handles errors gracefully",
            "Page loads quickly",
            "The UI is user-friendly",
            "Must be intuitive",
            "Good performance",
            "The filter works fine for all users",
            "Funciona correctamente",
            "La búsqueda es rápida",
            "Funktioniert wie erwartet",
            "Die Suche ist schnell",
            "La recherche est rapide",
            "Fonctionne comme prévu",
            "Funciona corretamente",
            "Jól működik",
            "A keresés gyors",
            "搜索功能正常工作",
            "响应很快",
        ],
        [
            "responds fast: under 200 ms",
            "fail-fast stops the run",
            "prints `works correctly`",
            "FastAPI starts",
            'The label reads "works fine"',
            "The fast path is taken: fast mode",
            "Displays the wishing well",
            "Breakfast is listed",
            "Sort works with an empty list",
            "Is fast: exits with 0",
            "Typecheck passes",
            "Loads quickly: in two seconds",
            "Filters work together",
            "src/fast.py is fast",
            "A wrong password is refused",
        ],
    ),
    "subjective-criterion": (
        [
            "The form looks nice",
            "Looks really good on mobile",
            "The page is beautiful",
            "Feels natural to use",
            "Great UX",
            "Sieht gut aus",
            "La page est jolie",
            "Se ve bien",
            "A felület szép",
            "界面美观",
        ],
        [
            "Looks like a table",
            "The tree is clean",
            "Modern browsers are named",
            'Shows "looks good"',
            "Pretty printing",
        ],
    ),
    "manual-criterion": (
        [
            "Manual: check in production",
            "Manually verify the layout",
            "Verify in browser using dev-browser skill",
            "Done. Check the page visually",
            "Tested manually",
            "QA signs off",
            "Sign-off by the product owner",
            "Visual inspection of 3 pages",
            "Verificar manualmente",
            "Manuell testen",
            "Vérifier le site à la main",
            "Kézzel ellenőrizve",
            "手动测试",
        ],
        [
            "Users can manually verify their email",
            "Orders are approved without manual verification",
            "Manual mode can be toggled",
            "Test the manual override",
            "Check constraints in production schema are kept",
            "The button reads `Manual: check`",
            "Products signed off by the warehouse are hidden",
        ],
    ),
}


@pytest.mark.parametrize("rule", CRITERIA)
def test_a_rule_about_criteria(rule: str) -> None:
    bad, good = CRITERIA[rule]
    places = [f"/userStories/0/acceptanceCriteria/{number}" for number in range(len(bad))]
    value = prd(story(acceptanceCriteria=[*bad, "prints 1"], **OWN))
    assert sorted(pointers(value, rule), key=lambda pointer: int(str(pointer).rsplit("/")[-1])) == places
    assert pointers(prd(story(acceptanceCriteria=good, **OWN)), rule) == []
    for done in ({"passes": True}, {"skip": True}):
        assert pointers(prd({**story(acceptanceCriteria=bad, **OWN), **done}), rule) == []


def test_a_story_for_a_person_is_told_once() -> None:
    """C068."""
    value = prd(story(acceptanceCriteria=["Manual: check in production", "QA signs off"], **OWN))
    assert pointers(value, "only-manual") == ["/userStories/0/acceptanceCriteria"]
    assert pointers(value, "manual-criterion") == []
    assert pointers(prd(story(**OWN)), "only-manual") == []


def test_more_criteria_than_an_agent_keeps_in_mind() -> None:
    many = [f"Prints {number}" for number in range(13)]
    (problem,) = found(prd(story(acceptanceCriteria=many, **OWN)), "too-many-criteria")
    assert problem.message.startswith("13 criteria")
    assert pointers(prd(story(acceptanceCriteria=many[:12], **OWN)), "too-many-criteria") == []


EPICS = [
    *("Build the entire dashboard", "Implement complete authentication system", "Rewrite the whole back-end"),
    *("Epic: login", "Build the app", "Implement full-stack API", "Sistema completo", "Das gesamte System umbauen"),
    *("Refaire toute l'application", "A teljes rendszer", "重写整个系统", "Create the full application for tablets"),
]
NO_EPICS = [
    *("Show the full application name", "Implement full text search API", "Create a full backup", "Epicurean menu"),
    *("Add a priority to tasks", "Build the app icon", "Delete the whole list", "Build full screen UI", "Log in"),
]


def test_a_story_that_sounds_like_an_epic() -> None:
    stories = [story(number, **OWN) | {"title": title} for number, title in enumerate([*EPICS, *NO_EPICS])]
    wanted = {f"/userStories/{number}/title" for number in range(len(EPICS))}
    assert set(pointers(prd(*stories), "epic-story")) == wanted


def test_dependencies_against_priority() -> None:
    stories = [
        story(1, priority=1, dependsOn=["2", "3", "4", "5"], **OWN),
        story(2, priority=1.5, **OWN),
        story(3, **OWN),
        story(4, priority=1, **OWN),
        story(5, priority=9, **OWN) | {"passes": True},
    ]
    messages = [problem.message for problem in found(prd(*stories), "priority-order")]
    assert messages == ['priority 1, but it waits for "2" with 1.5', 'priority 1, but it waits for "3" with none']
    assert pointers(prd(*stories), "priority-order") == ["/userStories/0/priority"] * 2


def test_ids_that_landed_before() -> None:
    stories = [story(number, **OWN) for number in range(9)]
    stories[0]["passes"] = True
    landed = {str(number): "ralph/old" for number in range(7)} | {"8": ""}
    old, bare = found(prd(*stories), "reused-id", replace(MISSING, landed=landed))
    assert old.message.startswith('"1", "2", "3", "4", "5" and 1 more landed on the branch "ralph/old" already')
    assert bare.message.startswith('"8" landed before this file had a branch')
    assert (old.pointer, bare.pointer) == ("/userStories/1/id", "/userStories/8/id")


def test_nothing_is_found_in_files_that_people_wrote_well() -> None:
    """The corpus: no rule about words cries wolf there."""
    quiet = [name for name in RULES if name.endswith("-criterion") or name.startswith(("epic", "masked", "inverted"))]
    for file in sorted(FIXTURES.glob("0[12]-*.json")):
        if "expected" not in file.name:
            document = parse(file.read_bytes(), file.name)
            assert lint(document, file.name, rules=quiet) == (), file.name
