"""A model API of our own on 127.0.0.1: what it answers is fixed by the scenario in the address, not by a model."""

from tests.realcli.mock.journal import Entry
from tests.realcli.mock.server import MockModel

__all__ = ["Entry", "MockModel"]
