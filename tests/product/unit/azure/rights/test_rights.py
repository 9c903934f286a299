"""What a caller may do, as ARM would decide it."""

from typing import Any

import pytest

from shared.azure.rights import Ask
from tests.product.unit.azure.arm_stand_in import (
    CALLER,
    EVERYONE,
    GROUP,
    NETWORK,
    STRANGER,
    SUBNET,
    SUBSCRIPTION,
    Arm,
    arm,
)

__all__ = ["arm"]

CLUSTERS = "Microsoft.RedHatOpenShift/openShiftClusters"
JOIN = "Microsoft.Network/virtualNetworks/subnets/join/action"
OPERATIONS = {
    "read": Ask(f"{CLUSTERS}/read", GROUP),
    "write": Ask(f"{CLUSTERS}/write", GROUP),
    "delete": Ask(f"{CLUSTERS}/delete", GROUP),
    "credentials": Ask(f"{CLUSTERS}/listCredentials/action", GROUP),
    "join": Ask(JOIN, SUBNET),
}
OWNER = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
DEFINITIONS = {
    "Owner": (OWNER, ["*"], []),
    "Contributor": (
        "b24988ac-6180-42a0-ab88-20f7382dd24c",
        ["*"],
        [
            "Microsoft.Authorization/*/Delete",
            "Microsoft.Authorization/*/Write",
            "Microsoft.Authorization/elevateAccess/Action",
            "Microsoft.Blueprint/blueprintAssignments/write",
            "Microsoft.Blueprint/blueprintAssignments/delete",
            "Microsoft.Compute/galleries/share/action",
            "Microsoft.Purview/consents/write",
            "Microsoft.Purview/consents/delete",
        ],
    ),
    "Reader": ("acdd72a7-3385-48ef-bd42-f606fba81ae7", ["*/read"], []),
    "Network": ("4d97b98b-1d4f-4787-a291-c67834d212e7", ["Microsoft.Network/*"], []),
    "Operator": (
        "00000000-0000-0000-0000-00000000000a",
        ["Microsoft.RedHatOpenShift/*"],
        [f"{CLUSTERS}/delete", f"{CLUSTERS}/list*/action"],
    ),
    "Remover": ("00000000-0000-0000-0000-00000000000b", [f"{CLUSTERS}/delete"], []),
    "Storage": ("00000000-0000-0000-0000-00000000000c", ["Microsoft.Storage/*"], []),
}
PLACES = {"root": "/", "subscription": SUBSCRIPTION, "group": GROUP, "network": NETWORK, "subnet": SUBNET}
TABLE = """
roles                                         may
Owner at subscription                         read write delete credentials join
Owner at group                                read write delete credentials join
Owner at root                                 read write delete credentials join
Owner at network                              join
Owner at subnet                               join
Contributor at group                          read write delete credentials join
Reader at group                               read
Reader at subscription                        read
Network at network                            join
Network at group                              join
Reader at subscription, Network at network    read join
Operator at group                             read write
Operator at group, Remover at subscription    read write delete
Operator at group, Remover at network         read write
Remover at group                              delete
Storage at subscription                       -
nothing                                       -
"""
CASES = [line.rsplit("  ", 1) for line in TABLE.strip().splitlines()[1:]]


def assign(arm: Arm, role: str, scope: Any, **more: Any) -> None:
    """Assign a role of the table."""
    name, actions, not_actions = DEFINITIONS[role]
    arm.assign(arm.define(name, {"actions": actions, "notActions": not_actions}), scope, **more)


def allowed(arm: Arm) -> str:
    """Return the operations that the caller may do."""
    answers = arm.rights().may_each(CALLER, list(OPERATIONS.values()))
    return " ".join(name for name, may in zip(OPERATIONS, answers, strict=True) if may) or "-"


@pytest.mark.parametrize(("roles", "may"), CASES, ids=[roles.strip() for roles, _ in CASES])
def test_role_assignments_grant_what_their_roles_list_at_their_scope_and_below(arm: Arm, roles: str, may: str) -> None:
    """`notActions` take away from one role only, and never from another."""
    for assignment in roles.split(","):
        role, _, place = assignment.strip().partition(" at ")
        if place:
            assign(arm, role, PLACES[place])
    assert allowed(arm) == may


