"""`python -m phases` runs plans on clusters: to the end, until something refuses, until Ctrl-C, and on after a kill."""

import base64
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
import yaml

from shared.json_object import Json
from tests.emulator.integration.kubernetes.servers import Api
from tests.local_azure import wait_for
from tests.product.unit.phases.bundles import METADATA, write
from tests.signals import listens

EXECUTOR = """
apiVersion: airshipit.org/v1alpha1
kind: KubernetesApply
metadata: {name: apply}
config: {waitOptions: {timeout: 300, pollInterval: 1}, pruneOptions: {prune: true}}
"""
WAITING = """
apiVersion: airshipit.org/v1alpha1
kind: KubernetesApply
metadata: {name: waiting}
config:
  waitOptions:
    timeout: 300
    pollInterval: 1
    conditions: [{apiVersion: v1, kind: ConfigMap, jsonPath: "{.data.approved}", value: "yes"}]
"""


def phase(name: str, executor: str = "apply") -> str:
    """Return a phase."""
    return f"""
apiVersion: airshipit.org/v1alpha1
kind: Phase
metadata: {{name: {name}, clusterName: target}}
config:
  executorRef: {{apiVersion: airshipit.org/v1alpha1, kind: KubernetesApply, name: {executor}}}
  documentEntryPoint: {name}
"""


def config_map(namespace: str, name: str, **data: str) -> str:
    """Return a ConfigMap."""
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": data}
    return yaml.safe_dump(made)


