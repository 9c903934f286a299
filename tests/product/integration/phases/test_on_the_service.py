"""The site of two clusters on the service: run by operators' requests, killed, cancelled, resumed, looked at."""

import base64
import random
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from demo.customer import admin_kubeconfig
from shared.bundles import archive
from shared.json_object import Json
from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.contract.provider import PROVIDER, Provider
from tests.product.integration.phases.test_two_clusters import DAEMON_SET, PLAN, SECRET, write_site
from tests.product.integration.phases.test_two_clusters import Terminal as Hands
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.kubernetes_api import KubernetesApi
from tests.product.integration.service.stage import Cluster, prepare
from tests.product.unit.phases.bundles import need_kustomize

pytestmark = pytest.mark.slow(120)


@dataclass
class Operator:
    """Somebody with an operator's certificate, and a site of two clusters.

    Args:
        azure: the local Azure.
        name: name of the site on the service.
        folder: the folder with the site.
        hands: what does the work of controllers in the clusters.
    """

    azure: LocalAzure
    name: str
    folder: Path
    hands: Hands
    provider: Provider = field(init=False)

    def __post_init__(self) -> None:
        """Make the one who sends the requests."""
        self.provider = Provider(self.azure)

    def send(self, method: str, path: str = "", want: int = 200, **options: Any) -> Json:
        """Send a request about the site; return the answer's body."""
        address = f"/sre{PROVIDER}/sites/{self.name}{path}"
        answer = self.provider.send(method, address, certificate="admin_client", **options)
        assert answer.status_code == want, answer.text
        found: Json = answer.json() if answer.content else {}
        return found

    def upload(self) -> str:
        """Store the folder as a bundle, and give it to the site; return its digest."""
        packed = archive.pack(self.folder)
        digest = archive.digest(packed)
        answer = self.provider.send(
            "PUT",
            f"/sre{PROVIDER}/bundles/{digest}",
            certificate="admin_client",
            data=packed,
            headers={"Content-Type": "application/gzip"},
        )
        assert answer.status_code in (200, 201), answer.text
        answer = self.provider.send(
            "PUT", f"/sre{PROVIDER}/sites/{self.name}", certificate="admin_client", json={"bundle": digest}
        )
        assert answer.status_code in (200, 201), answer.text
        return digest

    def begin(self, path: str, **options: Any) -> str:
        """Begin an operation; return its id."""
        return str(self.send("POST", path, 202, json=options)["name"])

    def report(self, operation_id: str) -> Json:
        """Return an operation."""
        return self.send("GET", f"/operations/{operation_id}")

    def rows(self, operation_id: str) -> dict[str, str]:
        """Return the status of each phase."""
        return {step["name"]: step["status"] for step in self.report(operation_id)["steps"] if step["name"] in PLAN}

    def waits(self, operation_id: str, phase: str) -> bool:
        """Tell whether an operation waits in a phase."""
        steps = {step["name"]: step for step in self.report(operation_id)["steps"]}
        return steps[phase]["status"] == "Running" and bool(steps[phase].get("message"))

    def ended(self, operation_id: str) -> Json:
        """Wait for the end of an operation; return it."""

        def found() -> Json | None:
            told = self.report(operation_id)
            return told if told["status"] != "Running" else None

        return wait_for(found, f"the end of {operation_id}", 600)


@pytest.fixture
def operator(own_azure: LocalAzure, rng: random.Random, tmp_path: Path) -> Operator:
    """Give an operator with a site of two new clusters."""
    need_kustomize()
    hub, edge = prepare(own_azure, unique(rng, "h"), unique(rng, "e"))
    for cluster, operation_id in [(one, one.create()) for one in (hub, edge)]:
        cluster.succeed(operation_id)
    folder = tmp_path / "bundle"
    write_site(folder, hub, edge, {"type": "bundle"})
    _add_kubeconfig(folder, hub)
    clusters = {name: KubernetesApi(one.customer, tmp_path) for name, one in (("hub", hub), ("edge", edge))}
    made = Operator(own_azure, unique(rng, "site"), folder, Hands(own_azure, tmp_path, clusters))
    made.upload()
    return made


