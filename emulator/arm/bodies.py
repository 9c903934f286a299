"""Checks on every request body, independent of its contents."""

import json

# Deeper than any resource or template, and well within the limits of Python's stack.
MAX_DEPTH = 100


def check(body: object) -> None:
    """Check that a parsed body can be stored and sent back.

    Raises:
        ValueError: it is nested too deeply, or it cannot be written as JSON again (NaN, half a surrogate pair), so it
            could neither be stored nor quoted in an answer.
    """
    level, depth = [body], 0
    while level:
        depth += 1
        inside = [value for value in level if isinstance(value, dict | list)]
        level = [item for value in inside for item in (value.values() if isinstance(value, dict) else value)]
    if depth > MAX_DEPTH:
        raise ValueError(f"The reader's MaxDepth of {MAX_DEPTH} has been exceeded.")
    try:
        json.dumps(body, allow_nan=False, ensure_ascii=False).encode()
    except ValueError as error:
        raise ValueError(f"The body holds what JSON cannot: {error}") from error