class Terminal:
    """A terminal in which somebody runs plans on one cluster.

    Args:
        api: the cluster.
        folder: where the bundle and what was run are.
        name: a namespace for the objects; part of the names of phases, because inventories are named after these.
    """

    def __init__(self, api: Api, folder: Path, name: str) -> None:
        self.api, self.folder, self.name = api, folder, name
        self.client: httpx.Client = api.client()
        self.first, self.gate, self.last = (f"{name}-{part}" for part in ("first", "gate", "last"))
        namespace = yaml.safe_dump({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        plan = {
            "apiVersion": "airshipit.org/v1alpha1",
            "kind": "PhasePlan",
            "metadata": {"name": "site"},
            "phases": [{"name": one} for one in (self.first, self.gate, self.last)],
        }
        sources = [{"type": "bundle", "bundle": {"contextName": "target"}}]
        clusters = {
            "apiVersion": "airshipit.org/v1alpha1",
            "kind": "ClusterMap",
            "metadata": {"name": "clusters"},
            "map": {"target": {"kubeconfigSources": sources}},
        }
        declared = [phase(self.first), phase(self.gate, "waiting"), phase(self.last), EXECUTOR, WAITING]
        declared += [yaml.safe_dump(one) for one in (plan, clusters, self._kubeconfig())]
        self.files: dict[str, str | None] = {
            "metadata.yaml": METADATA,
            "site/phases/phases.yaml": "\n---\n".join(declared),
            f"site/{self.first}/kustomization.yaml": "resources: [all.yaml]\n",
            f"site/{self.first}/all.yaml": f"{config_map(name, 'one', mode='strict')}\n---\n{namespace}",
            f"site/{self.gate}/kustomization.yaml": "resources: [all.yaml]\n",
            f"site/{self.gate}/all.yaml": config_map(name, "gate"),
            f"site/{self.last}/kustomization.yaml": "resources: [all.yaml]\n",
            f"site/{self.last}/all.yaml": config_map(name, "last"),
        }
        write(folder / "bundle", self.files)

    def _kubeconfig(self) -> Json:
        pair = self.api.client_certificate("admin", "system:masters").read_bytes()
        ca = self.api.authority.certificate_path.read_bytes()
        config = {
            "clusters": [
                {
                    "name": "target",
                    "cluster": {
                        "server": self.api.url,
                        "certificate-authority-data": base64.b64encode(ca).decode(),
                    },
                }
            ],
            "contexts": [{"name": "target", "context": {"cluster": "target", "user": "admin"}}],
            "users": [
                {
                    "name": "admin",
                    "user": {
                        "client-certificate-data": base64.b64encode(pair).decode(),
                        "client-key-data": base64.b64encode(pair).decode(),
                    },
                }
            ],
        }
        return {
            "apiVersion": "airshipit.org/v1alpha1",
            "kind": "KubeConfig",
            "metadata": {"name": "target"},
            "config": config,
        }

    def approve(self) -> None:
        """Let the gate's condition hold."""
        path = f"/api/v1/namespaces/{self.name}/configmaps/gate"
        self.client.patch(
            path, json={"data": {"approved": "yes"}}, headers={"Content-Type": "application/merge-patch+json"}
        ).raise_for_status()

    def exists(self, name: str) -> bool:
        """Tell whether a ConfigMap exists."""
        return self.client.get(f"/api/v1/namespaces/{self.name}/configmaps/{name}").status_code == httpx.codes.OK

    def begin(self, *words: str) -> "subprocess.Popen[str]":
        """Begin a command."""
        return subprocess.Popen(
            [sys.executable, "-m", "phases", *words, "--bundle", str(self.folder / "bundle")],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"NO_PROXY": "localhost,127.0.0.1", "COLUMNS": "250"},
            preexec_fn=listens,  # noqa: PLW1509 - sets a signal and touches no lock
        )

    def run(self, *words: str, code: int = 0) -> str:
        """Run a command to its end; return what it prints."""
        with self.begin(*words) as running:
            printed, _ = running.communicate(timeout=600)
        assert running.returncode == code, printed
        return printed

    @property
    def state(self) -> tuple[str, str]:
        """The option that keeps what was run in this test's folder."""
        return "--state", str(self.folder / "state")

    def rows(self) -> dict[str, str]:
        """Return the status of each phase of the last run of the plan."""
        printed = subprocess.run(
            [sys.executable, "-m", "phases", "plan", "status", "site", *self.state, "-o", "json"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        return {row["phase"]: row["status"] for row in json.loads(printed)["phases"]}


@pytest.fixture
def terminal(api: Api, tmp_path: Path, name: str) -> Terminal:
    """Give a terminal with a site of three phases, the second of which waits for an approval."""
    return Terminal(api, tmp_path, name)


@pytest.mark.slow(20)
def test_a_plan_runs_to_its_end_and_says_how_far_it_is(terminal: Terminal) -> None:
    """The gate holds the last phase until somebody approves."""
    with terminal.begin("plan", "run", "site", *terminal.state) as running:
        wait_for(lambda: terminal.exists("gate"), "the gate")
        assert not terminal.exists("last")
        terminal.approve()
        printed, _ = running.communicate(timeout=600)
    assert running.returncode == 0, printed
    assert f"{terminal.gate}: Running: ConfigMap {terminal.name}/gate is InProgress" in printed
    assert printed.splitlines()[-1] == "Succeeded: site"
    assert set(terminal.rows().values()) == {"Succeeded"}
    assert "its objects are current" in terminal.run("phase", "status", terminal.first)


@pytest.mark.slow(30)
def test_a_run_that_is_killed_goes_on_where_it_was(terminal: Terminal) -> None:
    """What is done stays done; with a changed bundle it has to start over."""
    with terminal.begin("plan", "run", "site", *terminal.state) as running:
        wait_for(lambda: terminal.exists("gate"), "the gate")
        running.kill()
        running.communicate(timeout=60)
    assert terminal.rows()[terminal.first] == "Succeeded"
    terminal.approve()
    printed = terminal.run("plan", "run", "site", "--resume", *terminal.state)
    assert f"{terminal.first}:" not in printed
    assert f"{terminal.last}: Succeeded" in printed
    assert set(terminal.rows().values()) == {"Succeeded"}
    write(terminal.folder / "bundle", terminal.files | {"site/README.md": "changed"})
    assert "The bundle has changed since that run" in terminal.run(
        "plan", "run", "site", "--resume", *terminal.state, code=2
    )


@pytest.mark.slow(20)
def test_ctrl_c_changes_nothing_more_and_says_how_to_go_on(terminal: Terminal) -> None:
    """The exit code tells that the plan is not done."""
    with terminal.begin("plan", "run", "site", *terminal.state) as running:
        wait_for(lambda: terminal.exists("gate"), "the gate")
        running.send_signal(signal.SIGINT)
        printed, _ = running.communicate(timeout=120)
    assert running.returncode == 1, printed
    assert "Cancelling: nothing more is changed." in printed
    assert printed.splitlines()[-1] == "Canceled: site. To go on: plan run site --resume"
    assert not terminal.exists("last")
    assert terminal.rows()[terminal.gate] == "Canceled"


@pytest.mark.slow(30)
def test_the_time_to_wait_may_be_given_with_the_command(terminal: Terminal) -> None:
    """Instead of the executor's five minutes: none at all, or the least that a deadline may be."""
    terminal.run("phase", "run", terminal.first, *terminal.state)
    at_once = terminal.run("phase", "run", terminal.gate, "--wait-timeout", "0", *terminal.state)
    assert at_once.splitlines()[-1] == f"Succeeded: phase-{terminal.gate}"
    assert "InProgress" in terminal.run("phase", "status", terminal.gate, code=1)
    printed = terminal.run("phase", "run", terminal.gate, "--wait-timeout", "1", *terminal.state, code=1)
    assert f"error: Step '{terminal.gate}' did not end within 15 seconds" in printed
    assert "{.data.approved} has to be yes; it is nothing." in printed
    assert printed.splitlines()[-1].startswith(f"Failed: phase-{terminal.gate}.")


@pytest.mark.slow(20)
def test_a_plan_may_begin_with_a_later_phase(terminal: Terminal) -> None:
    """An unknown one is refused."""
    terminal.run("phase", "run", terminal.first, *terminal.state)
    printed = terminal.run("plan", "run", "site", "--resume-from", terminal.last, *terminal.state)
    assert f"{terminal.gate}:" not in printed
    assert terminal.exists("last")
    assert terminal.rows() == {terminal.first: "Skipped", terminal.gate: "Skipped", terminal.last: "Succeeded"}
    refused = terminal.run("plan", "run", "site", "--resume-from", "nowhere", *terminal.state, code=2)
    assert f"The plan 'site' has no phase 'nowhere'. It has: {terminal.first}, {terminal.gate}" in refused


@pytest.mark.slow(20)
def test_a_dry_run_tells_what_would_be_made_and_makes_nothing(terminal: Terminal) -> None:
    """Not even what was run is recorded."""
    printed = terminal.run("phase", "run", terminal.first, "--dry-run", *terminal.state)
    assert printed.count("created") == 2
    assert not terminal.exists("one")
    assert not (terminal.folder / "state").exists()


@pytest.mark.slow(20)
def test_a_dry_run_counts_on_what_earlier_phases_would_make(terminal: Terminal) -> None:
    """The namespace of the last phase comes with the first; without that one, nobody makes it."""
    printed = terminal.run("plan", "run", "site", "--dry-run", *terminal.state)
    assert printed.count("created") == 4
    assert printed.count("once its namespace exists") == 3
    alone = terminal.run("phase", "run", terminal.last, "--dry-run", *terminal.state, code=1)
    assert f'namespaces "{terminal.name}" not found' in alone
    assert not terminal.exists("one")


@pytest.mark.slow(20)
def test_an_object_of_somebody_else_fails_the_plan_with_its_owner(terminal: Terminal) -> None:
    """Nothing of the phase is applied."""
    terminal.client.post("/api/v1/namespaces", json={"metadata": {"name": terminal.name}}).raise_for_status()
    path = f"/api/v1/namespaces/{terminal.name}/configmaps"
    terminal.client.post(path, json={"metadata": {"name": "one"}}).raise_for_status()
    printed = terminal.run("plan", "run", "site", *terminal.state, code=1)
    assert (
        f"error: Phase '{terminal.first}' failed: The cluster 'target' did not take 2 of 2 objects: Namespace "
        f"{terminal.name}: site/{terminal.first}/all.yaml: it exists and belongs to nobody's inventory; the inventory "
        "policy is 'strict'"
    ) in printed
    assert printed.splitlines()[-1] == "Failed: site. To go on: plan run site --resume"
    assert "Canceled" not in printed
    assert terminal.rows()[terminal.first] == "Failed"


@pytest.mark.slow(10)
def test_clusters_say_whether_they_answer(terminal: Terminal, tmp_path: Path) -> None:
    """And a kubeconfig for them works with kubectl."""
    assert "Ready" in terminal.run("cluster", "status")
    written = tmp_path / "kubeconfig"
    terminal.run("cluster", "get-kubeconfig", "target", "--file", str(written))
    assert yaml.safe_load(written.read_text())["current-context"] == "target"
    assert written.stat().st_mode & 0o777 == 0o600