@pytest.mark.parametrize(
    ("scope", "may"),
    [
        pytest.param(GROUP.upper(), "read", id="case does not matter"),
        pytest.param(f"{GROUP}2", "-", id="another group whose name begins alike"),
        pytest.param(f"{SUBSCRIPTION}/resourceGroups/des", "-", id="a group with a shorter name"),
        pytest.param(SUBNET, "-", id="a resource below"),
        pytest.param("/providers/Microsoft.Management/managementGroups/mg", "read", id="a management group"),
        pytest.param("/providers/Microsoft.Management/managementGroups", "-", id="no management group"),
        pytest.param(GROUP.replace("desk", "des\u212a"), "-", id="another letter"),
        pytest.param("", "-", id="no scope"),
        pytest.param(None, "-", id="null"),
        pytest.param([GROUP], "-", id="a list"),
    ],
)
def test_an_assignment_counts_at_its_own_scope_and_below(arm: Arm, scope: Any, may: str) -> None:
    """This holds even if ARM lists others, as it does without `atScope()`."""
    assign(arm, "Reader", scope)
    assert allowed(arm) == may


NOT_CALLER = [{"id": STRANGER, "type": "User"}]
A_GROUP = [{"id": STRANGER, "type": "Group"}]
HIMSELF = [{"id": CALLER.upper(), "type": "ServicePrincipal"}]
ALL = [{"id": EVERYONE, "type": "SystemDefined"}]


@pytest.mark.parametrize(
    ("scope", "actions", "more", "may"),
    [
        pytest.param(GROUP, ["*/write", "*/delete"], {}, "read credentials join", id="everyone"),
        pytest.param(GROUP, ["*"], {"principals": HIMSELF}, "-", id="the caller"),
        pytest.param(GROUP, ["*"], {"principals": NOT_CALLER}, "read write delete credentials join", id="others"),
        pytest.param(GROUP, ["*"], {"principals": NOT_CALLER + HIMSELF}, "-", id="others and the caller"),
        pytest.param(SUBNET, ["*"], {}, "read write delete credentials", id="at the subnet"),
        pytest.param(f"{GROUP}2", ["*"], {}, "read write delete credentials join", id="elsewhere"),
        pytest.param(SUBSCRIPTION, ["*"], {"doNotApplyToChildScopes": True}, "read write delete credentials join", id="not below"),
        pytest.param(GROUP.upper(), ["*"], {"doNotApplyToChildScopes": True}, "join", id="at the group itself and not below"),
        pytest.param(SUBSCRIPTION, ["*"], {"doNotApplyToChildScopes": "true"}, "-", id="below, in doubt"),
        pytest.param(GROUP, ["*"], {"excludePrincipals": HIMSELF}, "read write delete credentials join", id="everyone but the caller"),
        pytest.param(GROUP, ["*"], {"excludePrincipals": NOT_CALLER}, "-", id="everyone but another"),
        pytest.param(GROUP, ["*"], {"excludePrincipals": A_GROUP}, "-", id="everyone but a group that may have the caller"),
        pytest.param(GROUP, ["*"], {"principals": HIMSELF, "excludePrincipals": HIMSELF}, "read write delete credentials join", id="the caller but the caller"),
        pytest.param(GROUP, ["*"], {"condition": "!(ActionMatches{'*'})", "conditionVersion": "2.0"}, "-", id="with a condition"),
        pytest.param(GROUP, [], {"permissions": [{"actions": ["*"], "notActions": ["*/read"]}]}, "read", id="all but reads"),
        pytest.param(GROUP, [], {"permissions": [{"actions": [], "dataActions": ["*"]}]}, "read write delete credentials join", id="data only"),
        pytest.param(GROUP, [], {"permissions": [{"actions": ["*"], "notActions": "*"}]}, "-", id="exceptions of another type"),
        pytest.param(GROUP, [], {"permissions": [{"actions": "*/read"}]}, "-", id="actions of another type"),
        pytest.param(GROUP, [], {"permissions": None}, "-", id="no permissions"),
        pytest.param(GROUP, [], {"permissions": [None]}, "-", id="a permission that is none"),
        pytest.param(GROUP, ["*"], {"principals": []}, "-", id="nobody"),
        pytest.param(GROUP, ["*"], {"principals": [None]}, "-", id="a principal that is none"),
        pytest.param(GROUP, ["*"], {"principals": [{"type": "User"}]}, "-", id="a principal without an id"),
        pytest.param(GROUP, ["*"], {"principals": [{"id": CALLER}]}, "-", id="the caller, as an unknown type"),
        pytest.param(None, ["*"], {"doNotApplyToChildScopes": True}, "-", id="nowhere"),
        pytest.param(GROUP.replace("desk", "des\u212a"), ["*"], {}, "-", id="a group that may be this one"),
    ],
)  # fmt: skip
def test_a_deny_assignment_wins_over_any_role(arm: Arm, scope: Any, actions: list[str], more: Any, may: str) -> None:
    """What is not understood of it denies."""
    assign(arm, "Owner", SUBSCRIPTION)
    arm.deny(scope, *actions, **more)
    assert allowed(arm) == may


