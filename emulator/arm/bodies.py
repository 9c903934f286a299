"""What no body of a request may hold, whatever it is about."""

import json

# Deeper than any resource or template, and well inside Python's stack.
MAX_DEPTH = 100


def check(body: object) -> None:
    """Let a parsed body pass.

    Raises:
        ValueError: it is nested too deep, or cannot be written as JSON again (NaN, half a surrogate pair) and so could
            be neither kept nor named in an answer.
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
