"""The ground that the commands run on beside the candidate: before an agent it is noted, after it put back or named.

What an agent planted where every command reads (a home's start-up files, a program of a known name on PATH) is put
back. What may as well be an honest agent's doing (an installed package, an ignored file) is named as suspect.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from prd_ralph.ports import Candidate
from prd_ralph.workspace import bytecode, outside, programs, sites, sway
from prd_ralph.workspace.commands import words
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.files import Kept, Store, write_whole
from prd_ralph.workspace.glance import alike, entries, glance, place_of, seen
from prd_ralph.workspace.noted import Noted, dump, file_of, load
from prd_ralph.workspace.startup import listed, read_above, startup_files
from prd_ralph.workspace.status import below, split_z
from prd_ralph.workspace.sway import Sway, relative

_NAMED = 20
_LOST = "prd-ralph was killed while the agent worked, and what it had noted of the ground is gone"


class Surroundings:
    """Of one run. The environment is the one that prd-ralph was started with: no agent can change it."""

    def __init__(self, desk: Desk, commands: tuple[str, ...] = ()) -> None:
        self._desk = desk
        self._minded = programs.MINDED | {word.rpartition("/")[2] for word in words(commands)}
        self._lost = ""
        self._env = desk.git.env
        self._store = Store(desk.state / "kept", {})
        self._noted: Noted | None = None
        self._saved: Noted | None = None
        self._is_earlier = False
        self._caches: bytecode.Caches = {}
        self._suspects: dict[str, str] = {}
        self._swaying: dict[str, str] = {}

    def resume(self, run: str, killed: bool) -> None:
        """Takes up what a run that has ended had noted: all of it where it was `killed` with its agent."""
        noted = load(file_of(self._desk.of(run)))
        self._lost = f"run {run}: {_LOST}" if killed and noted is None else ""
        if noted is not None:
            self._noted = noted if killed else Noted(files=noted.files, planted=noted.planted)
            self._is_earlier = True
            self._store = Store(self._desk.of(run).state / "kept", {})

    def note(self) -> None:
        """An agent is about to start. What has changed since the last one is others' doing, but for what was planted
        and for what will be put back.
        """
        before, earlier = self._noted or Noted(), self._is_earlier or self._noted is None
        if self._is_earlier:
            self._store, self._is_earlier = Store(self._desk.state / "kept", {}), False
        nodes = before.nodes
        if earlier:
            folders = (Path(folder.path) for folder in self._folders if seen(folder.path) is not None)
            nodes = outside.note((*self._read_at_start(), *folders), self._store, self._root)
        now = programs.look(self._folders, {} if earlier else before.programs, self._store)
        changes = programs.changes(self._folders, before.programs, now)
        due = frozenset() if earlier else frozenset(each.path for each in changes if not self._stays(each, before))
        found = sway.look(self._root)
        files = _glances(self._root, self._all_that_sways(found), before.files)
        planted = before.planted & (now.keys() | files.keys())
        self._noted = Noted(
            nodes,
            _trusted(before.programs, now, planted | due),
            _trusted(before.files, files, planted),
            planted,
        )
        self._caches = bytecode.note(self._root, found.caches)
        self._suspects, self._swaying, self._lost = {}, {}, ""
        self._save()

    def put_back(self) -> tuple[str, ...]:
        """Puts back what lies outside of the work tree; names it."""
        noted = self._noted
        if noted is None or not noted.nodes:
            return ()
        mender = outside.Mender(self._store, self._desk.attic, self._home)
        outside.mend(noted.nodes, lambda: self._newcomers(noted.nodes), mender, self._root)
        planted = set(noted.planted)
        now = programs.look(self._folders, noted.programs)
        for change in sorted(programs.changes(self._folders, noted.programs, now), key=self._leads_on):
            if self._stays(change, noted) or self._dangles(noted.programs.get(change.path)):
                mender.suspect(change.path, change.why)
                planted.add(change.path)
            else:
                hiding = change.kind is programs.Kind.HIDING
                mender.mend(change.path, noted.programs.get(change.path), change.why if hiding else "")
        self._noted = replace(noted, planted=frozenset(planted))
        self._save()
        self._suspects = dict(mender.mended.suspects)
        return mender.mended.tampered

    def _stays(self, change: programs.Change, noted: Noted) -> bool:
        """Whether it is named alone: a person's update, and an agent's of itself, change what no command names."""
        if change.tolerated or change.kind is programs.Kind.HIDING:
            return change.tolerated
        return self._minded.isdisjoint(programs.names_of(self._folders, noted.programs, change.path))

    def _leads_on(self, change: programs.Change) -> tuple[bool, str]:
        """What links of PATH's lead to comes before them."""
        return any(change.path.rpartition("/")[0] == folder.path for folder in self._folders), change.path

    def _dangles(self, kept: Kept | None) -> bool:
        """Whether it was a link, and what it led to is gone."""
        if kept is None or not stat.S_ISLNK(kept.mode) or kept.digest is None:
            return False
        target = self._store.read(kept.digest) or b"/"
        return target.startswith(b"/") and seen(os.fsdecode(target)) is None

    def look(self) -> None:
        """Finds what sways the commands that are about to run, and takes away bytecode that is not theirs."""
        noted = self._noted or Noted()
        found = sway.look(self._root)
        reasons = self._all_that_sways(found)
        now = _glances(self._root, reasons, noted.files)
        changed = [] if self._noted is None else [path for path in now if not alike(noted.files.get(path), now[path])]
        tracked = self._tracked() if changed or found.caches else frozenset()
        changed = [path for path in changed if path not in tracked and sites.matters(str(self._root / path))]
        bytecode.sweep(self._root, found.caches, self._caches, tracked, self._desk.attic)
        self._swaying = {path: self._told(path, reasons[path], path in noted.files) for path in changed}
        if self._noted is not None:
            self._noted = replace(self._noted, planted=noted.planted | frozenset(changed))
            self._save()

    def suspects(self, candidate: Candidate, fresh: bool) -> tuple[str, ...]:
        """What sways the commands and is no part of the candidate: `path: why`, no more than can be read. `fresh`:
        they ran in a checkout, so that only what lies outside of the work tree does.
        """
        left_out = [text.rpartition(": ")[0].rstrip("/") for text in candidate.left_out]
        mine = frozenset(candidate.paths)
        told = [self._lost] if self._lost else []
        told += [f"{path}: {why}" for path, why in self._suspects.items()]
        swaying = {path: text for path, text in self._swaying.items() if path.startswith("/") or not fresh}
        told += [text for path, text in swaying.items() if path not in mine and not below(path, left_out)]
        told = list(dict.fromkeys(told))
        more = len(told) - _NAMED
        return (*told[:_NAMED], *([f"… and {more} more"] if more > 0 else []))

    @property
    def _root(self) -> Path:
        return self._desk.root

    @cached_property
    def _home(self) -> str:
        """Where the home lies in truth; empty where there is none."""
        home = self._env.get("HOME", "")
        return os.path.realpath(home) if home.startswith("/") else ""

    def _read_at_start(self) -> Iterator[Path]:
        """What is put back whatever it is."""
        yield from startup_files(self._root, self._env, self._desk.location.common_dir)
        yield from programs.ways(self._env)

    def _newcomers(self, nodes: outside.Nodes) -> Iterator[Path]:
        """What may lie beside it by now; a folder that was too full to be noted is none of ours."""
        yield from listed(self._env, lambda folder: str(place_of(folder)) in nodes)
        yield from programs.ways(self._env)

    @cached_property
    def _folders(self) -> tuple[programs.Folder, ...]:
        """PATH's, as they are before an agent could make one look like another kind."""
        return programs.folders_of(self._env, self._root)

    @cached_property
    def _bins(self) -> frozenset[str]:
        return programs.folders_inside(self._env, self._root)

    @cached_property
    def _prefixes(self) -> tuple[Path, ...]:
        return sites.prefixes(self._env)

    @cached_property
    def _read_inside(self) -> frozenset[str]:
        """Start-up files that lie in the work tree: the home does, or a link of the person's leads there."""
        return outside.inside(self._read_at_start(), self._root)

    def _all_that_sways(self, found: sway.Found) -> dict[str, Sway]:
        """By path: what is found in the work tree, and what lies beside it."""
        root = self._root
        files = dict(found.files)
        for prefix in {*self._prefixes, *(root / prefix for prefix in found.prefixes)}:
            files |= {relative(root, path): why for path, why in sites.swaying(prefix)}
        bins = {*self._bins, *(f"{prefix}/bin" for prefix in found.prefixes if prefix)}
        for folder in sorted(bins):
            names = (f"{folder}/{entry.name}".lstrip("/") for entry in entries(root / folder))
            files |= {path: Sway("commands may run it by its name") for path in names if path not in files}
        files |= {
            str(path): Sway("runners look for it above the project")
            for path in read_above(root, self._desk.location.common_dir)
        }
        return files | dict.fromkeys(self._read_inside, Sway("what the commands start reads it"))

    def _told(self, path: str, why: Sway, was_there: bool) -> str:
        named = outside.shown(relative(self._root, why.package or path), self._home)
        return f"{named}: {'changed' if was_there else 'new'}, {why.why}"

    def _tracked(self) -> frozenset[str]:
        return frozenset(split_z(self._desk.git("ls-files", "-z", index=self._desk.base_index)))

    def _save(self) -> None:
        if self._noted is not None and self._noted != self._saved:
            write_whole(file_of(self._desk), dump(self._noted))
            self._saved = self._noted


def _trusted(before: Mapping[str, Kept], now: Mapping[str, Kept], held: frozenset[str]) -> dict[str, Kept]:
    """What is there now, and of `held` what was there before."""
    kept = {path: found for path, found in before.items() if path in held}
    return {path: found for path, found in now.items() if path not in held} | kept


def _glances(root: Path, files: Mapping[str, Sway], before: Mapping[str, Kept]) -> dict[str, Kept]:
    """What lies there. The first 2,000 files of the work tree are read, but for those of packages."""
    found: dict[str, Kept] = {}
    left = sway.MOST
    for path, why in files.items():
        whole = left > 0 and not why.package and not path.startswith("/")
        left -= whole
        kept = glance(root / path, before.get(path), whole=whole)
        if kept is not None:
            found[path] = kept
    return found