def test_a_deny_assignment_of_the_callers_group_counts(arm: Arm) -> None:
    """ARM tells which apply to the caller, through any number of nested groups."""
    assign(arm, "Owner", SUBSCRIPTION)
    arm.deny(GROUP, "*/delete", principals=A_GROUP)
    arm.through_groups = [arm.deny(GROUP, "*/write", principals=A_GROUP)]
    assert allowed(arm) == "read delete credentials join"


def test_a_deny_assignment_without_an_id_counts(arm: Arm) -> None:
    """It cannot be found among those of the caller's groups."""
    assign(arm, "Owner", SUBSCRIPTION)
    del arm.deny(GROUP, "*/write", principals=A_GROUP)["id"]
    assert allowed(arm) == "read delete credentials join"


def test_groups_matter_only_to_those_who_have_a_role(arm: Arm) -> None:
    """Whoever has none is refused anyway, without another read."""
    arm.deny(GROUP, "*", principals=A_GROUP)
    assert allowed(arm) == "-"
    assert arm.asked() == ["denyAssignments"] * 2 + ["roleAssignments"] * 2


def test_a_deny_assignment_of_a_group_counts_if_arm_does_not_tell_its_members(arm: Arm) -> None:
    """In doubt, the caller is one of them."""
    assign(arm, "Owner", SUBSCRIPTION)
    arm.deny(GROUP, "*/delete", principals=A_GROUP)
    listed = arm._list_denials
    arm.azure.on(
        "GET",
        "denyAssignments$",
        lambda request: listed(request) if request.query["$filter"] == ["atScope()"] else (403, {}, {}),
    )
    assert allowed(arm) == "read write credentials join"


DELEGATION = (
    "((!(ActionMatches{'Microsoft.Authorization/roleAssignments/write'})) OR "
    "(@Request[Microsoft.Authorization/roleAssignments:RoleDefinitionId] ForAnyOfAnyValues:GuidEquals "
    "{b24988ac-6180-42a0-ab88-20f7382dd24c, acdd72a7-3385-48ef-bd42-f606fba81ae7} AND "
    "@Request[Microsoft.Authorization/roleAssignments:PrincipalType] ForAnyOfAnyValues:StringEqualsIgnoreCase "
    "{'ServicePrincipal'})) AND ((!(ActionMatches{'Microsoft.Authorization/roleAssignments/delete'})) OR "
    "(@Resource[Microsoft.Authorization/roleAssignments:RoleDefinitionId] ForAnyOfAnyValues:GuidEquals "
    "{b24988ac-6180-42a0-ab88-20f7382dd24c, acdd72a7-3385-48ef-bd42-f606fba81ae7} AND "
    "@Resource[Microsoft.Authorization/roleAssignments:PrincipalType] ForAnyOfAnyValues:StringEqualsIgnoreCase "
    "{'ServicePrincipal'}))"
)


@pytest.mark.parametrize(
    ("condition", "version", "may"),
    [
        pytest.param(DELEGATION, "2.0", "read write delete credentials join", id="limits other actions"),
        pytest.param(
            DELEGATION.replace("Microsoft.Authorization/roleAssignments/write", f"{CLUSTERS}/write"),
            "2.0",
            "read delete credentials join",
            id="limits one of ours",
        ),
        pytest.param("!(ActionMatches{'*/read'})", "2.0", "write delete credentials join", id="by a wildcard"),
        pytest.param("Maybe", "2.0", "-", id="unreadable"),
        pytest.param(DELEGATION, "1.0", "-", id="of another version"),
        pytest.param(DELEGATION, None, "-", id="without a version"),
        pytest.param("", "2.0", "-", id="empty"),
        pytest.param(["!(ActionMatches{'*/read'})"], "2.0", "-", id="of another type"),
        pytest.param(None, None, "read write delete credentials join", id="none"),
    ],
)
def test_an_assignment_with_a_condition_counts_if_the_condition_excludes_the_action(
    arm: Arm, condition: Any, version: Any, may: str
) -> None:
    """Its limits depend on what only Azure knows."""
    assign(arm, "Owner", GROUP, condition=condition, conditionVersion=version)
    assert allowed(arm) == may


