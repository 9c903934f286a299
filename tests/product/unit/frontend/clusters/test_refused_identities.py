"""What is wrong with the identities of a create: each a 400 that names the member, and nothing is written."""

import copy
from collections.abc import Mapping
from typing import Any

import pytest

from tests.product.unit.frontend.identities_world import (
    CLUSTER_IDENTITY,
    FROM_ARM,
    IDENTITIES,
    MAP,
    identities_body,
    offer,
)
from tests.product.unit.frontend.world import CLIENT_ID, CLUSTER, GROUP, NEW, World

IP, TYPE, MISMATCH = "InvalidParameter", "InvalidRequestContent", "PlatformWorkloadIdentityMismatch"
ASSIGNED, WORKLOADS = "identity.userAssignedIdentities", "properties.platformWorkloadIdentityProfile"
OPERATORS, PRINCIPAL = f"{WORKLOADS}.{MAP}", "properties.servicePrincipalProfile"
INGRESS = f'{OPERATORS}["ingress"].resourceId'
ELSEWHERE = IDENTITIES.replace("000000000001", "000000000002")
NONE, ONE = {"type": "None"}, f"{IDENTITIES}/one"
Path = tuple[str, ...]
OF_CLUSTER: Path = ("identity", "userAssignedIdentities")
OF_OPERATORS: Path = ("properties", "platformWorkloadIdentityProfile", MAP)
OF_INGRESS: Path = (*OF_OPERATORS, "ingress", "resourceId")


def case(sentence: str, changes: Mapping[Path, Any], target: str, code: str = IP) -> Any:
    """Return a case: a body with other values at some paths, and the member that the refusal names."""
    content: Any = identities_body()
    for (*parents, last), value in changes.items():
        holder = content
        for parent in parents:
            holder = holder[parent]
        if value is ...:
            del holder[last]
        else:
            holder[last] = value
    return pytest.param(content, code, target, id=sentence)


