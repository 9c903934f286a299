"""Clusterctl's `init` on an API server: providers are installed in order, once, and recorded."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from activities.phases.clusterctl_init import INVENTORY_VERSION, Installation
from activities.phases.object_results import Change
from activities.phases.objects import Cluster
from shared.arm.errors import CloudError
from shared.json_object import Json
from shared.openshift.client import send
from shared.phase_documents.clusterctl_providers import Components, Provider
from shared.steps import Outcome
from tests.local_azure import wait_for
from tests.product.integration.phases.test_kubernetes_apply import agent, config_map, definition, namespace


@dataclass
class Shown:
    """What was shown of changes."""

    changes: list[Change] = field(default_factory=list)

    def __call__(self, changes: Any) -> None:
        """Keep what changed."""
        self.changes += [change for change in changes if change.verb != "unchanged"]

    def taken(self) -> list[tuple[str, str]]:
        """Return the kinds and verbs of what was shown since the last time."""
        taken = [(change.object.kind, change.verb) for change in self.changes]
        self.changes.clear()
        return taken


def manager(where: str) -> Json:
    """Return a Deployment."""
    labels = {"app": "manager"}
    spec = {"containers": [{"name": "manager", "image": "r.example.com/manager:v1"}]}
    template = {"metadata": {"labels": labels}, "spec": spec}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "manager", "namespace": where},
        "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": template},
    }


def components(name: str, kind: str, documents: list[Json], version: str = "v1.0.0") -> Components:
    """Return the components of a provider in a namespace of its own."""
    where = f"{name}-{kind.lower()}"
    return Components(Provider(kind, name, version, "", where), where, (*documents, namespace(where)))


def installation(cluster: Cluster, name: str, version: str = "v1.0.0") -> tuple[Installation, Shown]:
    """Return an installation of two providers: one with a Deployment, one with a kind and an object of it."""
    shown = Shown()
    group = f"{name}.example.com"
    unplaced = agent(group, "")
    del unplaced["metadata"]["namespace"]
    wanted = [
        components(name, "CoreProvider", [manager(f"{name}-coreprovider")], version),
        components(name, "BootstrapProvider", [unplaced, definition(group)], version),
    ]
    return Installation(cluster, "management", wanted, shown), shown


def available(cluster: Cluster, name: str) -> None:
    """Say that the Deployment is available, as its controller would."""
    path = f"/apis/apps/v1/namespaces/{name}-coreprovider/deployments/manager/status"
    counts = dict.fromkeys(("replicas", "updatedReplicas", "availableReplicas", "readyReplicas"), 1)
    conditions = [{"type": "Available", "status": "True", "reason": "Up", "message": "It is up."}]
    status = {"status": {"observedGeneration": 1, "conditions": conditions, **counts}}
    assert send(cluster.client, "PATCH", path, status, "application/merge-patch+json")[0] == 200


def message(outcome: Outcome | None) -> str:
    """Return what is waited for."""
    assert outcome is not None
    assert outcome["outcome"] == "wait"
    return outcome["message"]


def test_providers_are_installed_in_order_and_recorded(cluster: Cluster, name: str) -> None:
    """The second begins once the first is available; a further run changes nothing."""
    installing, shown = installation(cluster, name)
    assert message(installing.status()) == f"{name}-coreprovider v1.0.0: It is not installed."
    wait_for(lambda: "Deployment" in message(installing.proceed()), "the first provider to be applied")
    want = f"Deployment.apps {name}-coreprovider/manager is InProgress: 0 of 1 replicas are updated."
    assert message(installing.proceed()) == message(installing.status()) == f"{name}-coreprovider v1.0.0: {want}"
    assert cluster.read(namespace(f"{name}-bootstrapprovider")) is None
    assert {("Namespace", "created"), ("Deployment", "created"), ("Provider", "created")} <= set(shown.taken())

    available(cluster, name)
    wait_for(lambda: installing.proceed() is None, "all providers to be installed")
    assert ("Agent", "created") in shown.taken()
    [second] = cluster.listing(INVENTORY_VERSION, "Provider", f"{name}-bootstrapprovider")
    assert (second["providerName"], second["type"], second["version"]) == (name, "BootstrapProvider", "v1.0.0")
    assert cluster.read(agent(f"{name}.example.com", f"{name}-bootstrapprovider")) is not None

    assert installing.proceed() is installing.status() is None
    assert shown.taken() == []
    assert {change.verb for change in installing.dry_run()} == {"unchanged"}


def test_a_provider_that_needs_cert_manager_says_so_before_anything_is_applied(cluster: Cluster, name: str) -> None:
    """Clusterctl installs it first. In a dry run, an earlier phase may."""
    installing, shown = installation(cluster, name)
    where = f"{name}-coreprovider"
    certificate = {"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": {"name": "webhook"}}
    needing = replace(installing, components=[components(name, "CoreProvider", [certificate, manager(where)])])
    with pytest.raises(CloudError, match="has no cert-manager, which clusterctl itself would install first"):
        needing.proceed()
    assert cluster.read(namespace(where)) is None
    assert shown.taken() == []
    assert [change.verb for change in needing.dry_run()] == ["refused"]
    defining = definition("cert-manager.io")
    defining["spec"]["names"] |= {"kind": "Certificate", "plural": "certificates", "singular": "certificate"}
    assert "refused" not in {change.verb for change in replace(needing, before=[defining]).dry_run()}


def test_what_is_missing_is_made_again_and_new_components_are_applied(cluster: Cluster, name: str) -> None:
    """But what controllers changed stays as they made it."""
    shown = Shown()
    wanted = components(name, "CoreProvider", [config_map(f"{name}-coreprovider", "settings", mode="strict")])
    installing = Installation(cluster, "management", [wanted], shown)
    wait_for(lambda: installing.proceed() is None, "the provider to be installed")
    shown.taken()
    cluster.delete(wanted.documents[0])
    assert installing.proceed() is None
    assert shown.taken() == [("ConfigMap", "created")]

    newer = components(name, "CoreProvider", [config_map(f"{name}-coreprovider", "settings", mode="lax")])
    assert replace(installing, components=[newer]).proceed() is None
    assert shown.taken() == [("ConfigMap", "changed"), ("Provider", "changed")]


def test_another_version_is_refused_with_what_to_do(cluster: Cluster, name: str) -> None:
    """An upgrade needs more than new components."""
    wanted = components(name, "CoreProvider", [])
    installed = Installation(cluster, "management", [wanted], Shown())
    wait_for(lambda: installed.proceed() is None, "the provider to be installed")
    newer = replace(installed, components=[components(name, "CoreProvider", [], "v1.1.0")])
    with pytest.raises(CloudError) as caught:
        newer.proceed()
    where = f"{name}-coreprovider"
    want = (
        f"The cluster 'management' has the provider {where} v1.0.0 in the namespace '{where}', and v1.1.0 in "
        f"'{where}' is wanted. The action 'init' does not upgrade. Name v1.0.0 in init-options, or upgrade with "
        "'clusterctl upgrade apply', or remove it with 'clusterctl delete' first."
    )
    assert (caught.value.status_code, caught.value.code, caught.value.message) == (409, "Conflict", want)
    [change] = newer.dry_run()
    assert (change.object.kind, change.verb, change.message) == ("Provider", "refused", want)


def test_a_dry_run_of_init_tells_everything_and_changes_nothing(cluster: Cluster, name: str) -> None:
    """Not even the namespaces are made."""
    installing, shown = installation(cluster, name)
    kinds = {(change.object.kind, change.verb) for change in installing.dry_run()}
    assert {(kind, "created") for kind in ("Namespace", "Deployment", "Agent", "Provider")} <= kinds
    assert "refused" not in {verb for _, verb in kinds}
    assert cluster.read(namespace(f"{name}-coreprovider")) is None
    assert shown.taken() == []
