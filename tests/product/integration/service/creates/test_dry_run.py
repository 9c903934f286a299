"""The dry run of a create on the local Azure: what it tells, and that it leaves nothing behind."""

import copy
import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shared.json_object import Json
from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.contract.provider import PROVIDER, Provider
from tests.product.integration.own.stage import RESTRICTED_SIZE
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import API_VERSION, Cluster, prepare

pytestmark = pytest.mark.slow

# Timers write to the containers that are left out, `TaskHubs` and `ClusterConditions`, whatever happens.
CONTAINERS = (
    "OpenShiftClusters",
    "AsyncOperations",
    "OperationProgress",
    "Subscriptions",
    "Domains",
    "Billing",
    "OpenShiftVersions",
    "PlatformWorkloadIdentityRoleSets",
    "Sites",
)
TABLES = (
    "keyvault_secrets",
    "keyvault_versions",
    "keyvault_certificates",
    "arm_resources",
    "arm_groups",
    "deployments",
)
CHANGES = ("PUT ", "PATCH ", "POST ", "DELETE ", "create ", "replace ", "upsert ", "delete ")
# A POST with which the service signs in.
SIGNS_IN = "entra"
CLIENT = Path(__file__).parents[5] / "client"
CORRELATION_ID = "77777777-0000-4000-8000-%012d"


@pytest.fixture
def cluster(own_azure: LocalAzure, rng: random.Random) -> Cluster:
    """Give a cluster that could be created."""
    (made,) = prepare(own_azure, unique(rng, "t"))
    return replace(made, correlation_id=CORRELATION_ID % rng.randrange(10**12))


def ask(cluster: Cluster, path: str, body: Json) -> Any:
    """Send a request about the create's plan as an operator."""
    return Provider(cluster.azure).send(
        "POST",
        f"/sre{cluster.customer.cluster_id}/plans/create/{path}",
        certificate="admin_client",
        version=API_VERSION,
        json=body,
        headers={"x-ms-correlation-request-id": cluster.correlation_id},
    )


def tried(cluster: Cluster, body: Json) -> dict[str, Json]:
    """Try the create until the roles of the preparation have spread; return what is told of each row."""

    def told() -> dict[str, Json] | None:
        answer = ask(cluster, "dryRun", body)
        assert answer.status_code == 200, answer.text
        rows = {row["row"]: row for row in answer.json()["rows"]}
        spreading = rows["validate_network"]["verdict"] == "notChecked" or any(
            "mayPass" in row for row in rows.values()
        )
        return None if spreading else rows

    return wait_for(told, "the service's roles on the network")


def kept(azure: LocalAzure) -> Json:
    """Return everything that the service and the customer's subscription have: documents, secrets, resources."""
    with taken(azure.state) as inventory:
        found: Json = {name: inventory.documents(name) for name in CONTAINERS}
        return found | {name: inventory.rows(name) for name in TABLES}


def writes(azure: LocalAzure, correlation_id: str) -> list[str]:
    """Return the calls of a request that change something."""
    journal = azure.journal(correlation_id)
    assert journal
    return [
        each["operation"]
        for each in journal
        if each["operation"].startswith(CHANGES) and each["service"] not in (SIGNS_IN, "rp")
    ]


def test_a_dry_run_of_a_create_leaves_store_vault_and_azure_as_they_were(cluster: Cluster) -> None:
    """Every document, every secret, every resource, and no write in the journal."""
    before = kept(cluster.azure)
    rows = tried(cluster, cluster.body)
    verdicts = {name: row["verdict"] for name, row in rows.items()}
    assert "refused" not in verdicts.values(), rows
    assert verdicts["validate_network"] == verdicts["validate_quota"] == verdicts["validate_vm_sizes"] == "checked"
    assert verdicts["validate_service_principal"] == "notChecked"
    assert verdicts["ensure_resource_group"] == verdicts["deploy_network_template"] == "made"
    assert {one["state"] for one in rows["deploy_network_template"]["resources"]} == {"made"}
    rendered = ask(cluster, "rows/deploy_network_template/render", cluster.body)
    assert rendered.status_code == 200, rendered.text
    (deployment,) = rendered.json()["value"]
    assert deployment["properties"]["template"]["resources"]
    assert kept(cluster.azure) == before
    assert writes(cluster.azure, cluster.correlation_id) == []


