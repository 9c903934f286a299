"""The role sets of workload identity: what customers read, and what operators may write."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from frontend.messages import Reply
from shared.store import PreconditionFailed
from tests.product.unit.frontend.callers_world import CallersWorld
from tests.product.unit.frontend.world import (
    LOCATION,
    NEW,
    OLD,
    World,
    admin_certificate,
    arm_certificate,
    changed,
)

SETS = "/sre/providers/Microsoft.RedHatOpenShift/platformWorkloadIdentityRoleSets"
PUBLIC = f"{LOCATION}/platformWorkloadIdentityRoleSets"
SEED = Path(__file__).parents[5] / "infra" / "platformWorkloadIdentityRoleSets"
SEEDED = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in SEED.glob("*.json")}
ROLES = "platformWorkloadIdentityRoles"
FIRST = f"properties.{ROLES}[0]"
ID = "/providers/Microsoft.Authorization/roleDefinitions/"
ENTRY: dict[str, Any] = {
    "openShiftVersion": "4.19",
    ROLES: [
        {
            "operatorName": "ingress",
            "roleDefinitionName": "Cluster Ingress Operator",
            "roleDefinitionId": f"{ID}0336e1d3-7a87-462b-b6db-342b63f7802c",
            "serviceAccounts": ["system:serviceaccount:openshift-ingress-operator:ingress-operator"],
            "secretLocation": {"namespace": "openshift-ingress-operator", "name": "cloud-credentials"},
        }
    ],
}


def ask(world: World, method: str, minor: str = "", entry: Any = None, **headers: str) -> Reply:
    """Send a request as an operator; an entry becomes `properties`."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    content = None if entry is None else {"properties": entry}
    path = f"{SETS}/{minor}" if minor else SETS
    return world.send(method, path, content, api_version="", headers=sent, certificate=admin_certificate())


def put(world: World, minor: str, **members: Any) -> Reply:
    """Put the entry of a minor version as an operator."""
    return ask(world, "PUT", minor, {**ENTRY, "openShiftVersion": minor, **members})


def refused(reply: Reply) -> list[str]:
    """Return the targets of a refusal."""
    assert reply.status == 400, reply.body
    error = reply.body["error"]
    return [each["target"] for each in error.get("details") or [error]]


def test_customers_see_what_their_identities_need_and_no_more(world: World) -> None:
    """Numerically sorted, with the names that the API has."""
    for minor in ("4.19", "4.9", "4.10"):
        assert put(world, minor).status == 201
    listed = world.send("GET", PUBLIC).body["value"]
    assert [each["name"] for each in listed] == ["4.9", "4.10", "4.19"]
    found = world.send("GET", f"{PUBLIC}/4.19")
    assert found.status == 200
    assert found.body == listed[-1]
    shown = {name: ENTRY[ROLES][0][name] for name in ("operatorName", "roleDefinitionName", "roleDefinitionId")}
    assert found.body == {
        "id": f"{PUBLIC}/4.19",
        "name": "4.19",
        "type": "Microsoft.RedHatOpenShift/PlatformWorkloadIdentityRoleSet",
        "properties": {"openShiftVersion": "4.19", ROLES: [shown]},
    }


def test_the_operators_view_has_the_service_accounts_and_the_secret(world: World) -> None:
    """In the list and alone, at the addresses that customers use."""
    assert put(world, "4.19").status == 201
    one, listed = (
        world.send("GET", path, api_version="admin", certificate=admin_certificate()).body
        for path in (f"{PUBLIC}/4.19", PUBLIC)
    )
    assert listed == {"value": [one]}
    assert one["properties"] == ENTRY


def test_a_minor_version_without_a_role_set_is_404_and_tells_those_that_have_one(world: World) -> None:
    """Also while there is none."""
    error = world.send("GET", f"{PUBLIC}/4.18").body["error"]
    assert (error["code"], "have one: none." in error["message"]) == ("ResourceNotFound", True)
    put(world, "4.19")
    put(world, "4.9")
    reply = world.send("GET", f"{PUBLIC}/4.18")
    assert (reply.status, reply.body["error"]["code"]) == (404, "ResourceNotFound")
    assert "'4.18'" in reply.body["error"]["message"]
    assert "4.9, 4.19" in reply.body["error"]["message"]


def test_only_versions_with_workload_identity_have_role_sets(world: World) -> None:
    """The others answer as for a type that they do not know."""
    assert world.send("GET", PUBLIC).body == {"value": []}
    for path in (PUBLIC, f"{PUBLIC}/4.19"):
        reply = world.send("GET", path, api_version=OLD)
        assert (reply.status, reply.body["error"]["code"]) == (400, "InvalidResourceType")
        assert NEW in reply.body["error"]["message"]