def _add_kubeconfig(folder: Path, hub: Cluster) -> None:
    document = {
        "apiVersion": "airshipit.org/v1alpha1",
        "kind": "KubeConfig",
        "metadata": {"name": "hub"},
        "config": yaml.safe_load(admin_kubeconfig(hub.customer)),
    }
    (folder / "site/phases/kubeconfig.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    root = folder / "site/phases/kustomization.yaml"
    found = yaml.safe_load(root.read_text(encoding="utf-8"))
    found["resources"].append("kubeconfig.yaml")
    root.write_text(yaml.safe_dump(found), encoding="utf-8")


def test_a_plan_survives_its_worker_and_its_task_hub_and_can_be_cancelled_and_resumed(operator: Operator) -> None:
    """What was done before is not done again, whatever happened between."""
    _look(operator)
    operation_id = _run_kill_and_cancel(operator)
    _resume_without_hub(operator, operation_id)
    _look_at_what_is_done(operator)


def _look(operator: Operator) -> None:
    """Look at the site, and try its plan; nothing is changed."""
    listed = operator.send("GET", "/phases")["value"]
    assert sorted((one["name"], one["clusterName"]) for one in listed) == sorted(
        zip(PLAN, ["hub", "edge", "hub", "edge"], strict=True)
    )
    assert [one["name"] for one in operator.send("GET", "/plans")["value"]] == ["site"]
    clusters = operator.send("GET", "/clusters")["value"]
    assert {one["name"]: one["parentCluster"] for one in clusters} == {"hub": "", "edge": "hub"}
    _, secret = operator.send("POST", "/phases/clusters/render")["value"]
    assert secret["data"] == {"value": "***"}
    assert operator.send("POST", "/plans/site/validate") == {"problems": [], "warnings": []}
    tried = operator.ended(operator.begin("/plans/site/run", dryRun=True))
    told = {step["name"]: step["message"] for step in tried["steps"] if step["name"] in PLAN}
    assert tried["status"] == "Succeeded", tried
    assert "Secret clusters/edge-kubeconfig: created" in told["clusters"]
    assert told["agent"].startswith("This can be told only later: no source has a kubeconfig for the cluster 'edge'")
    assert "once its definition is established" in told["registry"]
    asked = operator.ended(operator.begin("/clusters/edge/status"))
    assert asked["steps"][0]["message"].startswith("NotReady: no source has a kubeconfig for the cluster 'edge'")
    assert operator.hands.writes() == []


def _run_kill_and_cancel(operator: Operator) -> str:
    """Run the plan; kill the worker while the second phase waits; cancel it there. Return the operation."""
    operation_id = operator.begin("/plans/site/run")
    assert operator.send("POST", "/plans/site/run", 409, json={})["error"]["code"] == "Conflict"
    wait_for(lambda: operator.hands.exists("edge", DAEMON_SET), "the DaemonSet")
    wait_for(lambda: operator.waits(operation_id, "agent"), "the phase to wait")
    polls = _polls(operator, operation_id)
    operator.azure.kill("functions: worker")
    wait_for(operator.azure.serves, "the resource provider")
    wait_for(lambda: _polls(operator, operation_id) > polls, "the phase to go on")
    assert operator.rows(operation_id)["clusters"] == "Succeeded"
    operator.send("POST", f"/operations/{operation_id}/cancel", 202)
    told = operator.ended(operation_id)
    assert (told["status"], told["error"]["code"]) == ("Canceled", "OperationCanceled"), told
    assert operator.rows(operation_id) == {
        "clusters": "Succeeded",
        "agent": "Canceled",
        "registry": "NotStarted",
        "policies": "NotStarted",
    }
    assert operator.send("POST", f"/operations/{operation_id}/cancel", 409)["error"]["code"] == "Conflict"
    return operation_id


def _polls(operator: Operator, operation_id: str) -> int:
    [step] = [step for step in operator.report(operation_id)["steps"] if step["name"] == "agent"]
    return int(step["polls"])


def _resume_without_hub(operator: Operator, operation_id: str) -> None:
    """Go on; delete the task hub while the third phase waits. The next attempt does nothing twice."""
    assert operator.send("GET", "/plans/site/status")["name"] == operation_id
    operator.hands.approve()
    before, written = operator.hands.versions(), len(operator.hands.writes())
    resumed = operator.begin("/plans/site/run", resume=True)
    wait_for(lambda: operator.waits(resumed, "registry"), "the third phase to wait")
    _delete_hub(operator.azure)
    wait_for(lambda: operator.report(resumed)["attempt"] > 1, "the next attempt")
    operator.hands.let_join()
    told = operator.ended(resumed)
    assert told["status"] == "Succeeded", told
    assert operator.hands.versions() == before
    assert SECRET not in operator.hands.writes()[written:]
    refused = operator.send("POST", "/plans/site/run", 409, json={"resume": True})
    assert "has succeeded" in refused["error"]["message"]


def _delete_hub(azure: LocalAzure) -> None:
    with taken(azure.state) as inventory:
        hub = inventory.service.settings["TASK_HUB"]
    arguments = ("--state", str(azure.state / "functions"), "--hub", hub, "--delete")
    subprocess.run([sys.executable, "-m", "emulator.host.task_hub", *arguments], check=True, timeout=120)


def _look_at_what_is_done(operator: Operator) -> None:
    """Ask one phase, and run another from the middle."""
    told = operator.ended(operator.begin("/phases/policies/status"))
    assert [step["message"] for step in told["steps"] if step["name"] == "policies"] == [
        "Everything is as it should be."
    ]
    refused = operator.send("POST", "/plans/site/run", 400, json={"resumeFrom": "nowhere"})
    assert "It has: clusters, agent, registry, policies" in refused["error"]["message"]
    asked = operator.ended(operator.begin("/clusters/edge/status"))
    assert asked["steps"][0]["message"].startswith("Ready: v1.")
    for name in ("hub", "edge"):
        encoded = operator.send("POST", f"/clusters/{name}/getKubeconfig")["kubeconfig"]
        kubeconfig = yaml.safe_load(base64.b64decode(encoded))
        assert kubeconfig["current-context"] == name
        assert kubeconfig["clusters"][0]["cluster"]["server"].startswith("https://api.")
    last = operator.ended(operator.begin("/plans/site/run", resumeFrom="policies"))
    assert last["status"] == "Succeeded", last
    operator.send("DELETE", want=204)
    operator.send("GET", want=404)
