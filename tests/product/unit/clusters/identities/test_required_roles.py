"""Each operator of a cluster's version has an identity, and no other one has."""

import copy
from typing import Any

import pytest

from shared.arm.errors import CloudError
from shared.clusters.identities import cluster_credential, required_roles
from shared.clusters.identities.cluster_credential import WorkloadIdentity
from tests.product.unit.clusters.identities.credentials import with_identities
from tests.product.unit.clusters.identities.role_sets import seeded

SETS = seeded()
NAMES = sorted(role["operatorName"] for role in SETS["4.19"]["platformWorkloadIdentityRoles"])


def with_one_more(minor: str = "4.20") -> Any:
    """Return the role sets; that of a minor version has one operator more."""
    sets = copy.deepcopy(SETS)
    more: Any = sets[minor]["platformWorkloadIdentityRoles"]
    more.append({**more[0], "operatorName": "later"})
    return sets


def identities(*operators: str, upgradeable_to: str = "") -> WorkloadIdentity:
    """Return a credential with these operators."""
    found = cluster_credential.parse(with_identities(*operators, upgradeable_to=upgradeable_to))
    assert isinstance(found, WorkloadIdentity)
    return found


@pytest.mark.parametrize(
    ("upgradeable_to", "want"),
    [
        ("", ["4.19"]),
        ("4.20.3", ["4.19", "4.20"]),
        ("4.19.9", ["4.19"]),
        ("4.9.9", ["4.19"]),
        ("5.0.0", ["4.19", "5.0"]),
    ],
)
def test_the_minor_version_of_the_next_upgrade_counts_if_it_is_higher(upgradeable_to: str, want: list[str]) -> None:
    """As numbers, not as text."""
    assert required_roles.minors("4.19.1", upgradeable_to) == want


def test_the_roles_of_both_minor_versions_are_needed_each_once() -> None:
    """An upgraded operator keeps its identity, and a new one gets one before the upgrade."""
    sets = with_one_more()
    roles = required_roles.required(sets, "4.19.1", "4.20.3")
    assert sorted(role["operatorName"] for role in roles) == sorted([*NAMES, "later"])
    assert sorted(role["operatorName"] for role in required_roles.required(sets, "4.19.1")) == NAMES


def test_an_operator_may_need_several_roles() -> None:
    """Two entries with the same operator and another role definition are both kept."""
    sets = copy.deepcopy(SETS)
    first: Any = sets["4.19"]["platformWorkloadIdentityRoles"]
    first.append({**first[0], "roleDefinitionId": first[1]["roleDefinitionId"]})
    roles = required_roles.required(sets, "4.19.1")
    assert len(roles) == len(NAMES) + 1
    assert required_roles.mismatches(NAMES, roles, "4.19.1") == []


@pytest.mark.parametrize(
    ("version", "upgradeable_to", "want"),
    [("4.15.1", "", "4.15"), ("4.19.1", "4.30.0", "4.30"), ("3.1.1", "4.30.0", "3.1 and 4.30")],
)
def test_a_minor_version_without_a_role_set_is_refused(version: str, upgradeable_to: str, want: str) -> None:
    """With those that have one."""
    with pytest.raises(CloudError) as caught:
        required_roles.required(SETS, version, upgradeable_to)
    error = caught.value
    assert (error.status_code, error.code, error.target) == (400, "InvalidParameter", "")
    assert error.message.startswith(f"OpenShift {want} cannot have workload identity")
    assert "4.17, 4.18, 4.19, 4.20" in error.message


def test_exactly_the_operators_of_the_roles_pass() -> None:
    """In any order."""
    roles = required_roles.of_cluster(identities(*reversed(NAMES)), SETS, "4.19.1")
    assert [role["operatorName"] for role in roles] == NAMES


@pytest.mark.parametrize(
    ("operators", "want"),
    [
        (NAMES[1:], f"{NAMES[0]} must be there."),
        ([*NAMES, "ingres"], "ingres must not be there."),
        ([*NAMES[:-1], "Machine-api", "x"], "machine-api must be there, and Machine-api, x must not be there."),
    ],
    ids=["missing", "superfluous", "both"],
)
def test_missing_and_superfluous_operators_are_named_at_once(operators: list[str], want: str) -> None:
    """With all that are needed."""
    with pytest.raises(CloudError) as caught:
        required_roles.of_cluster(identities(*operators), SETS, "4.19.1")
    error = caught.value
    assert (error.status_code, error.code) == (400, "PlatformWorkloadIdentityMismatch")
    assert error.target == "properties.platformWorkloadIdentityProfile.platformWorkloadIdentities"
    assert f"not those of OpenShift 4.19: {want}" in error.message
    assert error.message.endswith(f"Give exactly these: {', '.join(NAMES)}.")


def test_before_an_upgrade_the_message_names_both_minor_versions() -> None:
    """The identity of the new operator has to come with the request that names the version."""
    with pytest.raises(CloudError, match=r"OpenShift 4\.19 or 4\.20: later must be there"):
        required_roles.of_cluster(identities(*NAMES, upgradeable_to="4.20.3"), with_one_more(), "4.19.1")
    assert required_roles.of_cluster(identities(*NAMES, "later", upgradeable_to="4.20.3"), with_one_more(), "4.19.1")


def test_an_operator_that_an_upgrade_has_ended_keeps_its_identity_and_needs_no_role() -> None:
    """No request may leave it out, so later ones would all be refused; a cluster that never had it may not name it."""
    sets = with_one_more("4.19")
    had, upgraded = identities(*NAMES, "later"), "4.21.3"
    roles = required_roles.of_cluster(had, sets, upgraded, created="4.18.1")
    assert sorted(role["operatorName"] for role in roles) == NAMES
    with pytest.raises(CloudError, match="later must not be there"):
        required_roles.of_cluster(had, sets, upgraded, created="4.20.1")
    with pytest.raises(CloudError, match="later must not be there"):
        required_roles.of_cluster(had, sets, "4.18.1")
