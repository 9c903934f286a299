"""Processes die at random rows while a cluster with workload identity is created, changed and deleted.

All is done that should be, nothing is left over, and no secret is outside the vault.
"""

import base64
import json
import random
from collections import Counter
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, pkcs12

from orchestrators import plans
from shared.clusters.secrets import Purpose, secret_name
from tests.faults.checks import census
from tests.faults.checks.leaks import Search, homes, places
from tests.faults.scenarios import KILLS
from tests.faults.troubles import PROCESSES, kill, slow_progress
from tests.local_azure import LocalAzure, unique
from tests.product.integration.service.identities import Identities
from tests.product.integration.service.identity_changes import REPLACED, SUCCESSOR, trusted
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import Cluster, begun

pytestmark = [pytest.mark.slow(150), pytest.mark.thorough, pytest.mark.family(KILLS)]

# How many rows that are only for such clusters, and how many others, one of the processes dies at in each operation.
OWN_ROWS, OTHER_ROWS = 3, 1
OF_IDENTITIES = {"has_workload_identity", "has_identity_certificate", "identities_are_to_be_carried_in"}
MORTAL = ("the host", "the worker")
VERSIONS = 4
# The role of a principal, of which such a cluster has one for each operator, and that of the service on its storage.
ROLES = "microsoft.authorization/roleassignments/*guid"
ROLE_ON_STORAGE = f"microsoft.storage/storageaccounts/*account/providers/{ROLES}"
SECRETS = ("secret *id-signing", "secret *id-identity", "secret *id-ignition")


def test_operations_on_a_cluster_with_identities_continue_at_any_row(own_azure: LocalAzure, rng: random.Random) -> None:
    """Rows that are for such clusters alone, and others; the seed draws them."""
    cluster = Cluster(own_azure, own_azure.prepared_customer(unique(rng), with_role=False))
    identities = Identities(cluster)
    identities.make()
    with slow_progress(own_azure):
        created = _survive(cluster, rng, "create", lambda: cluster.create(identities.body()))
    document_id = cluster.document_id()
    wrong = census.settled(lambda: _wrong(cluster, document_id)) + census.doubled_calls(cluster.calls(created))
    assert not wrong, "\n".join(wrong)

    before = trusted(identities, REPLACED)
    identities.add_operator(SUCCESSOR, identities.roles()[REPLACED])
    operators = {REPLACED: {"resourceId": identities.resource_id(SUCCESSOR)}}
    change = {"properties": {"platformWorkloadIdentityProfile": {"platformWorkloadIdentities": operators}}}
    with slow_progress(own_azure):
        _survive(cluster, rng, "update", lambda: begun(cluster.send("PATCH", body=change)))
    assert (trusted(identities, REPLACED), trusted(identities, SUCCESSOR)) == (set(), before)
    wrong = census.settled(lambda: _wrong(cluster, document_id))
    assert not wrong, "\n".join(wrong)
    _expect_secrets_in_the_vault_alone(cluster, document_id)

    with slow_progress(own_azure):
        _survive(cluster, rng, "delete", cluster.delete)
    assert not any(trusted(identities, each) for each in (*identities.roles(), SUCCESSOR))
    cluster.expect_nothing_left(document_id)


def _survive(cluster: Cluster, rng: random.Random, plan: str, begin: Callable[[], str]) -> str:
    """Begin an operation, let processes die at some of its rows, and wait until it succeeds; return its id."""
    operation_id = begin()
    with taken(cluster.azure.state) as inventory:
        planned = {row["name"] for row in inventory.plan(operation_id)["rows"]}
    rows = [row for row in plans.PLANS[plan] if row.name in planned]
    own = [row.name for row in rows if row.when in OF_IDENTITIES]
    others = [row.name for row in rows if row.when not in OF_IDENTITIES]
    drawn = {*rng.sample(own, min(OWN_ROWS, len(own))), *rng.sample(others, OTHER_ROWS)}
    for row in (row.name for row in rows if row.name in drawn):
        process = rng.choice(MORTAL)
        print(f"{plan}: {process} dies at {row}")  # noqa: T201 - a failure shows it, beside the seed
        cluster.wait_for_step(operation_id, row)
        kill(cluster.azure, PROCESSES[process])
    cluster.succeed(operation_id)
    return operation_id


def _wrong(cluster: Cluster, document_id: str) -> list[str]:
    """Return what such a cluster has and should not, and the reverse."""
    found = census.of_cluster(cluster.azure.state, cluster.customer, document_id, VERSIONS)
    further = [ROLES] * (len(Identities(cluster).roles()) - 1)
    return census.violations(found, census.ONE + Counter([*further, ROLE_ON_STORAGE, *SECRETS]))


def _expect_secrets_in_the_vault_alone(cluster: Cluster, document_id: str) -> None:
    """Check that the signing key and the certificate of the cluster identity are nowhere else."""
    state = cluster.azure.state
    with taken(state) as inventory:
        found = inventory.rows("keyvault_versions", f"{inventory.vault}/{document_id}")
    values = {
        name: json.loads(each["value"]) for _, each in found if not each.get("managed") for name in [each["name"]]
    }
    of = {purpose: values[secret_name(document_id, purpose)] for purpose in (Purpose.SIGNING_KEY, Purpose.IDENTITY)}
    certificate = of[Purpose.IDENTITY]["explicit_identities"][0]["client_secret"]
    key, _, _ = pkcs12.load_key_and_certificates(base64.b64decode(certificate), None)
    assert key is not None
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode("ascii")
    canaries = {
        "signing key": _middle(of[Purpose.SIGNING_KEY]["privateKey"]),
        "certificate of the cluster identity": certificate[len(certificate) // 2 :][:64],
        "its key": _middle(pem),
    }
    assert "keyvault_versions" in homes(state, canaries)
    search = Search(canaries)
    leaks = [hit for place in places(state) for hit in search.hits(place)]
    assert not leaks, "\n".join(leaks)


def _middle(pem: str) -> str:
    lines = pem.splitlines()
    return lines[len(lines) // 2]