@pytest.mark.parametrize(
    "permission",
    [
        pytest.param({"actions": ["*"]}, id="without exceptions"),
        pytest.param({"actions": ["*"], "notActions": None}, id="exceptions of another type"),
        pytest.param({"actions": ["*"], "notActions": [None]}, id="an exception of another type"),
        pytest.param({"actions": "*", "notActions": []}, id="actions of another type"),
        pytest.param({"actions": ["*", 1], "notActions": []}, id="an action of another type"),
        pytest.param({"dataActions": ["*"], "actions": [], "notActions": []}, id="for data"),
        pytest.param({"actions": ["*"], "notActions": [], "condition": "Maybe", "conditionVersion": "2.0"}, id="conditional"),
        pytest.param("*", id="a text"),
    ],
)  # fmt: skip
def test_what_is_not_understood_of_a_role_grants_nothing(arm: Arm, permission: Any) -> None:
    """Its other entries count."""
    arm.assign(arm.define(OWNER, permission, {"actions": ["*/read"], "notActions": []}), GROUP)
    assert allowed(arm) == "read"


@pytest.mark.parametrize(
    "permissions", [None, "*", {"actions": ["*"], "notActions": []}], ids=["null", "text", "object"]
)
def test_a_role_of_another_form_grants_nothing(arm: Arm, permissions: Any) -> None:
    """Nobody guesses what it means."""
    role_id = arm.define(OWNER)
    arm.azure.resources[role_id.lower()]["properties"]["permissions"] = permissions
    arm.assign(role_id, GROUP)
    assert allowed(arm) == "-"


@pytest.mark.parametrize(
    "role_id",
    [
        pytest.param(f"{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{CALLER}", id="missing"),
        pytest.param(f"{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/owner", id="without a GUID"),
        pytest.param(f"{SUBSCRIPTION}/providers/Microsoft.Other/roleDefinitions/{OWNER}", id="of another type"),
        pytest.param(f"../providers/Microsoft.Authorization/roleDefinitions/{OWNER}", id="no path"),
        pytest.param(None, id="null"),
    ],
)
def test_a_role_that_cannot_be_read_grants_nothing(arm: Arm, role_id: Any) -> None:
    """Other roles count."""
    everything = {"properties": {"permissions": [{"actions": ["*"], "notActions": []}]}}
    arm.azure.on("GET", "/roleDefinitions/owner$|Microsoft.Other", lambda _: (200, everything, {}))
    assign(arm, "Reader", GROUP)
    arm.assign(role_id, GROUP)
    assert allowed(arm) == "read"


@pytest.mark.parametrize("path", ["roleAssignments$", "denyAssignments$", "roleDefinitions/"])
@pytest.mark.parametrize("status", [400, 401, 403, 302])
def test_what_arm_does_not_show_counts_as_no(arm: Arm, path: str, status: int) -> None:
    """Without the deny assignments, the roles say nothing."""
    assign(arm, "Owner", SUBSCRIPTION)
    arm.azure.fails("GET", path, status, "AuthorizationFailed")
    assert allowed(arm) == "-"


@pytest.mark.parametrize("path", ["roleAssignments$", "denyAssignments$"])
@pytest.mark.parametrize("body", [[], {}, {"value": None}, {"value": [None]}, {"value": "x"}], ids=repr)
def test_a_list_of_another_form_counts_as_no(arm: Arm, path: str, body: Any) -> None:
    """A list that is there in part could lack what denies."""
    assign(arm, "Owner", SUBSCRIPTION)
    arm.azure.on("GET", path, lambda _: (200, body, {}))
    assert allowed(arm) == "-"


@pytest.mark.parametrize(
    "principal_id",
    ["", "x') or principalId eq ('x", f"{{{CALLER}}}", CALLER.replace("-", ""), CALLER.replace("1", "\uff11"), f"{CALLER}\n"],
    ids=["nothing", "a filter", "in braces", "without hyphens", "with other digits", "with a line end"],
)  # fmt: skip
def test_a_principal_that_is_no_object_id_may_nothing(arm: Arm, principal_id: str) -> None:
    """It never gets into a filter."""
    assign(arm, "Owner", SUBSCRIPTION)
    assert not arm.rights().may(principal_id, OPERATIONS["read"])
    assert arm.azure.calls == []


