"""The warnings of a reading, in words for people."""

_MEANINGS = {
    "id_generated": "stories without an id were given one",
    "title_from_description": "stories without a title got the first sentence of their description",
    "priority_mixed": "words and numbers are compared: high is 2, as `2` is",
    "priority_missing": "no priority: after all others",
    "priority_unknown": "this priority is not known: after all others",
    "criterion_flags": "flags of single criteria are not read",
    "no_status": "nothing says whether these stories are done: they are open",
    "passes_over_status": "the flag and the status differ: the flag counts",
    "no_criteria": "no acceptance criteria",
    "dependency_prose": "what the story waits for was worked out: see that it is right",
    "also_found": "another list of stories, not read",
}


def in_words(warning: str) -> str:
    """Of a warning `code pointer`: the pointer, and what it means."""
    code, _, pointer = warning.partition(" ")
    return f"{pointer or 'the list'}: {_MEANINGS[code]}"
