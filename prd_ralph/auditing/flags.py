"""Who set each flag, by the versions of the file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from prd_ralph.auditing.values import Setting

Claims = Mapping[str, bool]


class Version(Protocol):
    """The file after one commit, as the history tells it."""

    @property
    def commit(self) -> str: ...

    @property
    def parents(self) -> tuple[str, ...]: ...

    @property
    def at(self) -> str: ...

    @property
    def subject(self) -> str: ...

    @property
    def trailers(self) -> Mapping[str, str]: ...

    @property
    def claims(self) -> Claims | None: ...

    @property
    def is_oldest(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Flags:
    """`now`: what the newest version claims. `settings`: of each claimed story, who set it; None: that is not known."""

    now: Claims
    settings: Mapping[str, Setting | None]


def flags_of(versions: Sequence[Version]) -> Flags:
    """`versions` are newest first, each before those that it was made of; one that cannot be read changes nothing.

    A flag is set by a version in which it is true, and in none of those that this one was made of.
    """
    said: dict[str, Claims] = {}
    for version in reversed(versions):
        before = [said[parent] for parent in version.parents if parent in said]
        said[version.commit] = version.claims if version.claims is not None else before[0] if before else {}
    if not versions:
        return Flags({}, {})
    now = said[versions[0].commit]
    returned = frozenset(key for version in versions for key in _unset(version, said))
    found: dict[str, Setting | None] = {}
    for version in versions:
        new = tuple(_set(version, said))
        for key in new:
            if now.get(key) and key not in found:
                found[key] = None if version.is_oldest else _setting(version, new, key, key in returned)
    return Flags(now, found)


def _set(version: Version, said: Mapping[str, Claims]) -> Iterator[str]:
    for key, claimed in said[version.commit].items():
        if claimed and not any(said[parent].get(key) for parent in version.parents if parent in said):
            yield key


def _unset(version: Version, said: Mapping[str, Claims]) -> Iterator[str]:
    """Taken back, by a version that was made of one alone: a merge may choose."""
    for parent in version.parents if len(version.parents) == 1 else ():
        for key, claimed in said.get(parent, {}).items():
            if claimed and said[version.commit].get(key) is False:
                yield key


def _setting(version: Version, new: Iterable[str], key: str, returned: bool) -> Setting:
    return Setting(
        commit=version.commit,
        at=version.at,
        subject=version.subject,
        others=tuple(other for other in new if other != key),
        is_first=not version.parents,
        returned=returned,
        receipt=version.trailers if version.trailers.get("Story") == key else {},
    )
