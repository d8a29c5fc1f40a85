"""The work tree and its repository as the application sees them: the `Workspace` port."""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from prd_ralph.model import AttemptKey
from prd_ralph.ports import Candidate, Current, Landed, LandingRefused, LandingRequest, Reclaimed
from prd_ralph.workspace import (
    begin,
    candidate,
    excursion,
    hiding,
    landing,
    lock,
    others,
    reclaim,
    refs,
    resume,
    setaside,
    submodules,
)
from prd_ralph.workspace.commit import close, commit, refuse_moved_head
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.early import Early
from prd_ralph.workspace.files import Kept
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.ground import Ground
from prd_ralph.workspace.guard import guard_files, guard_meta, told_ignored
from prd_ralph.workspace.location import discover
from prd_ralph.workspace.objects import Objects
from prd_ralph.workspace.protection import Protect, Protection
from prd_ralph.workspace.remembered import Remembered
from prd_ralph.workspace.specials import clear_specials, clear_way_for_git
from prd_ralph.workspace.status import join_z
from prd_ralph.workspace.texts import SHARED
from prd_ralph.workspace.unwatched import guard_absent


class GitWorkspace:
    """One run's hold on a work tree.

    `state` is a folder outside the work tree (`<common git folder>/prd-ralph/runs/<id>`) for our indexes, copies of
    guarded files and what is moved out of the way. `prd` and `memory` (prd.json, progress.txt) are relative to the
    root, with `/`. `base` is the commit that the run starts from, `branch` its branch's name (None: detached).
    `pause` waits some seconds for somebody's lock.
    """

    def __init__(
        self,
        git: Git,
        state: Path,
        prd: str,
        memory: tuple[str, ...],
        base: str,
        branch: str | None,
        never_stage: tuple[str, ...] = (),
        protect: Protect = (),
        commands: tuple[str, ...] = (),
        pause: Callable[[float], object] = time.sleep,
        stage: Callable[[str], object] = lambda stage: None,
    ) -> None:
        state.mkdir(parents=True, exist_ok=True)
        location = discover(git.root)
        objects = Objects(git, location.common_dir / "objects", location.object_format)
        self._desk = Desk(git, location, objects, state, tuple(dict.fromkeys((prd, *memory))), never_stage)
        self._git, self._pause, self._stage = git, pause, stage
        self._prd, self._base, self._branch = prd, base, branch
        self._base_tree = self._landing_tree = self._subject = ""
        self._remembered = Remembered(git)
        self._early = Early(self._desk)
        self._protection = Protection(self._desk, protect, commands)
        self._worked = self._resumed = self._still = False
        self._ground: Ground | None = None
        self._current: Current | None = None
        self._landed: Landed | None = None
        self._store = self._desk.store
        self._blobs: refs.Blobs = {}
        self._notes: tuple[str, ...] = ()
        self._forget_attempts()

    def _forget_attempts(self) -> None:
        """Nothing of an attempt lies in the work tree."""
        self._candidate: Candidate | None = None
        self._left_out: frozenset[str] = frozenset()
        self._hideable: tuple[str, ...] = ()
        self._forced: frozenset[str] = frozenset()
        self._heads: tuple[str, ...] = ()
        self._held: tuple[str, ...] = ()
        self._tampered: tuple[str, ...] = ()

    @property
    def root(self) -> Path:
        return self._git.root

    def next_attempt(self, story_id: str) -> int:
        """The story's largest attempt number in any run, plus 1."""
        return self._remembered.next_attempt(story_id)

    def current(self) -> Current | None:
        """What the last run left in the work tree. Raises BlockedError where it cannot be read."""
        return refs.read_current(self._git)

    def resume(self, current: Current) -> tuple[str, ...]:
        """Takes `current` up; the paths that differ from what it recorded.

        Base becomes HEAD, unless HEAD is a commit of the killed attempt's agent: then it stays what it was.
        """
        self._notes += tuple(clear_specials(self._desk, frozenset()))
        ground = resume.find_ground(self._desk, current)
        head = resume.find_base(self._desk, current, ground)
        self._set_base(head.commit)
        self._branch = head.branch
        self._worked, self._ground = True, resume.take_ground(self._desk, current, ground, self._base)
        if current.ended:  # what has changed since may be the person's doing
            self._ground = begin.trust(self._desk, self._ground)
        if ground and ground.base == self._base:
            self._store = self._desk.of(current.key.run).store
        hiding.bring_back(self._desk.of(current.key.run))
        self._protection.resume(current)
        if current.away and not current.empty:
            self._notes += excursion.come_back(self._desk, self._ground, current)
        now = resume.as_it_lies(self._desk, current, (frozen := self.freeze()))
        no_agent_since = current.judged or current.away
        theirs = resume.newcomers(self._desk, current, self._base, now) if no_agent_since else frozenset()
        if theirs:
            self._ground = replace(self._ground, known=self._ground.known | theirs)
            self.freeze()
        self._current, self._resumed = replace(current, base=self._base), True
        different = resume.differing(self._desk, current.tree, now) - theirs
        if current.empty:
            excursion.refuse_edited(different.intersection(frozen.paths))
        return tuple(sorted(different))

    def landing_of(self, current: Current) -> Landed | None:
        """The landing that `current` had begun, where HEAD is that commit."""
        return resume.landing_of(self._desk, current)

    def recorded(self, current: Current, path: str) -> bytes | None:
        """A file of the work tree as `current` recorded it, or as base has it; never what lies there."""
        return refs.recorded(self._git, current, path)

    def begin(self, key: AttemptKey) -> None:
        """Notes the ground before an agent starts: base index, known untracked files, guarded files, `current`."""
        self._note()
        self._early.look()
        self._worked, self._ground = True, self._protection.note(self._known_ground())
        self._record(Current(key, self._base, self._candidate.tree if self._candidate else self.base_tree, ended=False))

    def _note(self) -> None:
        first, earlier = self._ground is None, self._candidate
        mine = frozenset(earlier.paths) | self._left_out if earlier else frozenset()
        self._ground = begin.note(self._desk, self._base, self._branch, mine, self._ground, self._still)
        self._store = self._desk.store
        if first and self._ground.beyond:
            self._notes = (f"{self._ground.beyond} untracked or ignored files are too large or too many to be guarded",)
        self._heads, self._held, self._forced = (), (), frozenset()
        self._resumed = self._still = False

    def reclaim(self, key: AttemptKey) -> Reclaimed:
        """Puts HEAD softly back on base. Raises ForeignChangeError for a person's commit or branch change.

        Before that git's own files, which could bend what git says; and ignored files of the person's: those are
        noted only, since tools change such files as they run.
        """
        desk, ground = self._desk, self._known_ground()
        reclaim.refuse_lost_state(desk, self._base)
        self._tampered = (*self._guard_outside(trusted=False), *desk.mend(desk.base_index))
        notes, self._notes = [*self._notes, *reclaim.end_unfinished(desk.location, self._branch, desk.attic)], ()
        notes += clear_way_for_git(desk, ground, self._store)
        now = others.read_refs(self._git, desk.location)
        self._tampered += others.guard_replaced(self._git, desk.location, ground.refs, now)
        notes += told_ignored(self._guard_files(ignored=True))
        tips = reclaim.find_tips(self._git, desk.location, self._base, self._branch, ground.log_size)
        same_index = desk.indexes.equals(desk.base_index, desk.location.index)
        self._heads = tips.own if tips else ()
        if self._heads:  # before HEAD leaves them: whatever ends us now, a ref holds the agent's own commits
            self._git("update-ref", refs.attempt_ref(key), self._heads[0])
        if tips or not same_index:
            self._forced = reclaim.forced_paths(self._git, desk.location.index, self._base, self._heads)
        if tips:
            reclaim.move_back(self._git, tips, self._base, self._branch, f"{key.story}#{key.number}")
            notes += reclaim.left_branch(tips, self._branch, ground.refs)
        if not same_index:
            reclaim.put_index_back(desk)
        self._guard_refs(key, ground, now)
        return Reclaimed(self._heads[0] if self._heads else None, tuple(notes))

    def _guard_refs(self, key: AttemptKey, ground: Ground, now: Mapping[str, str]) -> None:
        """Puts the person's other refs back. Whatever ends us now: the attempt's ref holds what they are about."""
        git, location = self._git, self._desk.location
        stash = (self._store.read(ground.stash) or b"") if ground.stash else b""
        self._ground = replace(ground, made=ground.made | now.keys() - ground.refs.keys())
        changes = others.changes(git, location, ground.refs, now, stash, self._branch)
        if changes:
            self._held = others.commits(git, changes)
            refs.write(self._desk, [self._end_state(key, self.base_tree)], {})
            self._tampered += others.put_back(git, location, changes, stash, f"{key.story}#{key.number}")

    def guard(self, key: AttemptKey) -> tuple[str, ...]:
        """Puts back the person's untracked files; names them, and what `reclaim` had put back of git's own."""
        tampered, self._tampered = self._tampered, ()
        protected = self._protection.put_back(self._base, self._known_ground())
        return (*tampered, *self._guard_files(ignored=False), *protected)

    def suspects(self, candidate: Candidate, fresh: bool = False) -> tuple[str, ...]:
        """What a pass of the candidate's may rest on though nobody looked: `path: why`, for the person."""
        return self._protection.suspects(self._base, candidate, fresh)

    def freeze(self) -> Candidate:
        """The work tree as a tree object."""
        desk = self._desk
        rules = desk.rules(self._known_ground(), self._forced)
        desk.indexes.copy(desk.base_index, desk.candidate_index)
        frozen = candidate.freeze(self._git, desk.candidate_index, self.base_tree, rules)
        desk.indexes.hold(desk.candidate_index)
        self._candidate, self._left_out, self._hideable = frozen.candidate, frozen.left_out, frozen.new
        return frozen.candidate

    @contextmanager
    def at_base(self, key: AttemptKey) -> Iterator[bool]:
        """While entered, base lies in the work tree, for commands to look at; False where it cannot."""
        before = self._current
        if before is None or before.judged:
            self._note()
        frozen = self._candidate or self.freeze()
        empty = frozen.tree == self.base_tree
        self._record(Current(key, self._base, frozen.tree, ended=True, away=True, empty=empty))
        try:
            yield empty or excursion.leave(self._desk, frozen, self.base_tree)
        finally:
            self._guard_outside(trusted=not self._worked)
            self._back_to(frozen)
            if before:
                self._record(before)
            else:
                refs.forget_current(self._git, self._desk.location)
                self._current, self._candidate = None, None

    def only_candidate(self) -> AbstractContextManager[tuple[str, ...]]:
        """While entered, new files that the candidate leaves out are away from the work tree; which ones."""
        return hiding.hidden(self._desk, self._protection.left_out(self._hideable))

    def keep(self, key: AttemptKey, candidate: Candidate, head: str | None) -> None:
        """Puts the attempt's end state under its ref, and says in `current` that it has ended."""
        earlier = resume.kept_before(self._desk, key) if self._resumed else None
        attempt = self._end_state(key, candidate.tree, head, earlier)
        self._record(Current(key, self._base, candidate.tree, ended=True), attempt)
        self._remembered.attempted(key)

    def _end_state(self, key: AttemptKey, tree: str, *commits: str | None) -> refs.Record:
        """What the attempt's ref holds: `tree` on base, the agent's own commits, and those of refs that it moved."""
        parents = dict.fromkeys((self._base, *(name for name in (*commits, *self._heads, *self._held) if name)))
        return refs.Record(refs.attempt_ref(key), f"{key.story} attempt {key.number}\n", tuple(parents), tree)

    def judged(self, unchecked: bool) -> None:
        """Says in `current` that the attempt's verdict is out, and that its work stays in the tree."""
        if self._current:
            self._record(replace(self._current, judged=True, unchecked=unchecked, landing_tree=None))

    def restore(self, candidate: Candidate, setup: bool = False) -> tuple[str, ...]:
        """After commands: tracked paths go back to the candidate; what they planted goes, unless `setup` did."""
        planted, put_back = self._guard_outside(trusted=setup), self._back_to(candidate)
        self._protection.ran(() if setup else put_back, planted)
        self._candidate = self._candidate if self._current else None  # of a story that has landed nothing lies here
        return tuple(name for name in planted if not name.endswith(SHARED))

    def _guard_outside(self, trusted: bool) -> tuple[str, ...]:
        """What was planted for git, or for all that the commands start, is put back, unless it is `trusted`."""
        if trusted:
            self._ground = begin.trust(self._desk, self._known_ground())
            return ()
        planted = guard_meta(self._desk.location, self._known_ground(), self._store, self._desk.attic)
        return (*planted, *self._protection.put_back_outside())

    def _back_to(self, candidate: Candidate) -> tuple[str, ...]:
        desk, ground = self._desk, self._known_ground()
        self._notes += (*clear_way_for_git(desk, ground, self._store), *desk.mend(desk.candidate_index))
        appeared, put_back = setaside.back_to_candidate(desk, ground, candidate.paths, self._left_out)
        changed = (*self._guard_files(ignored=False), *self._guard_files(ignored=True))
        self._ground = replace(ground, known=ground.known | appeared, left=ground.left | appeared)
        self._still = True
        if self._current and (appeared or put_back or changed):
            self._record(replace(self._current, tree=candidate.tree))
        return put_back

    def land(self, request: LandingRequest) -> Landed | LandingRefused:
        """Makes the one commit on base, recorded in `current` first. Raises ForeignChangeError."""
        desk = self._desk
        refuse_moved_head(desk, self._base, self._branch)
        if not lock.is_free(desk.location.index_lock, self._pause):
            return LandingRefused(str(lock.taken(desk.location.index_lock)), by_hook=False)
        ground = self._known_ground()
        known = ground.known | self._left_out
        footing = landing.Footing(self._base, self._branch, self._prd, self._early.committed, known)
        announce = partial(self._announce, request)
        outcome, quietly = commit(desk, footing, request, self._early.signature, ground.hooks, announce)
        self._still = self._still and quietly
        self._landed = outcome if isinstance(outcome, Landed) else None
        return outcome

    def _announce(self, request: LandingRequest, tree: str) -> None:
        self._landing_tree, self._subject = tree, request.message.partition("\n")[0]
        self._record(Current(request.key, self._base, request.candidate.tree, ended=True, landing_tree=tree))

    def settle(self, landed: str) -> None:
        """After the flag is on disk: refreshes the index, makes the landing the new base, forgets `current`."""
        ours = self._landed if self._landed and self._landed.commit == landed else None
        if paths := ours.paths if ours else landing.made(self._git, landed).paths:
            if not lock.is_free(self._desk.location.index_lock, self._pause):
                raise lock.taken(self._desk.location.index_lock)
            self._git("reset", "-q", "--pathspec-from-file=-", "--pathspec-file-nul", stdin=join_z(paths))
        self._stage("settling")
        refs.forget_current(self._git, self._desk.location)
        self._set_base(landed)
        self._base_tree = self._landing_tree if ours else ""
        if ours:
            self._remembered.committed(landed, self._subject)
        self._landed = self._current = None
        if self._ground is not None:  # what landed leaves behind is no later story's
            known = self._ground.known | self._left_out
            self._ground = begin.trust(self._desk, replace(self._ground, known=known))
        self._forget_attempts()

    def set_aside(self, key: AttemptKey) -> tuple[str, ...]:
        """Makes the tree base again; returns what was moved to the state folder because no ref holds it."""
        self._stage("setting_aside")
        frozen = self._candidate
        if frozen is None:
            frozen = self.freeze()
            self.keep(key, frozen, resume.kept_before(self._desk, key))
        self._back_to(frozen)
        moved = setaside.back_to_base(self._desk, self._known_ground(), frozen, self.base_tree)
        moved += tuple(submodules.move_back(self._git, self.base_tree, frozen.unlandable, refs.attempt_ref(key)))
        self._stage("set_aside")
        refs.forget_current(self._git, self._desk.location)
        self._current = None
        self._forget_attempts()
        return moved

    def close(self, message: str) -> str | None:
        """Commits prd.json and progress.txt where they differ from base; the commit, or None.

        The copies of the person's files go, where no attempt lies in the tree that might yet need them.
        """
        made = close(self._desk, self._base, self._branch, message)
        if made:
            self._set_base(made)
        if self._current is None:
            shutil.rmtree(self._desk.state / "kept", ignore_errors=True)
            self._ground = None
        return made

    def recent_commits(self, count: int) -> tuple[str, ...]:
        """`abc1234 subject` lines, newest first."""
        return self._remembered.recent_commits(self._base, count)

    def _known_ground(self) -> Ground:
        """The ground; where an attempt is met without one (a start after a crash), as it is now."""
        if self._ground is None:
            self._ground = begin.note(self._desk, self._base, self._branch, frozenset(), None)
        return self._ground

    def _guard_files(self, ignored: bool) -> tuple[str, ...]:
        ground, attic = self._known_ground(), self._desk.attic
        away = () if ignored else tuple(guard_absent(self.root, ground.absent, attic))
        return (*away, *guard_files(self.root, ground.kept(ignored), self._store, attic, self._spare))

    def _spare(self, path: str, kept: Kept) -> bytes | None:
        """A file of the person's as git was given it."""
        name = self._blobs.get((path, kept.stamp))
        if name:
            return self._desk.objects.read(name)
        return self.recorded(self._current, path) if self._current else None

    def _record(self, current: Current, *others: refs.Record) -> None:
        """Writes `current`, with the untracked files known now; `others` first."""
        known = self._known_ground().known
        self._current = replace(current, known_untracked=tuple(sorted(known)))
        refs.write(self._desk, [*others, refs.current_record(self._current, self._desk.laid_over(known))], self._blobs)

    def _set_base(self, base: str) -> None:
        if base != self._base:
            self._base, self._base_tree = base, ""

    @property
    def base_tree(self) -> str:
        """The tree of base."""
        self._base_tree = self._base_tree or self._desk.tree_of(self._base)
        return self._base_tree

    def content(self, tree: str) -> str:
        """`tree` less prd.json and progress.txt: the same before and after a landing."""
        return self._desk.objects.overlay(tree, {os.fsencode(path): None for path in self._desk.memory})
