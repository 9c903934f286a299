"""A cluster's operators learn their identities from objects that hold no secret."""

from shared.openshift import workload_identity_objects as objects
from shared.openshift.workload_identity_objects import Place

PLACE = Place(tenant_id="tenant", subscription_id="subscription", region="eastus")
ISSUER = "https://eastus.oic.aroapp.io/tenant/doc-1"


def test_an_operators_secret_names_its_identity_and_the_file_with_its_token() -> None:
    """Where the role set says, and without a client secret."""
    found = objects.operator_secret("openshift-ingress-operator", "cloud-credentials", "client-1", PLACE)
    assert (found["apiVersion"], found["kind"], found["type"]) == ("v1", "Secret", "Opaque")
    assert found["metadata"] == {"namespace": "openshift-ingress-operator", "name": "cloud-credentials"}
    assert found["stringData"] == {
        "azure_client_id": "client-1",
        "azure_subscription_id": "subscription",
        "azure_tenant_id": "tenant",
        "azure_region": "eastus",
        "azure_federated_token_file": "/var/run/secrets/openshift/serviceaccount/token",
    }


def test_the_webhook_that_equips_pods_learns_only_the_tenant() -> None:
    """Each pod names its own identity."""
    found = objects.webhook_secret(PLACE)
    assert found["metadata"] == {"namespace": "openshift-cloud-credential-operator", "name": "azure-credentials"}
    assert found["stringData"] == {"azure_tenant_id": "tenant"}


def test_the_api_server_signs_in_the_name_of_the_clusters_issuer() -> None:
    """Letter by letter, as the federated credentials have it."""
    found = objects.authentication(ISSUER)
    assert (found["apiVersion"], found["kind"]) == ("config.openshift.io/v1", "Authentication")
    assert found["metadata"] == {"name": "cluster"}
    assert found["spec"] == {"serviceAccountIssuer": ISSUER}
