"""No accepted request drops a value. The table of members provides the cases."""

import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest

from shared.clusters.api_versions import API_VERSIONS, has_member
from shared.clusters.member_types import ANY_CASE, BY_SERVICE, Kind
from shared.clusters.members import MEMBERS, Member
from tests.api_versions import VERSIONS
from tests.product.unit.frontend.identities_world import CLUSTER_IDENTITY, FROM_ARM, identities_body, offer
from tests.product.unit.frontend.world import CLUSTER, CLUSTERS, GROUP, SUBSCRIPTION, World, body

NEWEST = VERSIONS[-1]
CP, NP, MP = "properties.clusterProfile", "properties.networkProfile", "properties.masterProfile"
WP, SP = "properties.workerProfiles[]", "properties.servicePrincipalProfile"
DES = f"{GROUP}/providers/Microsoft.Compute/diskEncryptionSets"
PS = "properties.powerSchedule"
EQUAL = {f"{MP}.diskEncryptionSetId": (f"{WP}.diskEncryptionSetId",)}
ASSIGNED, WORKLOADS = "identity.userAssignedIdentities{}", "properties.platformWorkloadIdentityProfile"
# An initial value for members that the smallest body leaves out.
GIVEN: dict[str, Any] = {
    f"{CP}.version": "4.10.67",
    f"{NP}.outboundType": "Loadbalancer",
    f"{NP}.preconfiguredNSG": "Disabled",
    f"{NP}.loadBalancerProfile.managedOutboundIps.count": 1,
    "properties.longLivedCredentials": "Enabled",
    f"{MP}.diskEncryptionSetId": f"{DES}/one",
    f"{WP}.diskEncryptionSetId": f"{DES}/one",
    f"{PS}.timeZone": "UTC",
    f"{PS}.days": ["Monday"],
    f"{PS}.stopTime": "19:00",
    f"{PS}.startTime": "07:00",
}
# The same, by the credential that a cluster has. Members of the one are refused beside the other.
OF_PRINCIPAL: dict[str, Any] = {"identity.type": "None", f"{SP}.clientId": "abcdef01-0000-0000-0000-000000000001"}
OF_IDENTITIES: dict[str, Any] = {f"{CP}.version": "4.17.9", f"{WORKLOADS}.upgradeableTo": "4.18.1"}
# Another valid value, for members where changing the last character does not make one.
OTHER: dict[str, Any] = {
    ASSIGNED: {f"{CLUSTER_IDENTITY}-2": {}},
    "location": "westus",
    f"{CP}.version": "4.17.9",
    f"{CP}.pullSecret": '{"auths": {"quay.io": {"auth": "b3RoZXI6Y2FuYXJ5"}}}',
    f"{NP}.podCidr": "10.0.0.0/14",
    f"{NP}.serviceCidr": "172.28.0.0/16",
    f"{MP}.vmSize": "Standard_D16s_v3",
    f"{WP}.vmSize": "Standard_D8s_v3",
    f"{PS}.timeZone": "Asia/Kolkata",
    f"{PS}.days": ["Monday", "Friday"],
}


def written_by_customers() -> Iterator[Member]:
    """Yield the members that customers write, without the objects and arrays that contain them."""
    for row in MEMBERS:
        holds = any(other.path.startswith((f"{row.path}.", f"{row.path}[")) for other in MEMBERS)
        if row.rule not in BY_SERVICE and not holds:
            yield row


ROWS = tuple(written_by_customers())


def holder(cluster: Any, path: str) -> tuple[dict[str, Any], str]:
    """Return the object with a member, created on the way if missing, and the member's name."""
    *parents, last = path.split(".")
    for parent in parents:
        name, is_array = parent.removesuffix("[]").removesuffix("{}"), parent.endswith("[]")
        cluster = cluster.setdefault(name, [{}])[0] if is_array else cluster.setdefault(name, {})
        if parent.endswith("{}"):
            cluster = cluster.setdefault("ingress", {})
    return cluster, last.removesuffix("{}")


def value_of(cluster: Any, path: str) -> Any:
    """Return the value of a member, or None."""
    inside, name = holder(cluster, path)
    return inside.get(name)


