"""The name of a model, as an argument of an agent."""

from prd_ralph.errors import RalphError


def plain_model(model: str | None) -> str:
    """The model's name, "" for none. Raises RalphError for a text that an agent could take for an option."""
    if model and (model.startswith("-") or not model.isprintable() or " " in model):
        raise RalphError(f"not a model's name: {model!r}", "a model is one word that does not begin with '-'")
    return model or ""
