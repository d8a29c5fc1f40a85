"""A PRD that is written down in any of the layouts, planned, is that PRD again; and no bytes make anything but a plan
or a refusal."""

from dataclasses import dataclass, field

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from prd_ralph.planning.plan import plan_file, plan_folder
from prd_ralph.planning.problems import PlanError
from prd_ralph.planning.values import Plan
from tests.planning.compared import compared

WORDS = (
    "the",
    "list",
    "`a b`",
    "shows",
    "[x](y.md)",
    "ten",
    "É",
    "用户",
    "0.5",
    "**bold**",
    "a*b",
    "don't",
    "— no",
    "x_y",
)


@dataclass(frozen=True)
class Written:
    """A story as a person has it in mind."""

    title: str
    description: str
    criteria: tuple[str, ...]
    commands: tuple[str, ...]
    priority: int
    needs: frozenset[int] = field(default_factory=frozenset)


def sentences(beginning: str) -> st.SearchStrategy[str]:
    """Words after one that makes them neither label nor list."""
    return st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(lambda words: " ".join([beginning, *words]))


COMMAND = st.sampled_from(["make", "npm test -- x", "pytest -q", "a | b", "x && y"])
STORY = st.builds(
    Written,
    sentences("Title").map(lambda text: text.replace("**", "").replace("— ", "")),
    sentences("It"),
    st.lists(sentences("Criterion"), min_size=1, max_size=4, unique=True).map(tuple),
    st.lists(COMMAND, max_size=2, unique=True).map(tuple),
    st.integers(0, 9),
    st.frozensets(st.integers(0, 4), max_size=3),
)
STORIES = st.lists(STORY, min_size=1, max_size=5)
MARKERS = st.sampled_from(["- [ ] ", "- [x] ", "* ", "1. ", "+ ", "2) "])
ENDS = st.sampled_from(["\n", "\r\n"])


def needs(stories: list[Written], at: int) -> list[str]:
    """The ids that a story depends on: those of stories that there are."""
    return [f"US-{number + 1}" for number in sorted(stories[at].needs) if number < len(stories)]


def meant(stories: list[Written]) -> list[tuple[object, ...]]:
    """What planning is to give. Bold is unwrapped in descriptions."""
    return [
        (
            f"US-{at + 1}",
            story.title,
            story.description.replace("**", ""),
            story.criteria,
            story.priority,
            tuple(needs(stories, at)),
            story.commands,
            "",
        )
        for at, story in enumerate(stories)
    ]


def planned(plan: Plan) -> list[tuple[object, ...]]:
    assert plan.unplaced == ()
    return [
        (s.id, s.title, s.description, s.criteria, s.priority, s.depends_on, s.commands, s.notes) for s in plan.stories
    ]


def verifying(story: Written, prefix: str = "") -> str:
    return "".join(f"{prefix}Verify: `{command}`\n" for command in story.commands)


@given(STORIES, MARKERS, ENDS, st.integers(2, 6), st.sampled_from([": ", " — ", " - ", ". ", " "]), st.booleans())
def test_headings(stories: list[Written], marker: str, end: str, level: int, separator: str, as_labels: bool) -> None:
    text = "# PRD: P\n\n## User Stories\n\n" if level > 2 else "# PRD: P\n\n"
    for at, story in enumerate(stories):
        label = "**{}:**\n\n" if as_labels or level == 6 else "#" * (level + 1) + " {}\n\n"
        text += f"{'#' * level} US-{at + 1}{separator}{story.title}\n\n"
        text += f"**Priority:** {story.priority}\n**Depends on:** {', '.join(needs(stories, at)) or 'none'}\n\n"
        text += f"{story.description}\n\n{label.format('Acceptance Criteria')}"
        text += "".join(f"{marker}{criterion}\n" for criterion in story.criteria) + f"\n{verifying(story)}\n"
    assert planned(plan_file("p.md", text.replace("\n", end).encode())) == meant(stories)


