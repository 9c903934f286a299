"""A cluster's life in one's own subscription: a user creates it through the service, looks into it and deletes it."""

import random
from pathlib import Path

import pytest
from azure.core.exceptions import ResourceNotFoundError

from demo.customer import begin_delete
from tests.entra_azure import EntraAzure
from tests.faults.checks import census
from tests.local_azure import unique, wait_for
from tests.product.integration.own.site import run_on
from tests.product.integration.own.stage import create_records, prepare
from tests.product.integration.service import rights
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.kubernetes_api import KubernetesApi

pytestmark = pytest.mark.slow(60)

# Rows that a create in one's own subscription skips, with the reason that its owner reads.
KEEPS_CERTIFICATES = (
    "the cluster keeps its own certificates, because the service has no issuer (CERTIFICATE_ISSUER is empty)"
)
NO_IDENTITIES = "the cluster has a service principal, and no workload identity"
NO_REGISTRY = "the service has no registry of its own (ACR_RESOURCE_ID is empty)"
SKIPPED = {
    "ensure_acr_token": NO_REGISTRY,
    "ensure_ifreload": NO_REGISTRY,
    "create_dns": "the service has no zone for managed domains (DOMAIN is empty)",
    "deploy_deny_assignment": "only a first-party application may write deny assignments, and the service has none "
    "(FP_CLIENT_ID is empty)",
    "copy_billing_record": "nobody wants copies of billing records (BILLING_COPY_ACCOUNT_ID is empty)",
    "create_api_server_certificate": KEEPS_CERTIFICATES,
    "configure_api_server_certificate": KEEPS_CERTIFICATES,
    "create_ingress_certificate": KEEPS_CERTIFICATES,
    "configure_ingress_certificate": KEEPS_CERTIFICATES,
    "ensure_logging": "the service has no logging account for clusters (CLUSTER_LOGGING_CERTIFICATE_SECRET is empty)",
    "ensure_identity_certificate": NO_IDENTITIES,
    "look_up_identities": NO_IDENTITIES,
    "validate_cluster_identity_permissions": NO_IDENTITIES,
    "validate_operator_permissions": NO_IDENTITIES,
    "validate_federated_credentials": NO_IDENTITIES,
    "publish_issuer_documents": NO_IDENTITIES,
    "ensure_federated_credentials": NO_IDENTITIES,
    "disable_file_storage_class": NO_IDENTITIES,
    # These are skipped in the hosted service, too, for a cluster like this one.
    "validate_disk_encryption_sets": "no disk encryption set is given",
    "remove_expired_machines": "the bootstrap's certificates are still valid, or not made yet",
    "disable_samples": "the cluster has its owner's pull secret",
    "disable_operator_hub_sources": "the cluster has its owner's pull secret",
}

# Actions for a zone and for a registry, which this service has not got.
FOR_WHAT_IS_ABSENT = ("Microsoft.Network/dnsZones/", "Microsoft.ContainerRegistry/")


def test_a_user_creates_a_cluster_with_a_token_and_its_delete_leaves_nothing(
    entra_azure: EntraAzure, rng: random.Random, tmp_path: Path
) -> None:
    """The public SDK needs an address and a scope. What is only for the hosted service is skipped, and says why."""
    azure, name = entra_azure, unique(rng)
    owner = prepare(azure, name, azure.user(name))
    poller = owner.clusters().begin_create_or_update(owner.group, name, owner.body())
    assert poller.result().properties.provisioning_state == "Succeeded"
    with taken(azure.state) as inventory:
        document = inventory.cluster(owner)
        (operation,) = inventory.operations(owner)
        plan = inventory.plan(operation["id"])
    assert document is not None
    assert {each["name"]: each["reason"] for each in plan["skipped"]} == SKIPPED
    path = f"/sre{owner.cluster_id}/operations/{operation['id']}"
    # The last step closes its progress item after the operation has ended.
    wait_for(
        lambda: {step["status"] for step in azure.owner.send("GET", path).json()["steps"]} == {"Succeeded"},
        "the last step to be closed",
    )

    create_records(azure, owner, document["openShiftCluster"])
    nodes = KubernetesApi(owner, tmp_path).list("/api/v1/nodes")
    assert len(nodes) == 6
    run_on(azure, owner, name, tmp_path / "site")

    begin_delete(owner)[1].result()
    with pytest.raises(ResourceNotFoundError):
        owner.clusters().get(owner.group, name)
    with taken(azure.state) as inventory:
        correlation_ids = [each["correlationData"]["correlationId"] for each in inventory.operations(owner)]
        # The identity has the name of the app.
        identity = inventory.service.outputs["app"]
    actions = rights.used(azure, correlation_ids, who=identity)
    granted = rights.granted("entra")
    assert actions <= granted
    absent = {action for action in granted if action.startswith(FOR_WHAT_IS_ABSENT)}
    assert granted - actions == rights.elsewhere("entra") | absent
    wrong = census.settled(
        lambda: census.violations(census.of_cluster(azure.state, owner, document["id"]), census.NONE)
    )
    assert not wrong, "\n".join(wrong)