CASES = [
    case("there is no credential", {("identity",): ..., OF_OPERATORS[:2]: ...}, PRINCIPAL),
    case(
        "there is a service principal as well",
        {("properties", "servicePrincipalProfile"): {"clientId": CLIENT_ID, "clientSecret": "x"}},
        PRINCIPAL,
    ),
    case("the operators' identities have no cluster identity", {("identity",): ...}, "identity"),
    case("the cluster identity is null", {("identity",): None}, "identity"),
    case("the type of the cluster identity is None, which means none", {("identity",): NONE}, "identity"),
    case("the cluster identity has no operators' identities", {OF_OPERATORS[:2]: ...}, "identity"),
    case("the profile of operators is null", {OF_OPERATORS[:2]: None}, "identity"),
    case("the identity is one of the system", {("identity", "type"): "SystemAssigned"}, "identity.type"),
    case(
        "the identity is one of the system, and another",
        {("identity", "type"): "SystemAssigned,UserAssigned"},
        "identity.type",
    ),
    case("the identity has no type", {("identity", "type"): ...}, "identity.type"),
    case("the identity has an unknown type", {("identity", "type"): "Other"}, "identity.type"),
    case("the identity is a text", {("identity",): "UserAssigned"}, "identity", TYPE),
    case("there are no cluster identities", {OF_CLUSTER: {}}, ASSIGNED),
    case("the cluster identities are left out", {OF_CLUSTER: ...}, ASSIGNED),
    case("the only cluster identity is null, which takes it away", {OF_CLUSTER: {CLUSTER_IDENTITY: None}}, ASSIGNED),
    case("there are two cluster identities", {OF_CLUSTER: {CLUSTER_IDENTITY: {}, ONE: {}}}, ASSIGNED),
    case(
        "the cluster identity is there twice",
        {OF_CLUSTER: {CLUSTER_IDENTITY: {}, CLUSTER_IDENTITY.upper(): {}}},
        ASSIGNED,
    ),
    case("the cluster identities are an array", {OF_CLUSTER: [CLUSTER_IDENTITY]}, ASSIGNED, TYPE),
    case(
        "the cluster identity is a number",
        {OF_CLUSTER: {CLUSTER_IDENTITY: 1}},
        f'{ASSIGNED}["{CLUSTER_IDENTITY}"]',
        TYPE,
    ),
    case("the cluster identity has no id", {OF_CLUSTER: {"x": {}}}, f'{ASSIGNED}["x"]'),
    case(
        "the cluster identity is of another subscription",
        {OF_CLUSTER: {f"{ELSEWHERE}/one": {}}},
        f'{ASSIGNED}["{ELSEWHERE}/one"]',
    ),
    case("the next version is none", {(*OF_OPERATORS[:2], "upgradeableTo"): "4.18"}, f"{WORKLOADS}.upgradeableTo"),
    case(
        "the next version is a number", {(*OF_OPERATORS[:2], "upgradeableTo"): 4.18}, f"{WORKLOADS}.upgradeableTo", TYPE
    ),
    case("there are no operators", {OF_OPERATORS: {}}, "identity"),
    case("a profile has the next version and no operators", {OF_OPERATORS[:2]: {"upgradeableTo": "4.18.1"}}, OPERATORS),
    case("an operator has no name", {(*OF_OPERATORS, ""): {"resourceId": ONE}}, f'{OPERATORS}[""]'),
    case("an operator has no identity", {OF_INGRESS[:-1]: {}}, INGRESS),
    case("an operator's identity is empty", {OF_INGRESS: ""}, INGRESS),
    case("an operator is a text", {OF_INGRESS[:-1]: ONE}, f'{OPERATORS}["ingress"]', TYPE),
    case("an operator's identity is a number", {OF_INGRESS: 7}, INGRESS, TYPE),
    case("an operator's identity has no id", {OF_INGRESS: "ingress"}, INGRESS),
    case("an operator's identity is a resource group", {OF_INGRESS: GROUP}, INGRESS),
    case("an operator's identity is a cluster", {OF_INGRESS: CLUSTER}, INGRESS),
    case(
        "an operator's identity is of another provider",
        {OF_INGRESS: f"{GROUP}/providers/X/userAssignedIdentities/one"},
        INGRESS,
    ),
    case("an operator's identity has a name that Azure gives none", {OF_INGRESS: f"{IDENTITIES}/a b"}, INGRESS),
    case("an operator's identity is of another subscription", {OF_INGRESS: f"{ELSEWHERE}/ingress"}, INGRESS),
    case("an operator's identity is the cluster's", {OF_INGRESS: CLUSTER_IDENTITY.lower()}, INGRESS),
    case(
        "two operators have the same identity",
        {(*OF_OPERATORS, "machine-api", "resourceId"): f"{IDENTITIES}/INGRESS"},
        f'{OPERATORS}["machine-api"].resourceId',
    ),
    case("an operator is missing", {OF_INGRESS[:-1]: ...}, OPERATORS, MISMATCH),
    case("an operator is null", {OF_INGRESS[:-1]: None}, OPERATORS, MISMATCH),
    case(
        "an operator is one that the version does not have",
        {(*OF_OPERATORS, "ingres"): {"resourceId": ONE}},
        OPERATORS,
        MISMATCH,
    ),
    case("the version has no role set", {("properties", "clusterProfile", "version"): "4.10.67"}, ""),
    case("the next version has no role set", {(*OF_OPERATORS[:2], "upgradeableTo"): "4.30.0"}, ""),
    case(
        "an issuer is in the body",
        {("properties", "clusterProfile", "oidcIssuer"): "https://issuer.example.com"},
        "properties.clusterProfile.oidcIssuer",
    ),
]


def service() -> World:
    """Return a hosted service that offers workload identity."""
    world = World()
    offer(world)
    return world


def refusals(content: Any) -> list[tuple[str, str]]:
    """Return code and target of everything that a create is refused for; nothing if it is not."""
    reply = service().send("PUT", CLUSTER, content, headers=FROM_ARM)
    return _named(reply.body["error"]) if reply.status == 400 else []


def _named(error: Any) -> list[tuple[str, str]]:
    return [(each["code"], each.get("target", "")) for each in (error, *error.get("details", []))]


@pytest.mark.parametrize("version", ["2024-08-12-preview", NEW])
@pytest.mark.parametrize(("content", "code", "target"), CASES)
def test_a_create_is_refused_when(content: Any, code: str, target: str, version: str) -> None:
    """By a PUT and by a preflight alike. Nothing is written, and nothing is left."""
    world = service()
    reply = world.send("PUT", CLUSTER, copy.deepcopy(content), api_version=version, headers=FROM_ARM)
    assert reply.status == 400, reply.text()
    error = reply.body["error"]
    assert (code, target) in _named(error)
    assert not world.cosmos["OpenShiftClusters"].documents
    assert not world.cosmos["AsyncOperations"].documents
    assert not world.secrets.versions
    named = {"id": CLUSTER, "name": "C1", "type": "Microsoft.RedHatOpenShift/openShiftClusters"}
    assert preflight(world, {**content, **named, "apiVersion": version}) == error


def preflight(world: World, resource: Any) -> Any:
    """Return the error of a preflight of a template with one cluster."""
    path = f"{GROUP}/providers/Microsoft.RedHatOpenShift/deployments/d/preflight"
    reply = world.send("POST", path, {"resources": [resource]})
    assert reply.body["status"] == "Failed", reply.text()
    return reply.body["error"]
