"""What an agent may not change is put back; of prd.json, only what prd-ralph itself wrote ever stands."""

from collections.abc import Mapping
from typing import Any

from prd_ralph import events
from prd_ralph.model import AttemptKey
from prd_ralph.ports import GuardedPrd, Ports


def guard(
    ports: Ports, key: AttemptKey, before: bytes
) -> tuple[bytes, tuple[str, ...], str | None, tuple[Mapping[str, Any], ...]]:
    """Puts back what the agent may not change: prd.json's bytes as they are now, what was put back, the agent's HEAD,
    the stories that it wrote into prd.json.

    `before` are the bytes that the agent met.
    """
    # prd.json first: whatever else is met, no flag stands there that nobody proved.
    guarded = _guard_prd(ports, key, before)
    reclaimed = ports.workspace.reclaim(key)
    tampered = (*guarded.tampered, *ports.workspace.guard(key))
    for note in reclaimed.notes:
        ports.emit(events.Warned(message=note, story=key.story))
    _tell(ports, key, tampered, guarded.proposals)
    return guarded.data, tampered, reclaimed.head, guarded.added


def _guard_prd(ports: Ports, key: AttemptKey, before: bytes) -> GuardedPrd:
    found = ports.prd_file.read()
    if found == before:
        return GuardedPrd(before)
    guarded = ports.prd_file.guard(before, found, key.story)
    ports.prd_file.write(guarded.data, None)
    if found is not None and guarded.tampered:
        shown = ports.mask(found.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        (ports.state.attempt_folder(key) / "prd.json.agent").write_bytes(shown)
    return guarded


def _tell(ports: Ports, key: AttemptKey, what: tuple[str, ...], proposals: tuple[str, ...]) -> None:
    if what or proposals:
        ports.emit(events.Tampered(story=key.story, attempt=key.number, what=what, proposals=proposals))


def stand_by(ports: Ports, key: AttemptKey, data: bytes) -> None:
    """prd.json is `data`, to the byte: what has run since it was written (commands, hooks) may be the agent's code."""
    guarded = _guard_prd(ports, key, data)
    if guarded.data != data:
        ports.prd_file.write(data, None)
    _tell(ports, key, guarded.tampered, guarded.proposals)