def test_what_a_deployment_puts_is_accepted(world: World) -> None:
    """Whole, and with the eight operators that every minor version has so far."""
    assert SEEDED
    for minor, body in SEEDED.items():
        reply = ask(world, "PUT", minor, body["properties"])
        assert (reply.status, reply.body["properties"], reply.body["problems"]) == (201, body["properties"], [])
        operators = [role["operatorName"] for role in world.send("GET", f"{PUBLIC}/{minor}").body["properties"][ROLES]]
        assert operators == sorted(operators)
        assert len(operators) == 8
    assert len(world.send("GET", PUBLIC).body["value"]) == len(SEEDED)


def test_an_entry_is_written_read_changed_and_deleted_by_operators(world: World) -> None:
    """What was read can be put back. The instance that wrote it shows it at once."""
    created = put(world, "4.19")
    assert (created.status, created.body["properties"], created.body["problems"]) == (201, ENTRY, [])
    read = ask(world, "GET", "4.19")
    assert read.headers["ETag"] == created.headers["ETag"] == read.body["etag"]
    assert world.send("PUT", f"{SETS}/4.19", read.body, api_version="", certificate=admin_certificate()).status == 200
    assert [each["name"] for each in ask(world, "GET").body["value"]] == ["4.19"]
    other = changed(ENTRY, f"{ROLES}.0.operatorName", "registry")
    assert ask(world, "PUT", "4.19", other).status == 200
    assert world.send("GET", f"{PUBLIC}/4.19").body["properties"][ROLES][0]["operatorName"] == "registry"
    assert ask(world, "DELETE", "4.19").status == 204
    assert ask(world, "DELETE", "4.19").status == 204
    missing = ask(world, "GET", "4.19")
    assert (missing.status, missing.body["error"]["code"]) == (404, "ResourceNotFound")
    assert world.send("GET", PUBLIC).body["value"] == []


def test_a_condition_on_the_etag_is_kept(world: World) -> None:
    """An operator does not overwrite what another one has written."""
    first = put(world, "4.19").headers["ETag"]
    assert ask(world, "PUT", "4.19", ENTRY, if_none_match="*").status == 412
    assert ask(world, "PUT", "4.19", changed(ENTRY, f"{ROLES}.0.operatorName", "x"), if_match=first).status == 200
    assert ask(world, "PUT", "4.19", ENTRY, if_match=first).status == 412
    assert ask(world, "DELETE", "4.19", if_match=first).status == 412


