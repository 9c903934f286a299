"""The manifest with which the owner of a resource provider registers it with ARM, and how it is checked.

`PROVIDED` has the types of ARM's own providers that have no row. The types of the resource provider come from the
manifest that is registered: see `registration.py`.
"""

import re
from collections.abc import Iterator
from typing import Any

from emulator.arm.groups import LOCATIONS, normal_location
from emulator.arm.ids import GUID
from emulator.arm.provider import exceptions
from emulator.arm.schema import Choice, Reading, Required
from emulator.json_object import Json

SYSTEM_NAMESPACE = "Microsoft.RedHatOpenShift"
# Api-versions by namespace and type.
PROVIDED: dict[str, dict[str, tuple[str, ...]]] = {
    "Microsoft.Authorization": {},
    "Microsoft.Compute": {},
    "Microsoft.Features": {"features": ("2015-12-01", "2021-07-01"), "providers": ("2015-12-01", "2021-07-01")},
    "Microsoft.Resources": {"resourceGroups": ("2022-09-01",), "subscriptions": ("2022-12-01",)},
}

_API_VERSION = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(-preview)?"
_TIMEOUT = r"PT([1-9][0-9]{0,2})S"
_TYPE = r"[A-Za-z]+(/[A-Za-z]+)*"
_HOST = r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+"

_ENDPOINT = {"apiVersions": Required([str]), "locations": [str], "timeout": Required(str)}
_AUTHORIZATION = {"applicationId": Required(str), "roleDefinitionId": str, "managedByRoleDefinitionId": str}
_LINKED = {name: Required(str) for name in ("actionName", "linkedProperty", "linkedAction", "linkedType")}
_RESOURCE_TYPE = {
    "name": Required(str),
    "routingType": Required(Choice(("Default", "ProxyOnly"))),
    "endpoints": Required([_ENDPOINT]),
    "templateDeploymentOptions": {"preflightSupported": bool},
    "authorizationActionMappings": [{"original": Required(str), "desired": Required(str)}],
    "linkedAccessChecks": [_LINKED],
    "identityManagement": {"type": Required(Choice(("DelegatedResourceIdentity",)))},
}
_MANIFEST = {
    "namespace": Required(str),
    "providerVersion": Required(Choice(("2.0",))),
    "providerType": Required(str),
    "providerAuthorizations": Required([_AUTHORIZATION]),
    "resourceTypes": Required([_RESOURCE_TYPE]),
}
_REGISTRATION = {"endpoint": Required(str), "manifest": Required(_MANIFEST)}


def read(document: Any) -> Json:
    """Return a registration `{"endpoint": "https://<host>", "manifest": {...}}` after checking everything in it.

    Raises:
        ServiceError: 400, with all problems.
    """
    reading = Reading("", "ProviderRegistration")
    if not isinstance(document, dict):
        raise exceptions.invalid_registration(
            ["A registration is a JSON object with the members endpoint and manifest."]
        )
    read_document: Json = reading.read(_REGISTRATION, document, "")
    if reading.problems:
        raise exceptions.invalid_registration(reading.problems)
    problems = [*_endpoint_problems(read_document["endpoint"]), *_manifest_problems(read_document["manifest"])]
    if problems:
        raise exceptions.invalid_registration(problems)
    return read_document


def host_of(endpoint: str) -> str:
    """Return the host name of an endpoint."""
    return endpoint.removeprefix("https://")


def timeout_seconds(endpoint: Json) -> int:
    """Return how many seconds ARM waits for an answer of an endpoint of a type."""
    found = re.fullmatch(_TIMEOUT, endpoint["timeout"])
    if found is None:
        raise ValueError(f"{endpoint['timeout']!r} is not a timeout")
    return int(found[1])


def _endpoint_problems(endpoint: str) -> Iterator[str]:
    if not endpoint.startswith("https://") or not re.fullmatch(_HOST, host_of(endpoint)):
        yield f"The endpoint '{endpoint}' is not `https://` and a host name in lower case, without a port and a path."


def _manifest_problems(manifest: Json) -> Iterator[str]:
    if manifest["namespace"] != SYSTEM_NAMESPACE:
        yield f"The namespace is '{manifest['namespace']}'. The local Azure registers '{SYSTEM_NAMESPACE}' only."
    for authorization in manifest["providerAuthorizations"]:
        if not re.fullmatch(GUID, authorization["applicationId"]):
            yield f"The applicationId '{authorization['applicationId']}' is not a GUID."
    names = [row["name"].lower() for row in manifest["resourceTypes"]]
    yield from (f"The resource type '{name}' is there twice." for name in sorted({*names}) if names.count(name) > 1)
    for row in manifest["resourceTypes"]:
        yield from _type_problems(row, names)


def _type_problems(row: Json, names: list[str]) -> Iterator[str]:
    name = row["name"]
    if not re.fullmatch(_TYPE, name):
        yield f"The resource type '{name}' is not a name of letters, with parts that are separated by slashes."
    parent = name.rpartition("/")[0]
    if parent and parent.lower() not in names:
        yield f"The resource type '{name}' has no parent '{parent}'."
    versions = [version for endpoint in row["endpoints"] for version in endpoint["apiVersions"]]
    if not versions or len({*versions}) < len(versions):
        yield f"The endpoints of the resource type '{name}' must have at least one api-version, and each one once."
    for endpoint in row["endpoints"]:
        for version in endpoint["apiVersions"]:
            if not re.fullmatch(_API_VERSION, version):
                yield f"The api-version '{version}' of the resource type '{name}' is not yyyy-mm-dd."
        for location in endpoint.get("locations") or ():
            if normal_location(location) not in LOCATIONS:
                yield f"The location '{location}' of the resource type '{name}' is unknown; there are {', '.join(LOCATIONS)}."
        if not re.fullmatch(_TIMEOUT, endpoint["timeout"]):
            yield f"The timeout '{endpoint['timeout']}' of the resource type '{name}' is not PT<seconds>S."
