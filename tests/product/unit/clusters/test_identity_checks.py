"""Static rules of workload identity: one row for each rule, with the member that is named."""

import copy
from typing import Any

import pytest

from shared.arm.errors import CloudError
from shared.clusters.api_versions import API_VERSIONS
from shared.clusters.checks import identity_checks
from shared.clusters.checks.facts import Facts
from shared.clusters.decode import decode_cluster
from shared.clusters.validation import validate_static

GROUP = "/subscriptions/dddddddd-0000-0000-0000-000000000001/resourceGroups/g"
CLUSTER = f"{GROUP}/providers/Microsoft.RedHatOpenShift/openShiftClusters/c1"
IDENTITIES = f"{GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities"
ELSEWHERE = IDENTITIES.replace("000000000001", "000000000002")
ASSIGNED = "identity.userAssignedIdentities"
PRINCIPAL, WORKLOADS = "properties.servicePrincipalProfile", "properties.platformWorkloadIdentityProfile"
OPERATORS = f"{WORKLOADS}.platformWorkloadIdentities"
VALID: dict[str, Any] = {
    "identity": {"type": "userassigned", "userAssignedIdentities": {f"{IDENTITIES}/aro-cluster": {}}},
    "properties": {
        "platformWorkloadIdentityProfile": {
            "platformWorkloadIdentities": {
                "ingress": {"resourceId": f"{IDENTITIES}/ingress"},
                "machine-api": {"resourceId": f"{IDENTITIES.replace('/resourceGroups/', '/resourcegroups/')}/m"},
            }
        }
    },
}


def context(cluster: Any) -> Facts:
    """Return the context of a create."""
    return Facts(cluster, API_VERSIONS[-1], CLUSTER, "eastus", "", creating=True)


def found(cluster: Any) -> list[CloudError]:
    """Return what is found in the credential of a body."""
    try:
        decoded = decode_cluster(cluster, API_VERSIONS[-1])
        validate_static(context(decoded))
    except CloudError as error:
        details = error.details or [error.body()]
        wrong = [CloudError(error.status_code, each["code"], each["message"], each["target"]) for each in details]
        return [each for each in wrong if each.target.startswith(("identity", PRINCIPAL, WORKLOADS))]
    raise AssertionError("a body with only a credential lacks all the rest")


def changed(path: tuple[str, ...], value: Any) -> Any:
    """Return the valid cluster with another value at a path; `...` removes it."""
    cluster = copy.deepcopy(VALID)
    *parents, last = path
    holder = cluster
    for name in parents:
        holder = holder[name]
    if value is ...:
        del holder[last]
    else:
        holder[last] = value
    return cluster


def test_a_cluster_with_an_identity_and_those_of_its_operators_passes() -> None:
    """Names of types, and of segments of ids, are taken in any case."""
    assert found(VALID) == []


@pytest.mark.parametrize("identity", [None, {}, {"type": "None"}, {"type": "None", "userAssignedIdentities": {}}])
@pytest.mark.parametrize("workloads", [None, {}, {"upgradeableTo": "", "platformWorkloadIdentities": {}}])
def test_a_cluster_with_a_service_principal_passes_whatever_says_nothing_beside_it(
    identity: Any, workloads: Any
) -> None:
    """Terraform sends an identity of the type `None`."""
    principal = {"clientId": "dddddddd-0000-0000-0000-000000000009", "clientSecret": "x"}
    properties = {"servicePrincipalProfile": principal, "platformWorkloadIdentityProfile": workloads}
    assert found({"identity": identity, "properties": properties}) == []


WI, MAP = ("properties", "platformWorkloadIdentityProfile"), "platformWorkloadIdentities"
INGRESS, ONE = f'{OPERATORS}["ingress"]', ("identity", "userAssignedIdentities")
NO_ID, ELSEWHERES = "the id of an identity", "in the cluster's subscription"


