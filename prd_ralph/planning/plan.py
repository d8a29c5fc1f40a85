"""The planner: named bytes in, a `Plan` out, or one error with all that is wrong. Deterministic and pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from prd_ralph.planning.bodies import body_of
from prd_ralph.planning.body import Body
from prd_ralph.planning.commands import once
from prd_ralph.planning.document import Document, read
from prd_ralph.planning.draft import Draft, merged
from prd_ralph.planning.gates import Condition, Gates, gates_of
from prd_ralph.planning.ids import Index, free_ids
from prd_ralph.planning.inline import unwrapped
from prd_ralph.planning.notices import notices
from prd_ralph.planning.onefile import story_of
from prd_ralph.planning.outline import Stretch
from prd_ralph.planning.priorities import filled
from prd_ralph.planning.problems import PlanError
from prd_ralph.planning.reading import digest, digest_of_all, natural
from prd_ralph.planning.refusals import refuse_bodies, refuse_ids
from prd_ralph.planning.stories import stories_of
from prd_ralph.planning.top import BRANCH_KEYS, PROJECT_KEYS, branch_of, description_of, project_of
from prd_ralph.planning.values import Place, Plan, PlannedStory, Unplaced


@dataclass(frozen=True, slots=True)
class File:
    """One file, searched: `whole` says that it is one story. `left`: the first lines of what no story has."""

    document: Document
    drafts: tuple[Draft, ...]
    stretches: tuple[Stretch, ...]
    gates: Gates
    left: tuple[int, ...] = ()
    whole: bool = False

    def places(self, lines: Iterable[int]) -> tuple[Place, ...]:
        return tuple(map(self.document.place, lines))


def plan_file(file: str, data: bytes, *, bare: bool = False) -> Plan:
    """Plans one markdown file; `file` is its name, for messages and, where nothing else names it, for the project.

    Raises PlanError for what cannot be read, has no stories, stories of one id, without criteria, or with a
    dependency that no story is: all in one go, each with its line. `bare`: that there are
    no stories, or some without criteria, is no error.
    """
    return _plan(file, [_searched(read(file, data))], digest(data), folder=False, bare=bare)


def plan_folder(folder: str, files: Iterable[tuple[str, bytes]], *, bare: bool = False) -> Plan:
    """Plans the markdown files of a folder together, in natural order of their names (RULES: "One file a story").

    The sha256 is that of the names and digests in this order. Raises PlanError as `plan_file` does.
    """
    named = sorted(files, key=lambda entry: natural(entry[0]))
    found, problems = [], []
    for file, data in named:
        try:
            found.append(read(file, data))
        except PlanError as error:
            problems += [(error.kind, problem) for problem in error.problems]
    if problems:
        raise PlanError(problems)
    return _plan(folder, _searched_all(found), digest_of_all(named), folder=True, bare=bare)


def _searched(document: Document, top: frozenset[str] = frozenset()) -> File:
    story = story_of(document, top)
    if story is not None:
        return File(document, (story,), (), Gates((), (), ()), whole=True)
    stories = stories_of(document)
    return File(document, stories.drafts, stories.stretches, gates_of(stories.stretches), stories.left)


def _searched_all(documents: Sequence[Document]) -> list[File]:
    """Where all files are stories, the first one's front matter gives the top keys."""
    files = [_searched(document) for document in documents]
    if files and all(file.whole for file in files):
        files[0] = _searched(documents[0], frozenset((PROJECT_KEYS[0], *BRANCH_KEYS)))
    return files


def _plan(name: str, files: Sequence[File], sha256: str, *, folder: bool, bare: bool) -> Plan:
    drafts = _with_ids(merged(draft for file in files for draft in file.drafts))
    refuse_ids(name, drafts, [file.document for file in files], bare=bare)
    index = Index(draft.id or "" for draft in drafts)
    bodies = [_body(draft, index) for draft in drafts]
    refuse_bodies(drafts, bodies, bare=bare)
    bodies, dropped = _with_conditions(drafts, bodies, [(file, c) for file in files for c in file.gates.conditions])
    priorities = filled(body.priority for body in bodies)
    stories = tuple(map(_story, drafts, bodies, priorities))
    unplaced = {place for file in files for place in file.places((*file.left, *file.gates.unplaced))} | set(dropped)
    unplaced |= {
        Place(draft.place.file, line) for draft, body in zip(drafts, bodies, strict=True) for line in body.unplaced
    }
    documents = {file.document.file: file.document for file in files}
    order = list(documents)
    project, branch, description = _top(name, files)
    return Plan(
        project,
        branch,
        description,
        once(command for file in files for command in file.gates.commands),
        stories,
        tuple(
            Unplaced(place, documents[place.file].lines[place.line - 1].strip())
            for place in sorted(unplaced, key=lambda place: (order.index(place.file), place.line))
        ),
        notices(files, stories),
        sha256,
        folder,
    )


def _top(name: str, files: Sequence[File]) -> tuple[str, str | None, str]:
    """The top keys, from the first file without a story."""
    file = next((file for file in files if not file.drafts), files[0])
    stretches = file.stretches
    project = project_of(file.document, stretches, name, titled=not file.whole)
    first = min((draft.place.line for draft in file.drafts), default=len(file.document.lines) + 1)
    return project, branch_of(file.document, stretches, project), description_of(stretches, first)


def _with_ids(drafts: Sequence[Draft]) -> tuple[Draft, ...]:
    """Stories without an id get the next free one, in document order."""
    free = free_ids(draft.id for draft in drafts if draft.id)
    return tuple(draft if draft.id else replace(draft, id=next(free), numbered=True) for draft in drafts)


def _body(draft: Draft, index: Index) -> Body:
    """All that a draft says: what is given, its blocks, and those of a heading that adds to it."""
    given = draft.given
    for value, line in draft.values:
        given = given.plus(Body.depending(value, line, index))
    body = given.plus(body_of(draft.blocks, index, bullets=draft.bullets))
    if draft.lead:
        body = replace(body, criteria=(draft.lead,)) if not body.criteria else Body(unwrapped(draft.lead)).plus(body)
    for more in draft.more:
        body = body.plus(_body(more, index))
    return body


def _with_conditions(
    drafts: Sequence[Draft], bodies: Sequence[Body], conditions: Sequence[tuple[File, Condition]]
) -> tuple[list[Body], list[Place]]:
    """What conditional gates add to the stories that they are for; those for none are unplaced."""
    given = list(bodies)
    dropped: list[Place] = []
    for file, condition in conditions:
        meant = [at for at, draft in enumerate(drafts) if condition.holds(draft.title, bodies[at].areas)]
        for at in meant:
            given[at] = given[at].plus(Body(criteria=condition.criteria, commands=condition.commands))
        dropped += [] if meant else file.places(condition.lines)
    return given, dropped


def _story(draft: Draft, body: Body, priority: int) -> PlannedStory:
    story_id = draft.id or ""
    return PlannedStory(
        story_id,
        draft.title or story_id,
        draft.place,
        draft.sha256,
        body.description,
        body.criteria,
        priority,
        body.depends_on,
        body.commands,
        "\n".join(body.notes),
        draft.skip,
        draft.numbered,
    )
