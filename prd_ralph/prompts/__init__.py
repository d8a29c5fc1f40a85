"""The prompt: a Jinja template, read anew each time, over data that can neither be evaluated nor leave its fence."""

from prd_ralph.prompts.fence import clean, fence
from prd_ralph.prompts.planning import JinjaPlanPrompt
from prd_ralph.prompts.prompts import JinjaPrompts
from prd_ralph.prompts.reviewing import JinjaReviewPrompt

__all__ = ["JinjaPlanPrompt", "JinjaPrompts", "JinjaReviewPrompt", "clean", "fence"]
