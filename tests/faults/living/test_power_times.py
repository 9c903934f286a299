"""How long a stop and a start take in the model, which knows how long Azure and OpenShift need for their parts.

Deallocations and starts of machines take two minutes each, kubelets whose certificates have ended ask for others after
five, and operators are settled eight minutes after the last node is ready.
"""

import base64
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID

from shared.json_object import Json
from tests import local_azure
from tests.faults.living import operations
from tests.faults.scenarios import Operation
from tests.local_azure import LocalAzure
from tests.product.integration.service.copies import copied
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.kubernetes_api import KubernetesApi
from tests.product.integration.service.stage import PATIENCE_SECONDS, Cluster, fault

pytestmark = [pytest.mark.slow(800), pytest.mark.thorough]

# What this machine does itself counts this many times as long, so the scale is far lower than in other tests: a stop
# has a minute for it, and a start two.
SCALE = 2
LONGEST: dict[Operation, timedelta] = {"stop": timedelta(minutes=5), "start": timedelta(minutes=20)}
REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
NO_ROOM = "The zone has no room for this machine at the moment."


def test_a_stop_takes_five_minutes_and_a_start_after_a_long_one_twenty(finished: Path, tmp_path: Path) -> None:
    """The kubelets' certificates have ended, so others are approved; a zone has no room for a worker at first."""
    with copied(finished, tmp_path / "local-azure", SCALE) as found:
        cluster = replace(found, correlation_id=str(uuid4()))
        operations.prepare("stop", cluster)
        _expect_in_time("stop", cluster)
        cluster.azure.command("down")
        nodes = _outlive_certificates(cluster.azure)
        local_azure.start(cluster.azure, SCALE)

        worker = next(each for each in sorted(nodes) if "-worker-" in each)
        with fault(cluster.azure, service="machines", operation=f"start {worker}", message=NO_ROOM) as no_room:
            _expect_in_time("start", cluster)
            assert no_room not in {each["id"] for each in cluster.azure.control("GET", "/faults")["value"]}

        assert operations.running(cluster) == []
        approved = {_node(each) for each in KubernetesApi(cluster.customer, tmp_path).list(REQUESTS) if _by_start(each)}
        assert approved == nodes


def _expect_in_time(operation: Operation, cluster: Cluster) -> None:
    """Do an operation, and expect that it takes as long as people are told at most."""
    operation_id = operations.act(operation, cluster)
    cluster.succeed(operation_id, PATIENCE_SECONDS)
    with taken(cluster.azure.state) as inventory:
        ended: Json = inventory.operation(operation_id)["asyncOperation"]
        steps = inventory.steps(operation_id).values()
    took = SCALE * (datetime.fromisoformat(ended["endTime"]) - datetime.fromisoformat(ended["startTime"]))
    sys.stdout.write(f"{operation}: {took.total_seconds():.0f} s of Azure's time, at scale {SCALE}\n")
    for each in sorted(steps, key=lambda each: str(each["startTime"])):
        sys.stdout.write(f"  {each['startTime']} {each.get('endTime')} {each['step']}: {each.get('message')}\n")
    assert took <= LONGEST[operation]


def _outlive_certificates(azure: LocalAzure) -> set[str]:
    """Let the certificates of all kubelets end, as after a stop of months; return the names of their nodes."""
    now, nodes = datetime.now(UTC), set()
    life = {"since": (now - timedelta(days=31)).isoformat(), "until": (now - timedelta(days=1)).isoformat()}
    with taken(azure.state) as inventory:
        for key, machine in inventory.rows("openshift_machines"):
            if machine["joined"]:
                ended = dict.fromkeys(machine["certificates"], life)
                inventory.write("openshift_machines", key, {**machine, "certificates": ended})
                nodes.add(machine["host_name"])
    return nodes


def _by_start(request: Json) -> bool:
    return any(each.get("reason") == "ClusterStart" for each in request["status"].get("conditions", []))


def _node(request: Json) -> str:
    """Return the node for which the service has approved a kubelet's request."""
    subject = x509.load_pem_x509_csr(base64.b64decode(request["spec"]["request"])).subject
    (name,) = subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(name.value).removeprefix("system:node:")
