"""The Secrets from which the operators of a cluster learn which identity is theirs: where each is, and whose. Pure."""

from dataclasses import dataclass

from shared.clusters.identities.cluster_credential import WorkloadIdentity
from shared.clusters.identities.required_roles import Roles

# The operator of ARO does not come with a release: a cluster of this service has its namespace only if somebody has
# installed it.
NOT_OF_RELEASE = "aro-operator"


@dataclass(frozen=True)
class OperatorSecret:
    """The Secret of an operator.

    Attributes:
        operator: the operator's name.
        namespace: the Secret's namespace.
        name: the Secret's name.
        client_id: client id of the operator's identity.
    """

    operator: str
    namespace: str
    name: str
    client_id: str

    @property
    def is_of_release(self) -> bool:
        """Whether every cluster has its namespace."""
        return self.operator != NOT_OF_RELEASE


def wanted(credential: WorkloadIdentity, roles: Roles) -> list[OperatorSecret]:
    """Return the Secrets of the operators, each once, whatever the number of an operator's roles.

    Args:
        credential: the identities of the cluster.
        roles: the roles that its operators need; not each has to say where its operator's Secret is.
    """
    found = []
    for role in roles:
        operator, place = role["operatorName"], role.get("secretLocation")
        if place is not None:
            client_id = credential.operators[operator].client_id
            found.append(OperatorSecret(operator, place["namespace"], place["name"], client_id))
    return list(dict.fromkeys(found))
