"""Each operator of a cluster learns its identity from its Secret, where the role set says."""

from typing import Any

from shared.clusters.identities import cluster_credential, operator_secrets
from shared.clusters.identities.cluster_credential import WorkloadIdentity
from shared.clusters.identities.operator_secrets import OperatorSecret
from shared.clusters.identities.required_roles import Roles
from tests.product.unit.clusters.identities.credentials import with_identities
from tests.product.unit.clusters.identities.role_sets import seeded

ROLES = seeded()["4.19"]["platformWorkloadIdentityRoles"]


def credential(*operators: str) -> WorkloadIdentity:
    found = cluster_credential.parse(with_identities(*operators))
    assert isinstance(found, WorkloadIdentity)
    return found


def roles(operator: str, *secrets: tuple[str, str] | None) -> Roles:
    """Return roles of an operator; a role may leave out where its Secret is."""
    found: Roles = []
    for each in secrets:
        role: Any = {"operatorName": operator}
        if each:
            role["secretLocation"] = {"namespace": each[0], "name": each[1]}
        found.append(role)
    return found


def test_every_operator_has_its_secret_with_its_own_client_id() -> None:
    """At the places of the role set."""
    operators = {role["operatorName"] for role in ROLES}
    found = operator_secrets.wanted(credential(*operators), ROLES)
    assert {each.operator: each.client_id for each in found} == {name: f"client-{name}" for name in operators}
    assert {(each.operator, each.namespace, each.name) for each in found} == {
        (role["operatorName"], role["secretLocation"]["namespace"], role["secretLocation"]["name"]) for role in ROLES
    }


def test_an_operator_with_several_roles_has_one_secret() -> None:
    """Roles of one operator may name the same Secret, another one, or none."""
    several = roles("ingress", ("ns", "a"), None, ("ns", "a"), ("ns", "b"))
    assert operator_secrets.wanted(credential("ingress"), several) == [
        OperatorSecret("ingress", "ns", "a", "client-ingress"),
        OperatorSecret("ingress", "ns", "b", "client-ingress"),
    ]


def test_only_the_operator_of_aro_may_lack_its_namespace() -> None:
    """It is not part of a release."""
    found = operator_secrets.wanted(credential(*(role["operatorName"] for role in ROLES)), ROLES)
    assert [each.operator for each in found if not each.is_of_release] == ["aro-operator"]
