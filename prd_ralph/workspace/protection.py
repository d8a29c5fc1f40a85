"""What decides verdicts beside prd.json: protected files are put back, and what else may sway a command is named.

`protect` is a list of patterns as in .gitignore: what base holds under them is put back, whatever became of it, and
what is new under them is moved away. Or it is `auto`: what were tests, or told a runner which tests there are, when the
run began (`testfiles`). Those are put back too, but may grow: an attempt may

- add lines to a test, as long as every line of base stands and none is turned off (`growth`), or lay it out anew,
- give a module another name, and tests with it: the same text but for that name, here or in a new test file,
- add test files as it likes, and what tools write for tests to compare with (snapshots).

What of this might yet sway the old tests is told as suspect, and `--strict` refuses it. An honest attempt loses nothing
by `auto`: at worst the old tests are there again.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from prd_ralph.patterns import Patterns
from prd_ralph.ports import Candidate, Current
from prd_ralph.testfiles import is_guarded
from prd_ralph.workspace.auto import tampered
from prd_ralph.workspace.basetree import SUBMODULE, Holding, hold, read_blobs, stands, submodules
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.difference import Changed, difference
from prd_ralph.workspace.files import reached
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.ground import Ground, save
from prd_ralph.workspace.outputs import Outputs
from prd_ralph.workspace.protect import move_away, open_folders, put_back, strays, touched, unignored
from prd_ralph.workspace.status import below, split_z
from prd_ralph.workspace.surroundings import Surroundings
from prd_ralph.workspace.suspicions import Change, Judge

Protect = tuple[str, ...] | Literal["auto"]
_RAN = "was changed while the commands ran"
_PROTECTED = "it is protected, and yet would land as something else"


@dataclass(frozen=True, slots=True)
class _Base:
    """What base holds of what is protected: `guarded` paths in each holding, the work tree's own first."""

    commit: str = ""
    holdings: tuple[Holding, ...] = ()
    guarded: frozenset[str] = frozenset()

    def holds(self, path: str) -> bool:
        return any(path.startswith(each.folder) and path[len(each.folder) :] in each.blobs for each in self.holdings)