@pytest.mark.parametrize(
    ("path", "value", "target", "part"),
    [
        pytest.param(("identity",), ..., "identity", "no 'identity'", id="operators without a cluster identity"),
        pytest.param(("identity",), {"type": "None"}, "identity", "no 'identity'", id="the type None is none"),
        pytest.param(WI, ..., "identity", f"no '{WORKLOADS}'", id="a cluster identity without operators"),
        pytest.param(("identity", "type"), "SystemAssigned", "identity.type", "'UserAssigned'", id="of the system"),
        pytest.param(
            ("identity", "type"), "SystemAssigned,UserAssigned", "identity.type", "'UserAssigned'", id="both kinds"
        ),
        pytest.param(("identity", "type"), ..., "identity.type", "'UserAssigned'", id="of no type"),
        pytest.param(ONE, {}, ASSIGNED, "There are 0", id="no cluster identity"),
        pytest.param(ONE, {f"{IDENTITIES}/a": {}, f"{IDENTITIES}/b": {}}, ASSIGNED, "There are 2", id="two"),
        pytest.param(ONE, {"x": {}}, f'{ASSIGNED}["x"]', NO_ID, id="no id"),
        pytest.param(
            ONE, {f"{ELSEWHERE}/a": {}}, f'{ASSIGNED}["{ELSEWHERE}/a"]', ELSEWHERES, id="of another subscription"
        ),
        pytest.param((*WI, MAP), {}, "identity", "no '", id="nothing is said of operators"),
        pytest.param(
            (*WI, MAP),
            {"": {"resourceId": f"{IDENTITIES}/a"}},
            f'{OPERATORS}[""]',
            "has no name",
            id="an operator without a name",
        ),
        pytest.param(
            (*WI, MAP, "ingress"), {}, f"{INGRESS}.resourceId", "is missing", id="an operator without an identity"
        ),
        pytest.param((*WI, MAP), {"ingress": None}, "identity", "no '", id="an operator is null"),
        pytest.param(
            (*WI, MAP, "ingress", "resourceId"), CLUSTER, f"{INGRESS}.resourceId", NO_ID, id="the id of something else"
        ),
        pytest.param(
            (*WI, MAP, "ingress", "resourceId"),
            f"{GROUP}/providers/X/userAssignedIdentities/a",
            f"{INGRESS}.resourceId",
            NO_ID,
            id="of another provider",
        ),
        pytest.param(
            (*WI, MAP, "ingress", "resourceId"),
            f"{ELSEWHERE}/a",
            f"{INGRESS}.resourceId",
            ELSEWHERES,
            id="an operator's of another subscription",
        ),
        pytest.param(
            (*WI, MAP, "ingress", "resourceId"),
            f"{IDENTITIES}/ARO-cluster",
            f"{INGRESS}.resourceId",
            "that of the cluster too",
            id="the cluster identity",
        ),
        pytest.param(
            (*WI, MAP, "machine-api", "resourceId"),
            f"{IDENTITIES}/INGRESS",
            f'{OPERATORS}["machine-api"].resourceId',
            "that of the operator 'ingress' too",
            id="the same one twice",
        ),
        pytest.param(
            ("properties", "servicePrincipalProfile"),
            {"clientId": "x"},
            PRINCIPAL,
            "Leave one of them out",
            id="a service principal as well",
        ),
    ],
)
def test_what_is_wrong_is_named(path: tuple[str, ...], value: Any, target: str, part: str) -> None:
    """With the member, and what it must be."""
    first = found(changed(path, value))[0]
    assert (first.status_code, first.code, first.target) == (400, "InvalidParameter", target)
    assert part in first.message


def test_a_cluster_without_any_credential_is_told_of_both() -> None:
    """Either would do."""
    (error,) = found({"properties": {}})
    assert error.target == PRINCIPAL
    assert "clientSecret" in error.message
    assert WORKLOADS in error.message


def test_a_profile_that_names_only_the_next_version_lacks_its_operators() -> None:
    """It asks for workload identity."""
    cluster = changed(WI, {"upgradeableTo": "4.20.0"})
    assert [error.target for error in found(cluster)] == [OPERATORS]


def test_everything_that_is_wrong_is_told_at_once() -> None:
    """Not one problem a request."""
    cluster = changed(("identity", "type"), "SystemAssigned")
    cluster["properties"]["platformWorkloadIdentityProfile"][MAP] |= {"ingress": {}, "machine-api": {"resourceId": "x"}}
    assert [error.target for error in found(cluster)] == [
        "identity.type",
        f"{INGRESS}.resourceId",
        f'{OPERATORS}["machine-api"].resourceId',
    ]


@pytest.mark.parametrize(
    ("path", "value", "target"),
    [
        (("identity",), "UserAssigned", "identity"),
        (ONE, [f"{IDENTITIES}/a"], ASSIGNED),
        (ONE, {f"{IDENTITIES}/a": "x"}, f'{ASSIGNED}["{IDENTITIES}/a"]'),
        ((*WI, MAP), [], OPERATORS),
        ((*WI, MAP, "ingress"), f"{IDENTITIES}/ingress", INGRESS),
        ((*WI, MAP, "ingress", "resourceId"), 7, f"{INGRESS}.resourceId"),
        ((*WI, "upgradeableTo"), 4.2, f"{WORKLOADS}.upgradeableTo"),
    ],
)
def test_a_value_of_a_wrong_type_is_named(path: tuple[str, ...], value: Any, target: str) -> None:
    """Also within the maps."""
    (error,) = found(changed(path, value))
    assert (error.code, error.target) == ("InvalidRequestContent", target)


@pytest.mark.parametrize("value", ["4.20.0", "4.19.24", "5.0.1"])
def test_a_version_of_the_next_upgrade_passes(value: str) -> None:
    """Whether there is one is the role sets' question."""
    assert list(identity_checks.upgradeable_to(value, context(VALID), "t")) == []


@pytest.mark.parametrize("value", ["4.20", "4.20.0-rc.1", "v4.20.0", "04.20.0", "4.20.0 ", "4.20.x"])
def test_what_is_no_version_is_refused(value: str) -> None:
    """The minor version decides which roles are needed."""
    (error,) = identity_checks.upgradeable_to(value, context(VALID), f"{WORKLOADS}.upgradeableTo")
    assert (error.code, error.target) == ("InvalidParameter", f"{WORKLOADS}.upgradeableTo")
    assert "x.y.z" in error.message