@pytest.mark.parametrize(
    "scope",
    [
        "",
        "/",
        "desk",
        "/subscriptions",
        f"{GROUP}/providers/Microsoft.Network/virtualNetworks/../../../../desk2",
        f"{GROUP}//x",
        "//evil.example/subscriptions/x",
    ],
)
def test_a_text_that_is_no_scope_counts_as_no(arm: Arm, scope: str) -> None:
    """Callers choose it: it may be an id in the body of their request."""
    assign(arm, "Owner", "/")
    assert not arm.rights().may(CALLER, Ask(JOIN, scope))
    assert arm.azure.calls == []


def test_a_scope_cannot_add_a_query(arm: Arm) -> None:
    """Each of its characters stands for itself."""
    assign(arm, "Owner", "/")
    arm.rights().may(CALLER, Ask(JOIN, f"{GROUP}?x=%2F&y=1#z"))
    assert {
        call.query.keys() == {"api-version", "$filter"} for call in arm.azure.calls if "Assignments" in call.path
    } == {True}


def test_rights_at_a_scope_that_does_not_exist_are_those_of_its_parents(arm: Arm) -> None:
    """A cluster whose group is gone can still be read and deleted, and a PUT can say that the group is missing."""
    assign(arm, "Owner", SUBSCRIPTION)
    assign(arm, "Reader", GROUP)
    arm.azure.fails("GET", "/resourceGroups/", 404, "ResourceGroupNotFound")
    assert allowed(arm) == "read write delete credentials join"
    arm.deny(SUBSCRIPTION, "*", doNotApplyToChildScopes=True)
    assert allowed(arm) == "read write delete credentials join"


def test_nobody_may_anything_in_a_subscription_that_does_not_exist(arm: Arm) -> None:
    """Or in one that the app cannot see, which looks the same."""
    assign(arm, "Owner", "/")
    arm.azure.fails("GET", "Assignments$", 404, "SubscriptionNotFound")
    assert allowed(arm) == "-"


def test_lists_of_different_scopes_count_as_no(arm: Arm) -> None:
    """The deny assignments of a parent are not those of the scope itself."""
    assign(arm, "Owner", SUBSCRIPTION)
    arm.azure.fails("GET", "/resourceGroups/.*/denyAssignments$", 404, "InvalidResourceType")
    assert allowed(arm) == "-"


def test_a_few_scopes_are_read_each_at_itself(arm: Arm) -> None:
    """Then ARM leaves out what holds only below."""
    assign(arm, "Reader", SUBSCRIPTION)
    asks = [Ask(f"{CLUSTERS}/read", f"{GROUP}{number}") for number in range(8)]
    assert arm.rights().may_each(CALLER, asks) == [True] * 8
    assert arm.asked()[1:] == ["denyAssignments"] * 8 + ["roleAssignments"] * 8
    filters = {call.query["$filter"][0] for call in arm.azure.calls if "Assignments" in call.path}
    assert filters == {"atScope()", f"atScope() and assignedTo('{CALLER}')"}


def test_many_scopes_are_read_with_their_subscription(arm: Arm) -> None:
    """A list of clusters in hundreds of groups costs as many reads as one cluster, and has the same answers."""
    many = [f"{GROUP}{number}" for number in range(100)]
    assign(arm, "Reader", many[3])
    assign(arm, "Reader", many[5])
    assign(arm, "Reader", many[7])
    assign(arm, "Network", SUBSCRIPTION)
    arm.deny(many[5], "*/read")
    arm.deny(many[7], "*/read", principals=A_GROUP)
    arm.through_groups = arm.denials[1:]
    scopes = [*many, "nowhere", f"{many[3]}/providers/a/b/../c/d"]
    answers = arm.rights().may_each(CALLER, [Ask(f"{CLUSTERS}/read", scope) for scope in scopes], fresh=True)
    assert [number for number, may in enumerate(answers) if may] == [3]
    lists = [call for call in arm.azure.calls if "Assignments" in call.path]
    assert {call.path.partition("/providers/")[0] for call in lists} == {SUBSCRIPTION}
    filters = sorted(call.query.get("$filter", [""])[0] for call in lists)
    assert filters == ["", f"assignedTo('{CALLER}')", f"assignedTo('{CALLER}')"]
