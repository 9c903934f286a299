"""A cluster's API in memory: objects by kind and name, or how it fails to answer."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from activities.runtime.wrapper import perform
from shared import fence
from shared.openshift import client
from shared.openshift.client import NotDone, Read
from tests.kubernetes_pki import Authority, kubeconfig
from tests.product.unit.activities.calls import as_json, payload
from tests.product.unit.openshift.api_fake import FakeApi
from tests.product.unit.product_world import World


@dataclass
class FakeClusterApi:
    """The objects that reads find; `fails` is the reason why they find nothing."""

    objects: dict[tuple[str, str], Any] = field(default_factory=dict)
    fails: str = ""
    reads: list[Read] = field(default_factory=list)
    deleted: list[Read] = field(default_factory=list)

    def add(self, kind: str, *objects: dict[str, Any]) -> None:
        """Let objects exist."""
        self.objects |= {(kind, one["metadata"]["name"]): one for one in objects}

    def read(self, _client: Any, what: Read) -> Any:
        """Answer as `client.read` does."""
        self.reads.append(what)
        if self.fails:
            raise NotDone(self.fails)
        if what.name:
            return self.objects.get((what.kind, what.name))
        return [one for (kind, _name), one in self.objects.items() if kind == what.kind]

    def delete(self, _client: Any, what: Read) -> None:
        """Answer like `client.delete`: the object stays until its finalizers are done."""
        fence.ask("DELETE")
        if self.fails:
            raise NotDone(self.fails)
        self.deleted.append(what)
        self.objects[what.kind, what.name]["metadata"]["deletionTimestamp"] = "2026-03-01T09:00:00Z"


def fake(world: World, monkeypatch: pytest.MonkeyPatch) -> FakeClusterApi:
    """Put an API behind the endpoint of the world's cluster."""
    reachable(world)
    api = FakeClusterApi()
    monkeypatch.setattr(client, "read", api.read)
    monkeypatch.setattr(client, "delete", api.delete)
    return api


def wire(world: World, monkeypatch: pytest.MonkeyPatch) -> FakeApi:
    """Put an API server behind the endpoint of the world's cluster, for tests that use real requests."""
    reachable(world)
    api = FakeApi()
    monkeypatch.setattr(client, "connect", lambda *_: api.client)
    return api


def run(target: str, **more: Any) -> dict[str, Any]:
    """Run an executor of a row that waits at most a minute and a half."""
    name = target.partition(":")[2]
    row = {
        "name": name,
        "executor": name,
        "phase": "remove-bootstrap",
        "kind": "action",
        "message": "Look.",
        "waitsFor": "it",
        "deadlineSeconds": 90,
        "pollSeconds": 0.25,
    }
    return as_json(perform(target, payload(row, "run", **({"startTime": datetime.now(UTC).isoformat()} | more))))


def reachable(world: World) -> None:
    """Give the world's cluster credentials, a private endpoint and names. No machine has a serial log yet."""
    authority = Authority("kube-apiserver-lb-signer")
    secret = world.vault("rp-cls").set_secret(
        "doc-1-credentials",
        json.dumps({"aroServiceKubeconfig": kubeconfig(authority, authority.issue("system:aro-service"))}),
        content_type="application/json",
        tags={"cluster": "doc-1"},
    )
    world.cluster["secrets"]["credentials"] = secret.id
    world.properties.update(infraId="c1-x7k2p", networkProfile={"privateEndpointIp": "127.128.0.5"})
    world.properties["ingressProfiles"] = [{"name": "default", "visibility": "Public"}]
    world.azure.fails("POST", "/retrieveBootDiagnosticsData$", 404, "ResourceNotFound")
