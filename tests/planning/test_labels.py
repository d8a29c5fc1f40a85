"""RULES, Labels: what is one, where its value ends, what it opens; and what a story makes of each."""

import pytest

from tests.planning.documents import story, unplaced


@pytest.mark.parametrize(
    "label",
    [
        "**Acceptance Criteria:**",
        "**Acceptance Criteria**:",
        "**Acceptance Criteria**",
        "__Acceptance Criteria:__",
        "Acceptance criteria:",
        "ACCEPTANCE CRITERIA：",
        "**3. Acceptance criteria (v2):**",
        "#### Acceptance Criteria",
        "###### 2.1 **Acceptance criteria** (must):",
        "**Done when:**",
        "Definition of done:",
        "**验收标准：**",
        "**Abnahmekriterien**",
        "**Critères d’acceptation :**",
    ],
)
@pytest.mark.parametrize(
    "items", ["- [ ] a\n- [x] b\n", "1. a\n2. b\n", "* a\n\n\n* b\n", "+ a\n+ b", "- a\n\n* * *\n\n- b\n"]
)
def test_every_form_of_a_criteria_label(label: str, items: str) -> None:  # C069
    assert story(f"{label}\n\n{items}") == {"acceptanceCriteria": ["a", "b"]}


@pytest.mark.parametrize(
    ("body", "criteria"),
    [
        ("**Acceptance Criteria:**\n\n**Acceptance Criteria:**\n- a\n", ["a"]),  # C069
        ("**Acceptance Criteria:** one\n", ["one"]),
        ("**Acceptance Criteria:** one\ntwo\n- three\n", ["one two", "three"]),
        ("**Acceptance Criteria:**\none\n\ntwo\nlines\n", ["one", "two lines"]),
        ("- **Acceptance Criteria:**\n  1. a\n  2. b\n", ["a", "b"]),
        ("- **Acceptance Criteria:**\n- a\n- b\n", ["a", "b"]),
        ("**Criteria:**\n- a\n- Edge cases:\n  - b\n- c\n", ["a", "b", "c"]),
        ("**Criteria:**\n- a\n\n**Error handling:**\n- b\n\n**Scenarios:** c\n", ["a", "b", "c"]),
        (
            "#### Criteria\n- a\n##### Login\n- b\n**Speed:** fast\n- c\n#### Happy path\n- d\n",
            ["a", "b", "fast", "c", "d"],
        ),
        (
            "**Criteria:**\n- **Must:** do it\n- **Given** x `**y**`\n- Test: by hand\n",
            ["**Must:** do it", "**Given** x `**y**`", "Test: by hand"],
        ),
        (
            "**Criteria:**\n- Depends on: the weather\n- Priority: high ones first\n",
            ["Depends on: the weather", "Priority: high ones first"],
        ),
        ("text\n\n- [ ] a\n- b\n- [x] c\n", ["a", "c"]),
        ("text\n\n- a\n- b\n", ["a", "b"]),
        ("#### Steps\n- a\n- b\n", ["a", "b"]),
        ("- **Fast:** a\n- **Small:** b\n", ["**Fast:** a", "**Small:** b"]),
        ("**Criteria:**\n- a\n**Priority:** 2\n- b\n", ["a", "b"]),
    ],
)
def test_what_the_criteria_are(body: str, criteria: list[str]) -> None:  # C069
    assert story(body)["acceptanceCriteria"] == criteria


@pytest.mark.parametrize(
    ("item", "criterion"),
    [
        ("- a\n  b\n", "a b"),
        ("- a:\n  - b\n  - c\n", "a: b; c"),
        ("- a.\n  1. b:\n     - c\n     - d\n  2. e\n", "a: b: c, d; e"),
        ("- a\n\n  b\n\n  - c\n\n  d\n", "a b: c; d"),
        ("- [ ] a\n    - [x] b\n", "a: b"),
        ("- a  \n  b\\\n  c\n", "a b c"),
        ("- a <!-- x\n  y --> b<!-- z -->\n", "a b"),
        ("- `<!-- a -->` ``b ` `` [c][d] &amp; \\* <!--\n", "`<!-- a -->` ``b ` `` [c][d] &amp; \\* <!--"),
        ("- a:\n  ```sh\n  x\n    y\n  ```\n", "a:\n```sh\nx\n  y\n```"),
        ("- a\n\n  | b |\n  |---|\n  | c |\n\n  > d\n", "a\n| b |\n|---|\n| c |\n> d"),
        ("-\ta\n\t-\tb\n", "a: b"),
        ("- - a\n", "a"),
        ("- ```\n  a\n  ```\n", "```\na\n```"),
        ("- | a |\n  |---|\n  | b |\n", "| a |\n|---|\n| b |"),
        ("- # a\n", "a"),
    ],
)
def test_an_item_is_one_criterion(item: str, criterion: str) -> None:
    assert story(f"**Acceptance Criteria:**\n\n{item}")["acceptanceCriteria"] == [criterion]


