"""What a KubernetesApply document asks for, and what is wrong with it beyond its schema. Pure."""

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

from jsonpath import JSONPathEnvironment, JSONPathError
from jsonpath.token import TOKEN_COMMA, TOKEN_DDOT, TOKEN_FILTER, TOKEN_FUNCTION, TOKEN_ROOT

from shared import durations
from shared.bundles.problems import Problem
from shared.json_object import Json
from shared.phase_documents.documents import Phase
from shared.phase_documents.site import Site

# The paths of conditions come from bundles, and they are looked for in whatever a cluster answers. Within these limits
# the work grows with the answer and no faster: no function searches with a regular expression, and no two parts of a
# path multiply the values to look at.
LONGEST_PATH = 500
_MOST = {
    TOKEN_FUNCTION: (0, "functions"),
    TOKEN_COMMA: (0, "several names or indexes in one pair of brackets"),
    TOKEN_DDOT: (1, "more than one '..'"),
    TOKEN_FILTER: (1, "more than one filter"),
    TOKEN_ROOT: (1, "a second '$'"),
}
# The language of RFC 9535, which kubectl's resembles: without the operator `=~`.
_JSON_PATHS = JSONPathEnvironment(strict=True)


class Policy(StrEnum):
    """What a phase does with an object that exists and that it has not applied."""

    STRICT = "strict"
    ADOPT = "adopt"
    FORCE_ADOPT = "force-adopt"


@dataclass(frozen=True)
class Options:
    """What the executor's document asks for.

    Args:
        timeout: how long to wait for the objects; zero for not at all.
        poll: how often to look.
        conditions: what further has to hold, as in the document.
        prune: whether to delete what the phase applied before and no longer has.
        policy: what to do with objects of others.
    """

    timeout: timedelta
    poll: timedelta
    conditions: tuple[Json, ...]
    prune: bool
    policy: Policy

    @classmethod
    def of(cls, document: Json) -> "Options":
        """Return the options of a KubernetesApply document."""
        config = document.get("config") or {}
        wait = config.get("waitOptions") or {}
        return cls(
            timedelta(seconds=wait.get("timeout", 0)),
            timedelta(seconds=wait["pollInterval"]) if wait.get("pollInterval") else durations.PHASE_POLL,
            tuple(wait.get("conditions") or ()),
            bool((config.get("pruneOptions") or {}).get("prune")),
            Policy(config.get("inventoryPolicy") or Policy.STRICT),
        )


def validate(_site: Site, phase: Phase) -> list[Problem]:
    """Check what a schema cannot: the paths of conditions, and that there is a cluster."""
    problems = []
    if not phase.cluster:
        missing = "A phase of kind KubernetesApply names its cluster in metadata.clusterName."
        problems.append(Problem(phase.file, f"Phase/{phase.name} metadata", missing))
    for index, condition in enumerate(Options.of(phase.executor.document).conditions):
        try:
            find({}, condition["jsonPath"])
        except ValueError as error:
            where = f"KubernetesApply/{phase.executor.name} config.waitOptions.conditions[{index}].jsonPath"
            problems.append(Problem(phase.executor.file, where, f"{error}."))
    return problems


def find(document: Json, path: str) -> list[Any]:
    """Return the values at a path in the form of kubectl, such as `{.status.phase}`.

    Raises:
        ValueError: the path is not one, or is over a limit.
    """
    if len(path) > LONGEST_PATH:
        raise ValueError(f"the path has {len(path)} characters; at most {LONGEST_PATH} are allowed")
    bare = path.strip().removeprefix("{").removesuffix("}").strip()
    whole = bare if bare.startswith("$") else f"${bare}" if bare.startswith((".", "[")) else f"$.{bare}"
    try:
        counts = Counter(token.kind for token in _JSON_PATHS.lexer.tokenize(whole))
        for kind, (most, what) in _MOST.items():
            if counts[kind] > most:
                raise ValueError(f"{path!r} has {what}, which a condition must not have")
        return list(_JSON_PATHS.findall(whole, document))
    except JSONPathError as error:
        raise ValueError(f"{path!r} is not a JSONPath: {str(error).partition(chr(10))[0]}") from error