@given(STORIES, MARKERS, st.sampled_from(["# P\n\n", "", "# P\n\n## Tasks\n\n"]), st.sampled_from([" — ", ": ", " - "]))
def test_checklists(stories: list[Written], marker: str, beginning: str, separator: str) -> None:
    text = beginning
    for at, story in enumerate(stories):
        text += f"- [ ] **US-{at + 1}: {story.title}**{separator}{story.description}\n"
        text += "".join(f"      {marker}{criterion}\n" for criterion in story.criteria)
        below = "      - "
        text += f"{below}Priority: {story.priority}\n{verifying(story, below)}"
        text += f"{below}Depends on: {', '.join(needs(stories, at)) or 'none'}\n"
    assert planned(plan_file("p.md", text.encode())) == meant(stories)


@given(STORIES, st.permutations(range(6)), st.sampled_from(["; ", "<br>", "<br/>"]))
def test_tables(stories: list[Written], order: list[int], separator: str) -> None:
    columns = ["ID", "Title", "Description", "Acceptance criteria", "Priority", "Depends on"]
    text = "## Stories\n\n| " + " | ".join(columns[at] for at in order) + " |\n" + "|---" * 6 + "|\n"
    for at, story in enumerate(stories):
        depends = " and ".join(needs(stories, at)) or "-"
        cells = [
            f"US-{at + 1}",
            story.title,
            story.description,
            separator.join(story.criteria),
            str(story.priority),
            depends,
        ]
        text += "| " + " | ".join(cells[at] for at in order) + " |\n"
    bare = [Written(s.title, s.description, s.criteria, (), s.priority, s.needs) for s in stories]
    assert planned(plan_file("p.md", text.encode())) == meant(bare)


@given(STORIES, MARKERS, st.booleans())
def test_one_file_a_story(stories: list[Written], marker: str, in_front: bool) -> None:
    files = [("overview.md", b"# P\n\nAll of it.\n")]
    for at, story in enumerate(stories):
        depends = ", ".join(needs(stories, at))
        commands = "".join(f"\n  - '{command}'" for command in story.commands)
        title = story.title.replace("'", "''")
        front = f"---\nid: US-{at + 1}\ntitle: '{title}'\npriority: {story.priority}\n"
        front += f"dependsOn: [{depends}]\nverificationCommands:{commands}\n---\n"
        head = f"# US-{at + 1}: {story.title}\n\nPriority: {story.priority}\nDepends on: {depends or 'none'}\n\n"
        text = (front if in_front else head + verifying(story)) + f"\n## Description\n\n{story.description}\n\n"
        text += "## Acceptance Criteria\n\n" + "".join(f"{marker}{criterion}\n" for criterion in story.criteria)
        files.append((f"story-{at + 1}.md", text.encode()))
    assert planned(plan_folder("d", files)) == meant(stories)


PIECES = st.sampled_from(
    [
        *(
            "# P",
            "## Tasks",
            "### US-1: a",
            "#### Edge cases",
            "## Checks",
            "US-2: x",
            "---",
            "===",
            "```sh",
            "```",
            "> q",
        ),
        *("- [ ] a", "[x] b", "  - c", "    - d", "1. e", "**Priority:** high", "**Depends on:** US-1", "Verify: `x`"),
        *(
            "**Acceptance Criteria:**",
            "<!--",
            "-->",
            "| ID | Title |",
            "|--|--|",
            "| X-1 | t |",
            "As a x, I want y.",
            "",
        ),
        *(
            "[PRD]",
            "[/PRD]",
            "For UI stories:",
            "\t- f",
            "**bold**",
            "`",
            "[a]: b",
            "<b>",
            "\\",
            "- **Notes:** n",
            "title: x",
        ),
    ]
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PIECES, max_size=40).map("\n".join))
@example("**")
@example("- \n- [ ]\n[ ]\n")
def test_any_document_is_planned_or_refused(text: str) -> None:
    """And the same one the same, however its lines end; every line that is named is one of the file."""
    found = compared("p.md", text)
    assert found == compared("p.md", text.replace("\n", "\r\n"))
    lines = [*found.get("unplaced", []), *found.get("error", {}).get("lines", [])]
    assert all(1 <= line <= text.count("\n") + 1 for line in lines)
    assert all(story["acceptanceCriteria"] and story["title"] for story in found.get("userStories", []))


@given(st.binary(max_size=200))
def test_any_bytes_are_planned_or_refused(data: bytes) -> None:
    try:
        plan_file("p.md", data)
    except PlanError as error:
        assert error.problems
