"""Secrets taken out of what is kept and shown: by the environment's values, and by the shapes of well-known tokens."""

from prd_ralph.masking.mask import MARK, Mask
from prd_ralph.masking.stream import MaskedStream

__all__ = ["MARK", "Mask", "MaskedStream"]