def with_value(cluster: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return a copy with one member set, together with those that must be equal to it."""
    result = copy.deepcopy(cluster)
    for each in (path, *EQUAL.get(path, ())):
        inside, name = holder(result, each)
        inside[name] = value
    return result


def version_of(row: Member) -> str:
    """Return the latest version that has a member."""
    return [version.name for version in API_VERSIONS if has_member(version, row.path)][-1]


def whole_body(version: str = NEWEST, path: str = "") -> dict[str, Any]:
    """Return a body of a version that gives every member a value which goes with the credential that has a member."""
    has_identities = path.startswith((ASSIGNED, WORKLOADS))
    content = identities_body(version) if has_identities else body(version)
    for each, value in (GIVEN | (OF_IDENTITIES if has_identities else OF_PRINCIPAL)).items():
        content = with_value(content, each, value)
    return content


def another(row: Member, value: Any) -> Any:
    """Return another valid value of a member."""
    if row.path in OTHER:
        return OTHER[row.path]
    if row.values:
        return next((each for each in row.values if each != value), "another")
    match row.kind:
        case Kind.INTEGER:
            return (value or 1) + 1
        case Kind.MAP:
            return {"another": "tag"}
        case Kind.OBJECTS:
            return {"another": {"member": "value"}}
    return f"{value[:-1]}{'3' if value[-1] == '2' else '2'}" if value else "another"


def in_upper_case(value: Any) -> Any:
    """Return a text, or a map, in another case."""
    return value.upper() if isinstance(value, str) else {key.upper(): each for key, each in value.items()}


def stored_value(world: World, path: str) -> Any:
    """Return the stored value of a member, from the document or the vault."""
    cluster = copy.deepcopy(world.document["openShiftCluster"])
    bundle = world.services.vault.get_secret(world.document["secrets"]["request"])
    name = path.rpartition(".")[2]
    return bundle[name] if name in bundle else value_of(cluster, path)


def same(row: Member, one: Any, other: Any) -> bool:
    """Compare two values as the member's rule says."""
    if row.rule in ANY_CASE:
        return str(one).lower() == str(other).lower()
    return bool(one == other)


def named(reply: Any) -> str:
    """Return the text of a refusal about members: targets and message, with `[]` for the index in an array."""
    error = reply.body["error"]
    texts = [error.get("target", ""), error["message"], *(each.get("target", "") for each in error.get("details", []))]
    return re.sub(r"\[[^\]]*\]", "[]", " ".join(texts))


def name_of(row: Member) -> str:
    """Return the name of a member in a refusal; items with other names or ids count as another array."""
    return row.path.removesuffix("[].name").removesuffix("[].id").removesuffix("{}").replace("{}", "[]")


def service() -> World:
    """Return a world that offers workload identity."""
    world = World()
    offer(world)
    return world


def existing(state: str, path: str = "") -> World:
    """Return a world with one cluster, whose credential has a member."""
    world = service()
    reply = world.send("PUT", CLUSTER, whole_body(path=path), headers=FROM_ARM)
    assert reply.status == 201, reply.text()
    world.finish(failed=state == "Failed")
    return world


def test_the_whole_body_gives_every_member_a_value() -> None:
    """Only members that are refused in any form are missing from it."""
    newest = [row.path for row in ROWS if version_of(row) == NEWEST]
    assert not [path for path in newest if not value_of(whole_body(path=path), path)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.path))
@pytest.mark.parametrize(("method", "state"), [("PUT", "Failed"), ("PUT", "Succeeded"), ("PATCH", "Succeeded")])
def test_another_value_is_stored_or_refused_by_name(row: Member, method: str, state: str) -> None:
    """A resume, a PUT and a PATCH never answer 200 and keep the old value."""
    world, version = existing(state, row.path), version_of(row)
    whole = whole_body(version, row.path)
    value = another(row, value_of(whole, row.path))
    reply = world.send(method, CLUSTER, with_value(whole, row.path, value), api_version=version, headers=FROM_ARM)
    if reply.status == 200:
        assert same(row, stored_value(world, row.path), value)
    else:
        assert reply.status == 400
        assert name_of(row) in named(reply), reply.text()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.path))
def test_a_create_stores_each_value_or_refuses_it_by_name(row: Member) -> None:
    """A new cluster gets what the request asks for."""
    world, version = service(), version_of(row)
    whole = whole_body(version, row.path)
    value = another(row, value_of(whole, row.path))
    reply = world.send("PUT", CLUSTER, with_value(whole, row.path, value), api_version=version, headers=FROM_ARM)
    if reply.status == 201:
        assert same(row, stored_value(world, row.path), value)
    else:
        assert reply.status == 400
        assert name_of(row) in named(reply), reply.text()


@pytest.mark.parametrize("row", [row for row in ROWS if row.rule in ANY_CASE], ids=lambda row: str(row.path))
@pytest.mark.parametrize(("method", "state"), [("PUT", "Failed"), ("PUT", "Succeeded"), ("PATCH", "Succeeded")])
def test_another_casing_is_the_same_value(row: Member, method: str, state: str) -> None:
    """The first casing stays."""
    world = existing(state, row.path)
    before = stored_value(world, row.path)
    content = with_value(whole_body(path=row.path), row.path, in_upper_case(before))
    reply = world.send(method, CLUSTER, content, headers=FROM_ARM)
    assert reply.status == 200, reply.text()
    assert stored_value(world, row.path) == before


def test_a_resume_with_another_worker_subnet_is_refused() -> None:
    """It was once accepted, and continued with the old one."""
    world = existing("Failed")
    path = f"{WP}.subnetId"
    other = with_value(whole_body(), path, f"{value_of(whole_body(), path)}-other")
    reply = world.send("PUT", CLUSTER, other)
    assert (reply.status, reply.body["error"]["code"]) == (400, "RequestNotAllowed")
    assert "properties.workerProfiles['worker'].subnetId" in reply.body["error"]["message"]


def test_a_resume_compares_tags_of_any_name() -> None:
    """A tag may have the name of a member that is never compared."""
    world = World()
    assert world.send("PUT", CLUSTER, body() | {"tags": {"systemData": "a"}}).status == 201
    world.finish(failed=True)
    reply = world.send("PUT", CLUSTER, body() | {"tags": {"systemData": "b"}})
    assert "differs from it in: tags" in reply.body["error"]["message"]


def test_a_patch_that_names_one_profile_twice_is_refused() -> None:
    """The second would replace the first."""
    world = existing("Succeeded")
    twice = [{"name": "worker", "count": 9}, {"name": "worker", "count": 3}]
    reply = world.send("PATCH", CLUSTER, {"properties": {"workerProfiles": twice}})
    assert (reply.status, reply.body["error"].get("target")) == (400, "properties.workerProfiles")


def test_the_body_of_a_create_resumes_it_whatever_it_said_of_the_services_members() -> None:
    """They were ignored when the cluster was created, and are ignored now."""
    world = World()
    content = with_value(body(), "properties.apiserverProfile.url", "https://mine/")
    assert world.send("PUT", f"{CLUSTERS}/c1", content).status == 201
    world.finish(failed=True)
    assert world.send("PUT", f"{CLUSTERS}/c1", content).status == 200
    assert SUBSCRIPTION in world.document["openShiftCluster"]["id"]