@pytest.mark.parametrize(
    ("body", "description"),
    [
        ("a **b**\nc\n\nd\n", "a b c\n\nd"),
        ("**Description:** a\nb\n\nc\n", "a b\n\nc"),
        ("#### User story\n\na\n", "a"),
        ("**Priority:** 1\na\n", "a"),
        ("- a\n- b: \n  - c\n\n3. d\n4. e\n", "- a\n- b: c\n\n3. d\n4. e"),
        ("```py\nx\n```\n\n> q\n> r\n\n    code\n      more\n", "```py\nx\n```\n\n> q\n> r\n\ncode\n  more"),
        ("<details>\nx\n</details>\n", "<details>\nx\n</details>"),
        ("**As a** x  \n**I want** y  \n**So that** z\n", "As a x, I want y, so that z"),
        ("As an x,\n\nI want to y,\n\nSo that z.\n", "As an x, I want to y, so that z."),
        ("**As a**: x\n**I want**: y\n", "As a x, I want y"),
        ("As a x\n\nother\n", "As a x\n\nother"),
        ("**As a x, I want y.**\n", "As a x, I want y."),
        ("As a x, I want y.\n---\n", "As a x, I want y."),
        ("a\n\n<!-- b\n\nc -->\n", "a"),
        ("<!-- a --> b\n", "b"),
        ("", None),
    ],
)
def test_the_description(body: str, description: str | None) -> None:  # C072
    assert story(f"{body}\n\n**Criteria:**\n- c\n").get("description") == description


def test_a_description_after_other_labels() -> None:
    body = "**Criteria:**\n- c\n\n**Note:** n\n\n**Description:** As a x\nI want y\nSo that z\n\nstray\n"
    assert story(body)["description"] == "As a x, I want y, so that z"
    assert unplaced(body) == [10]


@pytest.mark.parametrize(
    ("body", "notes"),
    [
        ("**Note:** a\nb\n", "a b"),
        ("**Notes:**\n- a\n- b\n\nc\n", "a; b; c"),
        ("**Why now**: a **b**\n\n#### 3. Design (x):\n- c\n  - d\n", "Why now: a **b**\n3. Design (x): c: d"),
        ("Hinweis: a\n", "a"),
        ("#### Note: a\n", "a"),
        ("Tasks: a\n", "Tasks: a"),
        ("**Verify:** by hand\n", "Verify: by hand"),
        ("**Important!**\n- a\n", "Important!: a"),
    ],
)
def test_the_notes(body: str, notes: str) -> None:
    assert story(f"**Criteria:**\n- c\n\n{body}")["notes"] == notes
    assert story(f"{body}\n**Criteria:**\n- c\n")["notes"] == notes


def test_labels_of_items_are_notes_but_among_criteria_they_are_criteria() -> None:
    body = "- **Effort:** S\n- **Owner**: x\n"
    assert story(f"{body}\n**Criteria:**\n- c\n") == {"acceptanceCriteria": ["c"], "notes": "Effort: S\nOwner: x"}
    assert story(f"**Criteria:**\n- c\n{body}") == {"acceptanceCriteria": ["c", "**Effort:** S", "**Owner**: x"]}


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("**Criteria:**\n\na\n\n- b\n\nc\nd\n\n| e |\n|---|\n| f |\n", [3, 7, 10]),
        ("**Criteria:**\n- b\n\n**Note:** x\n\na\n\n- c\n  - d\n- e\n\n```\nf\n```\n", [6, 8, 10, 12]),
        ("**Criteria:**\n- b\n\n**Open questions**\n", [4]),
        ("**Criteria:**\n- b\n\n**Open questions:**\n\n<a name='x'></a>\n", []),
        ("**Criteria:**\n- b\n\n**Notes:**\n> a\n\n    b\n", [5, 7]),
        ("**Criteria:**\n- b\n\n**Depends on:** rain\n**Priority:** soon\n", [4, 5]),
        ("**Criteria:**\n- b\n\n#### Depends on\n- rain\n- none\n\n```\nx\n```\n", [5, 8]),
        ("**Criteria:**\n- b\n\n**Verify:**\n```json\nx\n```\n| a |\n|---|\n", [5, 8]),
    ],
)
def test_what_is_unplaced(body: str, lines: list[int]) -> None:
    assert unplaced(body) == lines


def test_a_label_below_an_item_is_no_part_of_it() -> None:
    body = "**Criteria:**\n- a\n  - b\n**Priority:** high\n\n**Depends on:** none\n---\n\n- c\n"
    assert story(body) == {"acceptanceCriteria": ["a: b", "c"]}
    assert unplaced(body) == []


def test_nothing_inside_code_quotes_or_comments_is_anything() -> None:
    inside = "### US-9: x\n- [ ] y\n**Acceptance Criteria:**\n- z\n"
    quoted = "".join(f"> {line}\n" for line in inside.splitlines())
    indented = "".join(f"    {line}\n" for line in inside.splitlines())
    body = f"t\n\n~~~~md\n{inside}~~~~\n\n{quoted}\n{indented}\n<!--\n{inside}-->\n\n**Criteria:**\n- c\n"
    assert story(body)["acceptanceCriteria"] == ["c"]