class Protection:
    """`protect`: patterns as in .gitignore, or `auto`: what existed as tests when the run began.

    `commands`: the lines that verdicts rest on; a script of the project's that they run is looked at too.
    """

    def __init__(self, desk: Desk, protect: Protect, commands: tuple[str, ...] = ()) -> None:
        self._desk = desk
        self._auto = protect == "auto"
        self._patterns = Patterns(() if protect == "auto" else protect)
        self._judge = Judge(commands, sys.stdlib_module_names)
        self._base = _Base()
        self._at_start: frozenset[str] | None = None
        self._heirs: dict[str, str] = {}
        self._ran: frozenset[str] = frozenset()
        self._surroundings = Surroundings(desk, commands)
        self._outputs = Outputs(desk)

    @property
    def _active(self) -> bool:
        return self._auto or bool(self._patterns)

    def note(self, ground: Ground) -> Ground:
        """Sees what is protected, before an agent starts, and what else lies there; the ground with it."""
        self._ran = frozenset()
        self._surroundings.note()
        self._outputs.note(ground.left)
        if not self._active:
            return ground
        self._look(ground.base)
        noted = replace(ground, strays=strays(self._desk.root, self._patterns, self._base.holds))
        save(noted, self._desk.ground_file)
        return noted

    def put_back(self, base: str, ground: Ground) -> tuple[str, ...]:
        """Puts protected files back as `base` has them; names what was changed. Raises BlockedError."""
        self._ran = frozenset()
        named = self._put_back(base, ground) if self._active else ()
        self._surroundings.look()
        self._outputs.look(ground.left, (ground.known | ground.files.keys()) - ground.left)
        return named

    def left_out(self, hideable: tuple[str, ...]) -> tuple[str, ...]:
        """What the commands are to do without before a pass is believed: `hideable`, and what git ignores of it."""
        return (*hideable, *self._outputs.made(hideable))

    def _put_back(self, base: str, ground: Ground) -> tuple[str, ...]:
        self._look(base)
        theirs = ground.known | ground.absent
        named: list[str] = []
        for holding in self._base.holdings:
            paths = [path for path in holding.files() if path in self._base.guarded and path not in theirs]
            named += open_folders(self._desk.root, paths)
            found = touched(self._desk, holding, paths)
            if self._auto:
                found, heirs = tampered(self._desk, found)
                self._heirs |= heirs
            put_back(self._desk, found)
            named += sorted(found)
        return (*named, *self._move_new(ground))

    def put_back_outside(self) -> tuple[str, ...]:
        """Puts back what every program reads, git too: before git is asked anything after an agent."""
        return self._surroundings.put_back()

    def resume(self, current: Current) -> None:
        """Takes up what was seen before the attempt that `current` tells of."""
        self._surroundings.resume(current.key.run, killed=not current.ended)
        self._outputs.resume()

    def ran(self, paths: Iterable[str], planted: Iterable[str]) -> None:
        """Tells of tracked files that the commands, or what they ran, had changed, and of what they planted outside."""
        mine = (path for path in paths if path in self._base.guarded or is_guarded(path))
        self._ran |= frozenset((*mine, *planted))

    def suspects(self, base: str, candidate: Candidate, fresh: bool) -> tuple[str, ...]:
        """What of the attempt's may sway a command though nobody looked: `path: why`. `fresh`: the commands ran in a
        checkout, where what is in no commit sways none.
        """
        told = [f"{path}: {_RAN}" for path in sorted(self._ran)]
        if self._patterns:
            told += [f"{path}: {_PROTECTED}" for path in candidate.paths if path in self._base.guarded]
        if any(map(self._judge.looks_at, candidate.paths)):
            told += self._suspicions(difference(self._desk.git, base, candidate.tree))
        return (*told, *self._surroundings.suspects(candidate, fresh))

    def _suspicions(self, changed: tuple[Changed, ...]) -> Iterator[str]:
        mine = [each for each in changed if not self._desk.own(each.path)]
        looked = [each for each in mine if self._judge.looks_at(each.path)]
        names = (name for each in looked for name in (each.before, each.after) if name)
        blobs = read_blobs(self._desk.git, names)
        changes = (
            Change(
                each.path,
                blobs.get(each.before, b"") if each.before else None,
                blobs.get(each.after, b"") if each.after else None,
            )
            for each in looked
        )
        gone, made = [each.path for each in mine if not each.after], [each.path for each in mine if not each.before]
        return self._judge.suspicions(changes, gone, made)

    def _look(self, base: str) -> None:
        if base == self._base.commit:
            return
        desk = self._desk
        top = hold(desk.git, base, desk.location.git_dir)
        holdings = (top, *(submodules(desk.git, top, self._reached_submodules(top)) if self._patterns else ()))
        if self._auto and self._at_start is None:
            self._at_start = frozenset(filter(is_guarded, top.files()))
        heirs = {new for old, new in self._heirs.items() if old not in top.blobs}
        mine = frozenset[str]() if self._at_start is None else self._at_start | heirs
        paths = (path for holding in holdings for path in holding.files() if not desk.own(path))
        guarded = filter(mine.__contains__ if self._auto else self._patterns.match, paths)
        self._base = _Base(base, holdings, frozenset(guarded))

    def _reached_submodules(self, top: Holding) -> Iterator[str]:
        """Those that a pattern might name something in."""
        stems = self._patterns.stems()
        for path, blob in top.blobs.items():
            if blob.mode == SUBMODULE and any(not stem or below(path, [stem]) or below(stem, [path]) for stem in stems):
                yield path

    def _move_new(self, ground: Ground) -> tuple[str, ...]:
        desk, theirs = self._desk, ground.strays | ground.known | ground.ignored | ground.files.keys()

        def known(path: str) -> bool:
            return path in theirs or self._base.holds(path) or desk.own(path)

        found = strays(desk.root, self._patterns, known)
        folders = tuple(folder for folder in ground.ignored if folder.endswith("/"))
        new = {path for path in found if not path.startswith(folders)}
        inside = tuple(holding.folder for holding in self._base.holdings[1:])
        return move_away(desk, unignored(desk, new, inside, self._unchanged)) if new else ()

    def _unchanged(self, path: str) -> bool:
        top, root = self._base.holdings[0], self._desk.root
        return path in top.blobs and reached(root, path) and stands(root, path, top.blob(path), file_mode=False)


def idle(git: Git, base: str, protect: Protect) -> tuple[str, ...]:
    """The patterns that name nothing which `base` holds, nor anything in a submodule."""
    lines = () if protect == "auto" else tuple(line for line in protect if Patterns([line]))
    if not lines:
        return ()
    listed = [line.partition("\t") for line in split_z(git("ls-tree", "-r", "-z", "--full-tree", base))]
    folders = [path for about, _, path in listed if about.startswith(f"{SUBMODULE:o} ")]
    paths = [path for _, _, path in listed]

    def is_idle(patterns: Patterns) -> bool:
        inside = any(below(stem, folders) for stem in patterns.stems() if stem)
        return not inside and not any(map(patterns.match, paths))

    return tuple(line for line in lines if is_idle(Patterns([line])))
