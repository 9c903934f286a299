"""The objects with which a cluster's operators log in to Azure by workload identity, without a secret.

An operator reads the ids of its identity from its Secret, and exchanges a token of its own service account for one of
that identity.

Source: ARO-RP `pkg/cluster/workloadidentityresources.go`.
"""

from dataclasses import dataclass

from shared.json_object import Json

# Where the pods of operators mount the token that they exchange.
TOKEN_FILE = "/var/run/secrets/openshift/serviceaccount/token"  # noqa: S105 - the path of a file


@dataclass(frozen=True)
class Place:
    """Where in Azure a cluster is.

    Attributes:
        tenant_id: the customer's tenant.
        subscription_id: the customer's subscription.
        region: the cluster's region.
    """

    tenant_id: str
    subscription_id: str
    region: str


def operator_secret(namespace: str, name: str, client_id: str, place: Place) -> Json:
    """Return the Secret from which an operator reads how to log in.

    Args:
        namespace: the Secret's namespace, from the role set.
        name: the Secret's name, likewise.
        client_id: client id of the operator's identity.
        place: where the cluster is.
    """
    members = {
        "azure_client_id": client_id,
        "azure_subscription_id": place.subscription_id,
        "azure_tenant_id": place.tenant_id,
        "azure_region": place.region,
        "azure_federated_token_file": TOKEN_FILE,
    }
    return _secret(namespace, name, members)


def webhook_secret(place: Place) -> Json:
    """Return the Secret from which the webhook that equips pods with identities learns their tenant."""
    members = {"azure_tenant_id": place.tenant_id}
    return _secret("openshift-cloud-credential-operator", "azure-credentials", members)


def authentication(issuer: str) -> Json:
    """Return what makes the API server issue tokens in the name of an issuer, letter by letter."""
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "Authentication",
        "metadata": {"name": "cluster"},
        "spec": {"serviceAccountIssuer": issuer},
    }


def _secret(namespace: str, name: str, members: dict[str, str]) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"namespace": namespace, "name": name},
        "type": "Opaque",
        "stringData": members,
    }