def test_an_entry_that_never_rests_is_409(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """After five races; after fewer, the request is decided again."""
    put(world, "4.19")
    container = world.cosmos["PlatformWorkloadIdentityRoleSets"]

    def race() -> None:
        container.upsert_item(dict(container.documents["4.19", "4.19"]))

    container.before_write += [race]
    assert ask(world, "PUT", "4.19", changed(ENTRY, f"{ROLES}.0.operatorName", "x")).status == 200
    container.before_write += [race] * 5
    reply = put(world, "4.19")
    assert (reply.status, reply.body["error"]["code"]) == (409, "Conflict")

    def lost(_: Any) -> None:
        raise PreconditionFailed

    monkeypatch.setattr(world.services.store.role_sets, "delete", lost)
    assert ask(world, "DELETE", "4.19").status == 409


def test_members_of_a_newer_build_stay(world: World) -> None:
    """A request may repeat them, and not change them."""
    container = world.cosmos["PlatformWorkloadIdentityRoleSets"]
    container.create_item({**copy.deepcopy(ENTRY), "id": "4.19", "newer": 1})
    read = ask(world, "GET", "4.19").body
    assert read["properties"]["newer"] == 1
    assert ask(world, "PUT", "4.19", read["properties"]).status == 200
    assert ask(world, "PUT", "4.19", ENTRY).body["properties"]["newer"] == 1
    assert refused(ask(world, "PUT", "4.19", {**ENTRY, "newer": 2})) == ["properties.newer"]


def test_every_missing_member_is_told_at_once(world: World) -> None:
    """Each with its target."""
    assert refused(ask(world, "PUT", "4.19", {})) == ["properties.openShiftVersion", f"properties.{ROLES}"]
    empty = {"operatorName": "", "serviceAccounts": []}
    assert refused(put(world, "4.19", **{ROLES: [{}, empty]})) == [
        f"properties.{ROLES}[{index}].{member}"
        for index in (0, 1)
        for member in ("operatorName", "roleDefinitionName", "roleDefinitionId", "serviceAccounts")
    ]
    assert ask(world, "GET").body["value"] == []


@pytest.mark.parametrize(
    ("path", "value", "want"),
    [
        pytest.param("openShiftVersion", "4.18", "properties.openShiftVersion", id="another version than the path's"),
        pytest.param("openShiftVersion", "4.19.1", "properties.openShiftVersion", id="a patch version"),
        pytest.param("openShiftVersion", 4.19, "properties.openShiftVersion", id="a number as version"),
        pytest.param(ROLES, {}, f"properties.{ROLES}", id="an object as roles"),
        pytest.param(ROLES, [], f"properties.{ROLES}", id="no role"),
        pytest.param(ROLES, [1], FIRST, id="a number as role"),
        pytest.param(ROLES, ENTRY[ROLES] * 2, f"properties.{ROLES}[1]", id="a role twice"),
        pytest.param(ROLES, ENTRY[ROLES] * 101, f"properties.{ROLES}", id="too many roles"),
        pytest.param("x", 1, "properties.x", id="an unknown member"),
        pytest.param(f"{ROLES}.0.x", 1, f"{FIRST}.x", id="an unknown member of a role"),
        pytest.param(f"{ROLES}.0.operatorName", "A B", f"{FIRST}.operatorName", id="a wrong operator"),
        pytest.param(f"{ROLES}.0.operatorName", 1, f"{FIRST}.operatorName", id="a number as operator"),
        pytest.param(f"{ROLES}.0.roleDefinitionName", {}, f"{FIRST}.roleDefinitionName", id="an object as name"),
        pytest.param(f"{ROLES}.0.roleDefinitionId", f"{ID}x", f"{FIRST}.roleDefinitionId", id="no UUID"),
        pytest.param(f"{ROLES}.0.roleDefinitionId", "x", f"{FIRST}.roleDefinitionId", id="no role definition"),
        pytest.param(f"{ROLES}.0.serviceAccounts", "x", f"{FIRST}.serviceAccounts", id="a text as accounts"),
        pytest.param(f"{ROLES}.0.serviceAccounts", ["x"], f"{FIRST}.serviceAccounts", id="no service account"),
        pytest.param(
            f"{ROLES}.0.serviceAccounts",
            ENTRY[ROLES][0]["serviceAccounts"] * 21,
            f"{FIRST}.serviceAccounts",
            id="too many accounts",
        ),
        pytest.param(f"{ROLES}.0.secretLocation", "x", f"{FIRST}.secretLocation", id="a text as secret"),
        pytest.param(f"{ROLES}.0.secretLocation", {"name": "x"}, f"{FIRST}.secretLocation", id="half a secret"),
        pytest.param(
            f"{ROLES}.0.secretLocation", {"namespace": "x", "name": "A B"}, f"{FIRST}.secretLocation", id="no name"
        ),
    ],
)
def test_a_wrong_member_is_refused_with_its_target(world: World, path: str, value: Any, want: str) -> None:
    """Nothing is written."""
    assert want in refused(ask(world, "PUT", "4.19", changed(ENTRY, path, value)))
    assert ask(world, "GET").body["value"] == []


@pytest.mark.parametrize("content", [None, [], {}, {"properties": []}, "4.19"])
def test_what_is_no_entry_is_refused(world: World, content: Any) -> None:
    """Like any other malformed body."""
    reply = world.send("PUT", f"{SETS}/4.19", content, api_version="", certificate=admin_certificate())
    assert (reply.status, reply.body["error"]["code"]) == (400, "InvalidRequestContent")


@pytest.mark.parametrize("minor", ["4", "4.19.24", "latest", "4.19x"])
def test_a_name_that_is_no_minor_version_is_refused(world: World, minor: str) -> None:
    """Customers look for x.y."""
    assert refused(put(world, minor)) == ["properties.openShiftVersion"]


def test_an_operator_of_openshift_may_need_several_roles(world: World) -> None:
    """Each with a role definition of its own."""
    other = changed(ENTRY[ROLES][0], "roleDefinitionId", f"{ID}0336e1d3-7a87-462b-b6db-342b63f7802d")
    other.pop("secretLocation")
    assert put(world, "4.19", **{ROLES: [*ENTRY[ROLES], other]}).status == 201


def test_no_two_operators_of_openshift_share_a_secret(world: World) -> None:
    """It names one identity, and each operator has its own."""
    other = changed(ENTRY[ROLES][0], "operatorName", "dns")
    reply = put(world, "4.19", **{ROLES: [*ENTRY[ROLES], other]})
    assert refused(reply) == [f"properties.{ROLES}[1].secretLocation"]
    message = reply.body["error"]["message"]
    assert "'openshift-ingress-operator/cloud-credentials'" in message
    assert "belongs to the operator 'ingress' already" in message


def test_a_wrong_entry_that_was_written_in_another_way_is_not_offered(world: World) -> None:
    """Operators see it, with what is wrong."""
    container = world.cosmos["PlatformWorkloadIdentityRoleSets"]
    container.create_item({"id": "4.19", "openShiftVersion": "4.19"})
    container.create_item({**copy.deepcopy(ENTRY), "id": "odd"})
    assert world.send("GET", PUBLIC).body["value"] == []
    problems = {each["name"]: each["problems"] for each in ask(world, "GET").body["value"]}
    assert "must be an array" in problems["4.19"][0]
    assert "has the id 'odd'" in problems["odd"][0]


def test_role_sets_are_the_operators_alone_to_write(world: World, own: CallersWorld) -> None:
    """Neither ARM nor a stranger reads or writes the operators' routes."""
    for certificate in (arm_certificate(), b""):
        for method, path in (("GET", SETS), ("PUT", f"{SETS}/4.19"), ("DELETE", f"{SETS}/4.19")):
            assert world.send(method, path, {}, api_version="", certificate=certificate).status == 403
    assert own.call("GET", PUBLIC).body == {"value": []}