def test_what_the_operation_would_refuse_is_refused_row_by_row(cluster: Cluster) -> None:
    """A size that is restricted, and a subnet that is not there; nothing is made for it."""
    before, body = kept(cluster.azure), cluster.body
    body["properties"]["masterProfile"]["vmSize"] = "Standard_E104is_v5"
    body["properties"]["masterProfile"]["subnetId"] += "-2"
    rows = tried(cluster, body)
    assert rows["validate_network"]["error"]["code"] == "InvalidLinkedVNet"
    assert {name for name, row in rows.items() if row["verdict"] == "refused"} >= {
        "validate_network",
        "validate_vm_sizes",
    }
    assert rows["ensure_resource_group"]["verdict"] == "skipped"
    assert kept(cluster.azure) == before
    assert writes(cluster.azure, cluster.correlation_id) == []


def test_what_a_create_has_made_would_not_be_made_again(own_cluster: Cluster) -> None:
    """An update finds everything as it should be, with the secrets that the cluster has."""
    cluster = own_cluster
    answer = Provider(cluster.azure).send(
        "POST",
        f"/sre{cluster.customer.cluster_id}/plans/update/dryRun",
        certificate="admin_client",
        version=API_VERSION,
        json=cluster.body,
    )
    assert answer.status_code == 200, answer.text
    verdicts = {row["row"]: row["verdict"] for row in answer.json()["rows"]}
    assert verdicts["validate_service_principal"] == "checked"
    assert "refused" not in verdicts.values()


def test_the_command_tells_an_operator_what_a_create_would_do(cluster: Cluster, tmp_path: Path) -> None:
    """With the operator's certificate and the body in a file; a row that is refused makes it exit with 4."""
    own, body = cluster.azure.endpoints, cluster.body
    pem = tmp_path / "operator.pem"
    pem.write_text(Path(own["admin_client_cert"]).read_text() + Path(own["admin_client_key"]).read_text())
    file = tmp_path / "cluster.json"
    options = ["--file", str(file), "--service", own["rp"], "--certificate", str(pem), "-o", "json"]

    def command(*words: str) -> tuple[int, Any]:
        file.write_text(json.dumps(body), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "aroctl", *words, cluster.customer.cluster_id, *options],
            env={**os.environ, "REQUESTS_CA_BUNDLE": own["rp_ca_bundle"], "PYTHONPATH": str(CLIENT)},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)

    tried(cluster, body)
    code, told = command("try", "create")
    assert (code, {row["row"]: row["verdict"] for row in told["rows"]}["validate_network"]) == (0, "checked")
    code, (deployment,) = command("render", "create/deploy_network_template")
    assert (code, deployment["properties"]["mode"]) == (0, "Incremental")
    body["properties"]["masterProfile"]["subnetId"] += "-2"
    code, told = command("try", "create")
    assert (code, {row["row"]: row["verdict"] for row in told["rows"]}["validate_network"]) == (4, "refused")


def _preflight(cluster: Cluster, body: Json) -> Json:
    """Ask for a preflight of a template with the cluster alone, as Azure Resource Manager."""
    customer = cluster.customer
    resource = {
        "type": "Microsoft.RedHatOpenShift/openShiftClusters",
        "apiVersion": API_VERSION,
        "name": customer.cluster,
        **body,
    }
    path = f"{customer.cluster_id.partition('/providers/')[0]}{PROVIDER}/deployments/d1/preflight"
    answer = Provider(cluster.azure).send("POST", path, json={"resources": [resource]})
    assert answer.status_code == 200, answer.text
    told: Json = answer.json()
    return told


def test_a_preflight_asks_azure_for_what_a_template_cannot_make(azure: LocalAzure, rng: random.Random) -> None:
    """A size that the subscription may not use is refused; a network that does not exist yet may come."""
    (cluster,) = prepare(azure, unique(rng))
    assert _preflight(cluster, cluster.body) == {"status": "Succeeded"}
    later = copy.deepcopy(cluster.body)
    later["properties"]["masterProfile"]["subnetId"] += "-later"
    assert _preflight(cluster, later) == {"status": "Succeeded"}
    wrong = copy.deepcopy(cluster.body)
    wrong["properties"]["masterProfile"]["vmSize"] = RESTRICTED_SIZE

    def refused() -> Json | None:
        # Where Azure, or a busy machine, takes longer than a preflight waits, the template passes.
        told = _preflight(cluster, wrong)
        return told if told["status"] == "Failed" else None

    told = wait_for(refused, "a preflight in time")
    assert told["error"]["code"] == "InvalidParameter", told
    assert RESTRICTED_SIZE in told["error"]["message"]
