"""Valid bodies of a cluster with a few places changed."""

import copy
import json
from typing import Any

from hypothesis import strategies as st

from tests.api_versions import VERSIONS
from tests.fuzz.strategies import ANY_JSON, valid_bodies


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of everything in a JSON value."""
    entries: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        entries = list(value.items())
    elif isinstance(value, list):
        entries = list(enumerate(value))
    return [path, *(place for name, entry in entries for place in _places(entry, (*path, name)))]


@st.composite
def mutated_bodies(draw: st.DrawFn) -> tuple[str, bytes]:
    """Draw a version and a valid body of it, with one to three places replaced, removed or duplicated."""
    api_version = draw(st.sampled_from(VERSIONS))
    mutant: Any = draw(st.sampled_from(valid_bodies(api_version)))
    for _ in range(draw(st.integers(1, 3))):
        *parents, last = draw(st.sampled_from(_places(mutant)[1:] or [("x",)]))
        holder: Any = mutant
        for parent in parents:
            holder = holder[parent]
        action = draw(st.sampled_from(["replace", "remove", "double", "add"]))
        if action == "replace":
            holder[last] = draw(ANY_JSON)
        elif action == "remove" and last in holder:
            del holder[last]
        elif action == "double" and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        elif action == "add" and isinstance(holder, dict):
            holder[draw(st.text(max_size=10))] = draw(ANY_JSON)
    return api_version, json.dumps(mutant).encode()
