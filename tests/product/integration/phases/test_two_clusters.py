"""A site of two clusters that the service has made, one managing the other: tried, run, killed, resumed, looked at."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from demo.customer import admin_kubeconfig
from emulator.run.exports import network_environment
from phases.local.operations import Operations
from shared.json_object import Json
from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.service.kubernetes_api import KubernetesApi
from tests.product.integration.service.stage import Cluster, prepare
from tests.product.unit.phases.bundles import need_kustomize

SITE = Path(__file__).parent / "two_clusters"
PLAN = ["clusters", "agent", "registry", "policies"]
SECRET = "/api/v1/namespaces/clusters/secrets/edge-kubeconfig"  # noqa: S105 - a path
CONFIG_MAPS = "/api/v1/namespaces/agent/configmaps"
DEPLOYMENT = "/apis/apps/v1/namespaces/agent/deployments/agent"
DAEMON_SET = "/apis/apps/v1/namespaces/agent/daemonsets/collector"
MEMBER = "/apis/sites.example.com/v1/namespaces/clusters/members/edge"
# What the first two phases apply, by cluster.
APPLIED = {
    "hub": ["/api/v1/namespaces/clusters", SECRET],
    "edge": ["/api/v1/namespaces/agent", f"{CONFIG_MAPS}/settings", DEPLOYMENT, DAEMON_SET],
}
WRITES = {"POST", "PUT", "PATCH", "DELETE"}
# What the site writes to; other tests have other clusters on the same local Azure.
OWN = re.compile(r"/namespaces/(clusters|agent|airshipit-(clusters|agent|registry|policies))(/|$)|sites\.example\.com")


@dataclass
class Terminal:
    """The terminal of somebody who is signed in to Azure, in a folder with the site.

    Args:
        azure: the local Azure.
        folder: the folder.
        clusters: the API of each cluster, by its name in the site.
    """

    azure: LocalAzure
    folder: Path
    clusters: dict[str, KubernetesApi]

    def begin(self, *words: str) -> "subprocess.Popen[str]":
        """Begin a command."""
        endpoints = self.azure.endpoints
        variables = network_environment(endpoints["proxy"], endpoints["ca_bundle"]) | {
            "AZURE_TENANT_ID": endpoints["tenant_id"],
            "AZURE_CLIENT_ID": endpoints["client_id"],
            "AZURE_CLIENT_SECRET": endpoints["client_secret"],
            "COLUMNS": "250",
        }
        return subprocess.Popen(
            [sys.executable, "-m", "phases", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | variables,
        )

    def run(self, *words: str, code: int = 0) -> str:
        """Run a command on the site to its end; return what it prints."""
        with self.begin(*words, *self.site) as running:
            printed, _ = running.communicate(timeout=600)
        assert running.returncode == code, printed
        return printed

    @property
    def site(self) -> tuple[str, str]:
        """The option with the site."""
        return "--bundle", str(self.folder / "site")

    @property
    def state(self) -> tuple[str, str]:
        """The option with the folder that keeps what was run."""
        return "--state", str(self.folder / "state")

    def rows(self) -> dict[str, str]:
        """Return the status of each phase of the last run of the plan, as `plan status` shows it."""
        with self.begin("plan", "status", "site", *self.state, "-o", "json") as running:
            printed, _ = running.communicate(timeout=600)
        return {row["phase"]: row["status"] for row in json.loads(printed)["phases"]}

    def waits(self, phase: str) -> bool:
        """Tell whether the last run of the plan is waiting in a phase."""
        operation = Operations(self.folder / "state").last("site")
        items = operation.items() if operation else []
        return any((one["step"], one["status"]) == (phase, "Running") and one["message"] for one in items)

    def statuses(self, *phases: str) -> dict[str, bool]:
        """Return which phases are done, as `phase status` says."""
        found = {}
        for phase in phases:
            with self.begin("phase", "status", phase, *self.site) as running:
                printed, _ = running.communicate(timeout=600)
            found[phase] = running.returncode == 0
            assert ("is done" if found[phase] else "is not done") in printed, printed
        return found

    def exists(self, cluster: str, path: str) -> bool:
        """Tell whether a cluster has an object."""
        collection, _, name = path.rpartition("/")
        return name in {one["metadata"]["name"] for one in self.clusters[cluster].list(collection)}

    def versions(self) -> dict[str, str]:
        """Return the version of each object of the first two phases."""
        return {
            f"{cluster} {path}": self.clusters[cluster].get(path)["metadata"]["resourceVersion"]
            for cluster, paths in APPLIED.items()
            for path in paths
        }

    def writes(self) -> list[str]:
        """Return the paths of what the command has written to the clusters, in order; not what it only tried."""
        calls = self.azure.journal(service="kubernetes")
        sent = [call["path"].partition("?") for call in calls if call["method"] in WRITES]
        return [path for path, _, query in sent if OWN.search(path) and "dryRun=All" not in query]

    def approve(self) -> None:
        """Do the work of whoever approves agents, once the Deployment is rolled out and its version stays."""
        edge = self.clusters["edge"]
        wait_for(lambda: edge.get(DEPLOYMENT).get("status", {}).get("availableReplicas") == 2, "both replicas")
        edge.patch(DEPLOYMENT, {"metadata": {"annotations": {"approved": "yes"}}})

    def let_join(self) -> None:
        """Do the work of whoever lets clusters join."""
        self.clusters["hub"].patch(f"{MEMBER}/status", {"status": {"phase": "Joined"}})


@pytest.fixture
def terminal(azure: LocalAzure, rng: random.Random, tmp_path: Path) -> Terminal:
    """Give a terminal in front of two new clusters."""
    need_kustomize()
    hub, edge = prepare(azure, unique(rng, "h"), unique(rng, "e"))
    for cluster, operation_id in [(one, one.create()) for one in (hub, edge)]:
        cluster.succeed(operation_id)
    write_site(tmp_path / "site", hub, edge)
    clusters = {name: KubernetesApi(one.customer, tmp_path) for name, one in (("hub", hub), ("edge", edge))}
    return Terminal(azure, tmp_path, clusters)


def write_site(folder: Path, hub: Cluster, edge: Cluster, of_hub: Json | None = None) -> None:
    """Write the site into a folder: what is next to this module, and what depends on the clusters.

    Args:
        folder: the folder.
        hub: the cluster that manages the other one.
        edge: the other one.
        of_hub: the source of the hub's kubeconfig; by default the service that has made it.
    """
    shutil.copytree(SITE, folder)
    (folder / "site/clusters/edge.kubeconfig").write_bytes(admin_kubeconfig(edge.customer))
    of_hub = of_hub or {"type": "openShiftCluster", "openShiftCluster": {"resourceId": hub.customer.cluster_id}}
    named = {"name": "edge", "namespace": "clusters"}
    of_edge = {"type": "clusterAPI", "clusterAPI": {"clusterNamespacedName": named}}
    clusters = {
        "apiVersion": "airshipit.org/v1alpha1",
        "kind": "ClusterMap",
        "metadata": {"name": "clusters"},
        "map": {
            "hub": {"kubeconfigSources": [of_hub]},
            "edge": {"parent": "hub", "kubeconfigSources": [of_edge]},
        },
    }
    (folder / "site/phases/clusters.yaml").write_text(yaml.safe_dump(clusters), encoding="utf-8")


@pytest.mark.slow(120)
def test_a_site_of_two_clusters_is_tried_run_killed_resumed_and_changed(terminal: Terminal) -> None:
    """What was done before the kill is not done again."""
    _look(terminal)
    _try(terminal)
    _run_and_kill(terminal)
    _resume(terminal)
    _see_clusters(terminal)
    _change(terminal)


def _look(terminal: Terminal) -> None:
    """Look at the site; no cluster is needed for that."""
    listed = json.loads(terminal.run("phase", "list", "--plan", "site", "-o", "json"))
    assert [(one["name"], one["clusterName"]) for one in listed] == list(
        zip(PLAN, ["hub", "edge", "hub", "edge"], strict=True)
    )
    assert "site/registry/definition.yaml" in terminal.run("phase", "tree", "registry")
    _, secret = yaml.safe_load_all(terminal.run("phase", "render", "clusters"))
    assert (secret["metadata"]["name"], secret["data"]) == ("edge-kubeconfig", {"value": "***"})
    assert terminal.run("phase", "validate", "agent") == "The phase 'agent' is right.\n"
    assert terminal.run("plan", "validate", "site") == "The plan 'site' is right: 4 phases.\n"
    clusters = json.loads(terminal.run("cluster", "list", "-o", "json"))
    assert {one["name"]: one["parentCluster"] for one in clusters} == {"hub": "", "edge": "hub"}


def _try(terminal: Terminal) -> None:
    """Try the plan before the hub has the kubeconfig of the edge cluster."""
    [edge, hub] = json.loads(terminal.run("cluster", "status", "-o", "json", code=1))
    assert (edge["status"], hub["status"]) == ("NotReady", "Ready")
    assert "the cluster 'hub' has no Secret clusters/edge-kubeconfig" in edge["message"]
    printed = terminal.run("plan", "run", "site", "--dry-run", *terminal.state)
    assert "once its definition is established" in printed
    assert [line.split()[:2] for line in printed.splitlines() if " later " in line] == [
        ["agent", "later"],
        ["policies", "later"],
    ]
    assert terminal.writes() == []
    assert terminal.statuses("clusters", "agent") == {"clusters": False, "agent": False}


def _run_and_kill(terminal: Terminal) -> None:
    """Run the plan, and kill it while the second phase waits for somebody to approve its Deployment."""
    with terminal.begin("plan", "run", "site", *terminal.state, *terminal.site) as running:
        wait_for(lambda: terminal.exists("edge", DAEMON_SET), "the DaemonSet")
        wait_for(lambda: terminal.waits("agent"), "the phase to wait")
        assert terminal.rows()["agent"] == "Running"
        assert "Another process runs the plan 'site'." in terminal.run("plan", "run", "site", *terminal.state, code=2)
        running.kill()
        printed, _ = running.communicate(timeout=60)
    assert "clusters: Succeeded" in printed
    assert terminal.rows() == {
        "clusters": "Succeeded",
        "agent": "Interrupted",
        "registry": "Waiting",
        "policies": "Waiting",
    }
    assert terminal.statuses(*PLAN) == {"clusters": True, "agent": False, "registry": False, "policies": False}
    waiting = terminal.run("phase", "status", "agent", code=1)
    assert "{.metadata.annotations.approved} has to be yes; it is nothing." in waiting


def _resume(terminal: Terminal) -> None:
    """Go on: the first phase is not touched, the second not changed, and the third waits for its condition."""
    terminal.approve()
    before, written = terminal.versions(), len(terminal.writes())
    with terminal.begin("plan", "run", "site", "--resume", *terminal.state, *terminal.site) as running:
        wait_for(lambda: terminal.waits("registry"), "the third phase to wait")
        assert not terminal.exists("edge", f"{CONFIG_MAPS}/strict")
        terminal.let_join()
        printed, _ = running.communicate(timeout=600)
    assert running.returncode == 0, printed
    assert "clusters:" not in printed
    assert "{.status.phase} has to be Joined; it is nothing." in printed
    assert printed.splitlines()[-1] == "Succeeded: site"
    assert terminal.versions() == before
    again = terminal.writes()[written:]
    assert not {SECRET, "/api/v1/namespaces/clusters", "/api/v1/namespaces/airshipit-clusters"} & set(again)
    assert {path: again.count(path) for path in (DEPLOYMENT, DAEMON_SET, MEMBER)} == {
        DEPLOYMENT: 1,
        DAEMON_SET: 1,
        MEMBER: 1,
    }
    assert set(terminal.rows().values()) == {"Succeeded"}
    assert terminal.statuses(*PLAN) == dict.fromkeys(PLAN, True)


def _see_clusters(terminal: Terminal) -> None:
    """Both clusters answer, and one kubeconfig is for both."""
    found = json.loads(terminal.run("cluster", "status", "-o", "json"))
    assert {one["name"]: one["status"] for one in found} == {"hub": "Ready", "edge": "Ready"}
    written = terminal.folder / "kubeconfig"
    terminal.run("cluster", "get-kubeconfig", "--file", str(written))
    kubeconfig = yaml.safe_load(written.read_text(encoding="utf-8"))
    assert [one["name"] for one in kubeconfig["contexts"]] == ["edge", "hub"]
    assert "current-context" not in kubeconfig
    alone = yaml.safe_load(terminal.run("cluster", "get-kubeconfig", "edge"))
    assert alone["current-context"] == "edge"


def _change(terminal: Terminal) -> None:
    """Drop an object from the last phase: it is pruned, and everything else stays as it is."""
    policies = terminal.folder / "site/site/policies/kustomization.yaml"
    text = policies.read_text(encoding="utf-8")
    policies.write_text(text.replace("- name: former\n  literals: [mode=lax]\n", ""), encoding="utf-8")
    before = terminal.versions()
    refused = terminal.run("plan", "run", "site", "--resume", *terminal.state, code=2)
    assert "The bundle has changed since that run" in refused
    tried = terminal.run("plan", "run", "site", "--dry-run", *terminal.state)
    assert [line.split()[:4] for line in tried.splitlines() if " pruned " in line] == [
        ["policies", "ConfigMap", "agent/former", "pruned"]
    ]
    assert terminal.exists("edge", f"{CONFIG_MAPS}/former")
    assert "policies: ConfigMap agent/former: pruned" in terminal.run("plan", "run", "site", *terminal.state)
    assert not terminal.exists("edge", f"{CONFIG_MAPS}/former")
    assert terminal.exists("edge", f"{CONFIG_MAPS}/strict")
    assert terminal.versions() == before
    assert terminal.statuses("policies") == {"policies": True}
