"""Commands that a project at hand suggests, to be offered to the person: read from its files, and never tried.

Pure: a mapping of file names to bytes in, frozen proposals out. What cannot be read proposes nothing.
"""

from prd_ralph.planning.detection.detect import FILES, detect, with_commands
from prd_ralph.planning.detection.proposals import Kind, Proposal

__all__ = ["FILES", "Kind", "Proposal", "detect", "with_commands"]
