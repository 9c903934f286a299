"""What a fuzzed request may be: an operation of a version's OpenAPI document, with a body that is partly valid.

Bodies that are only drawn from the schema break a dozen rules each, so none gets past the first checks. Each body here
is a valid one in which some members have values from the schema, some have values of any JSON type, and some are gone.
"""

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import schemathesis
from hypothesis import strategies as st

from frontend.bodies import Body
from shared.clusters.api_versions import API_VERSIONS
from shared.clusters.credentials import requested_key
from shared.clusters.member_types import ApiVersion
from shared.json_object import Json
from tests.api_versions import members
from tests.product.unit.clusters.test_requested_key import P256, public, request
from tests.product.unit.frontend.clusters.test_static_validation import NIGHTS
from tests.product.unit.frontend.identities_world import identities_body
from tests.product.unit.frontend.world import CLUSTER, GROUP, LOCATION, SUBSCRIPTION, body
from tools.pages import openapi

Place = tuple[str | int, ...]
# Values of path parameters that exist; the others come from the schema, or are any text.
OPERATION = "99999999-0000-0000-0000-000000000001"
_KNOWN = {
    "subscriptionId": SUBSCRIPTION,
    "resourceGroupName": GROUP.rpartition("/")[2],
    "resourceName": CLUSTER.rpartition("/")[2],
    "location": LOCATION.rpartition("/")[2],
    "operationId": OPERATION,
    "dryRunId": f"create-{OPERATION}",
    "openShiftVersion": "4.17.9",
    "openShiftMinorVersion": "4.17",
}
_CREDENTIAL_REQUESTS: list[Json] = [
    {requested_key.KEY: public(P256), requested_key.SECONDS: 28800},
    {requested_key.REQUEST: request()},
]
ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(["", "é", "\ud800"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)
# A path is one line of text in which a slash begins the next parameter.
_SEGMENT = st.text(st.characters(exclude_characters="/", exclude_categories=["Cs"]), min_size=1, max_size=120)
# How many members of a valid body differ: few, so that accepted bodies are common enough.
_CHANGES = st.integers(0, 5)
# The cluster before the request.
BEFORE = ("absent", "being created", "created", "failed", "stopped")
# What a caller may expect of a cluster's ETag. Most expect nothing.
_CONDITIONS = ("", "", "", "*", '"x"', 'W/"x", "y"', ",")


@dataclass(frozen=True)
class Sent:
    """A request.

    Args:
        version: its api-version.
        method: the verb.
        path: the path.
        body: the body, or None.
        answers: the responses of the document, by status.
        headers: its conditions on the ETag.
        before: the cluster before the request, one of `BEFORE`.
        identities: whether that cluster has workload identity.
    """

    version: str
    method: str
    path: str
    body: bytes | None
    answers: Json
    headers: dict[str, str]
    before: str
    identities: bool

    @property
    def writes(self) -> bool:
        """Whether it is the PUT or PATCH of a cluster."""
        return self.method in ("PUT", "PATCH") and self.body is not None


def requests() -> st.SearchStrategy[Sent]:
    """Draw a request in any version; two of three write a cluster."""
    writes: list[st.SearchStrategy[Sent]] = []
    others: list[st.SearchStrategy[Sent]] = []
    for version in API_VERSIONS:
        for path, item in openapi.document(version)["paths"].items():
            for method in [name for name in item if name != "parameters"]:
                drawn = _requests(version, path, method)
                (writes if "requestBody" in item[method] else others).append(drawn)
    # `one_of` would merge nested choices, and give each operation the same share.
    return st.sampled_from([writes, writes, others]).flatmap(st.one_of)


@st.composite
def _requests(draw: st.DrawFn, version: ApiVersion, path: str, method: str) -> Sent:
    case = draw(_operation(version, path, method).as_strategy())
    parameters = case.path_parameters or {}
    for name in parameters:
        # One in eight is not the known one.
        value = draw(st.sampled_from([*[_KNOWN[name]] * 7, None]))
        parameters[name] = value if value is not None else draw(st.just(str(parameters[name])) | _SEGMENT)
    operation = openapi.document(version)["paths"][path][method]
    raw = draw(_bodies(_valid(version.name, operation), case.body)) if "requestBody" in operation else None
    conditions = {each["name"].lower(): draw(st.sampled_from(_CONDITIONS)) for each in operation.get("parameters", [])}
    before, with_identities = draw(st.sampled_from(BEFORE)), draw(st.booleans())
    address = path.format(**parameters)
    headers = {name: value for name, value in conditions.items() if value}
    return Sent(version.name, method.upper(), address, raw, operation["responses"], headers, before, with_identities)


@cache
def _operation(version: ApiVersion, path: str, method: str) -> Any:
    return _schema(version)[path][method.upper()]


@cache
def _schema(version: ApiVersion) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_dict(openapi.document(version))


@st.composite
def _bodies(draw: st.DrawFn, valid: list[Json], generated: Any) -> bytes:
    """Draw a body: a valid one with some changes, or once in ten what the schema alone gives, or any JSON."""
    kind = draw(st.sampled_from(["changed"] * 9 + ["schema", "any JSON", "any bytes"]))
    match kind:
        case "schema":
            return _text(generated)
        case "any JSON":
            return _text(draw(ANY_JSON))
        case "any bytes":
            return draw(st.binary(max_size=200))
    mutant: Any = copy.deepcopy(draw(st.sampled_from(valid)))
    for _ in range(draw(_CHANGES)):
        _change(draw, mutant, generated)
    return _text(mutant)


def valid_bodies(version: str) -> list[Json]:
    """Return a valid body of a create for each credential that a version knows, and one with what comes after it."""
    known, found = members(version), [body(version)]
    if "identity" in known:
        found.append(identities_body(version))
    if "properties.powerSchedule" in known:
        living = body(version)
        living["properties"] |= {"powerSchedule": copy.deepcopy(NIGHTS), "longLivedCredentials": "Disabled"}
        found.append(living)
    return found


def _valid(version: str, operation: Json) -> list[Json]:
    """Return valid bodies of an operation."""
    wanted = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    return _CREDENTIAL_REQUESTS if wanted == Body.CREDENTIAL_REQUEST else valid_bodies(version)


def _change(draw: st.DrawFn, mutant: Any, generated: Any) -> None:
    """Change one member: to what the schema gave in its place, to any JSON, or to nothing."""
    places = list(_places(mutant))
    place: tuple[Any, ...] = draw(st.sampled_from(places)) if places else ("x",)
    *parents, last = place
    holder: Any = mutant
    other = generated
    for parent in parents:
        holder, other = holder[parent], _at(other, parent)
    wanted = _at(other, last)
    match draw(st.sampled_from(["schema", "schema", "any JSON", "remove", "double"])):
        case "schema" if wanted is not ...:
            holder[last] = copy.deepcopy(wanted)
        case "remove":
            del holder[last]
        case "double" if isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        case _:
            holder[last] = draw(ANY_JSON)


def _places(value: Any, path: Place = ()) -> Iterator[Place]:
    entries: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        entries = list(value.items())
    elif isinstance(value, list):
        entries = list(enumerate(value))
    for name, entry in entries:
        yield (*path, name)
        yield from _places(entry, (*path, name))


def _at(value: Any, name: str | int) -> Any:
    """Return a member of something that was drawn, or `...`."""
    if isinstance(value, dict):
        return value.get(name, ...)
    if isinstance(value, list) and isinstance(name, int) and name < len(value):
        return value[name]
    return ...


def _text(value: Any) -> bytes:
    return json.dumps(value, default=str).encode()
