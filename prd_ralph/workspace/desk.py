"""What every step of an attempt works with: git, where things are, and the run's own folder."""

import itertools
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from prd_ralph.names import draft_name
from prd_ralph.workspace.candidate import Rules
from prd_ralph.workspace.files import LARGE, Attic, Store, lstat
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.ground import UNTRACKED_BOUNDS, Ground
from prd_ralph.workspace.indexes import Indexes
from prd_ralph.workspace.location import Location
from prd_ralph.workspace.objects import Objects
from prd_ralph.workspace.staging import OWN_FOLDER
from prd_ralph.workspace.status import below


@dataclass(frozen=True, slots=True)
class Desk:
    """`state` lies outside the work tree. `memory` (prd.json first, progress.txt) is relative to the root, with `/`."""

    git: Git
    location: Location
    objects: Objects
    state: Path
    memory: tuple[str, ...]
    never_stage: tuple[str, ...] = ()
    held: dict[str, bytes] = field(default_factory=dict)
    indexes: Indexes = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "indexes", Indexes(self.attic))

    @property
    def root(self) -> Path:
        return self.git.root

    @property
    def base_index(self) -> Path:
        return self.state / "base.index"

    @property
    def candidate_index(self) -> Path:
        return self.state / "candidate.index"

    def mend(self, index: Path) -> tuple[str, ...]:
        """Makes an index of ours what we had written, after foreign code has run; its name where it was not that."""
        return (f".git/{index.relative_to(self.location.common_dir)}",) if self.indexes.mend(index) else ()

    @property
    def landing_index(self) -> Path:
        return self.state / "landing.index"

    @property
    def ground_file(self) -> Path:
        return self.state / "ground.json"

    @property
    def store(self) -> Store:
        return Store(self.state / "kept", self.held)

    @property
    def attic(self) -> Attic:
        return Attic(self.state / "moved")

    def of(self, run: str) -> "Desk":
        """The desk of another run of this repository."""
        return Desk(self.git, self.location, self.objects, self.state.parent / run, self.memory, self.never_stage)

    def rules(self, ground: Ground, forced: frozenset[str] = frozenset()) -> Rules:
        """What stays out of a candidate on this ground."""
        theirs = ground.known | ground.ignored | ground.files.keys()
        return Rules(self.ours, theirs, self.never_stage, forced)

    @property
    def ours(self) -> tuple[str, ...]:
        """prd.json (and what was to become it), progress.txt and prd-ralph's folder: no part of any diff."""
        prd = PurePosixPath(self.memory[0])
        return (*self.memory, str(prd.with_name(draft_name(prd.name))), OWN_FOLDER)

    def own(self, path: str) -> bool:
        return below(path, self.ours)

    def tree_of(self, commit: str) -> str:
        return self.git("rev-parse", "--verify", f"{commit}^{{tree}}").decode("ascii").strip()

    def laid_over(self, known: frozenset[str]) -> tuple[str, ...]:
        """The files that `current` holds beside the candidate: what is known, within bounds, and the memory."""
        paths = (path for path in sorted(known) if not path.endswith("/"))
        most, room = UNTRACKED_BOUNDS
        chosen = []
        for path in itertools.islice(paths, most):
            found = lstat(self.root / path)
            room -= found.st_size if found and found.st_size <= LARGE else 0
            if room >= 0:
                chosen.append(path)
        return (*chosen, *self.memory)
