"""The install graph of a cluster: only one exists, whatever crashes or races, and nobody else can read it."""

import base64
import hashlib
import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from activities.checks import catalogue_entry
from activities.machines import graph, graph_inputs
from activities.runtime.step import Step
from installer import pki
from installer.back_end_errors import InstallerError
from installer.graph import Graph
from installer.openshift_install import binary
from installer.openshift_install.gateway import Azure
from shared import fence, seal, settings
from shared.clusters import secrets
from shared.clusters.secrets import Purpose
from shared.store import records
from shared.vault import get_vault
from tests import openshift_install
from tests.product.unit.activities.calls import call, payload
from tests.product.unit.activities.checks import customer_network
from tests.product.unit.activities.checks.offers import MASTER, WORKER, lay_image, offers, sku
from tests.product.unit.blobs_fake import Blob, FakeBlobs
from tests.product.unit.clusters.identities.credentials import become_identities
from tests.product.unit.clusters.identities.role_sets import seeded
from tests.product.unit.installer import runs
from tests.product.unit.installer.example import _keys, quick_keys
from tests.product.unit.product_world import (
    CLUSTER_GROUP,
    CUSTOMER,
    CUSTOMER_TENANT,
    NETWORK,
    World,
    move_to_own_subscription,
)

__all__ = ["quick_keys"]

DONE = {"outcome": "done"}
GRAPH, IGNITION = "aro/graph", "ignition/bootstrap.ign"
# Key Vault's limit for the value of one secret.
VAULT_LIMIT = 25_600


class Crash(BaseException):
    """The process dies here."""


@dataclass
class Stage:
    """A cluster that is ready for its graph."""

    world: World
    blobs: FakeBlobs

    @property
    def step(self) -> Step:
        """Return the step of another activity of this cluster."""
        row = {"name": "x", "phase": "", "kind": "action", "message": "", "waitsFor": "", "deadlineSeconds": 60}
        return Step(payload(row, "run"), self.world.cluster)

    def read(self) -> Graph:
        """Read the graph like another activity whose fence holds."""
        held = fence.check.set(lambda: None)
        try:
            return graph.load(self.step)
        finally:
            fence.check.reset(held)

    def bundle(self, purpose: Purpose) -> dict[str, Any]:
        """Return the bundle whose id stands on the document."""
        version = int(self.world.cluster["secrets"][purpose].rsplit("/", 1)[1])
        texts = self.world.vault("rp-cls").versions[secrets.secret_name("doc-1", purpose)]
        found: dict[str, Any] = json.loads(texts[version - 1])
        return found

    def is_whole(self) -> bool:
        """Tell whether graph, ignition, time and credentials belong together."""
        made = self.read()
        credentials = self.bundle(Purpose.CREDENTIALS)
        assert self.blobs.blobs[IGNITION].content.decode() == made.file("bootstrap.ign")
        assert credentials["aroServiceKubeconfig"] == made.file("auth/aro/kubeconfig")
        assert credentials["kubeadminPassword"] == made.file("auth/kubeadmin-password")
        assert self.world.properties["install"] == {"oneBlob": True, "now": made.contents["clock"]["now"]}
        assert self.blobs.writes.count(GRAPH) == 1
        return True

    def before_write(self, monkeypatch: pytest.MonkeyPatch, number: int, event: Callable[[], None]) -> None:
        """Run something right before the nth permanent write.

        Args:
            monkeypatch: pytest's.
            number: which write, from 1.
            event: what to run.
        """
        count = iter(range(1, 1000))
        vault, clusters = self.world.vault("rp-cls"), self.world.cosmos["OpenShiftClusters"]

        def hooked(write: Callable[..., Any]) -> Callable[..., Any]:
            def first_the_event(*args: Any, **kwargs: Any) -> Any:
                if next(count) == number:
                    event()
                return write(*args, **kwargs)

            return first_the_event

        monkeypatch.setattr(vault, "set_secret", hooked(vault.set_secret))
        monkeypatch.setattr(clusters, "replace_item", hooked(clusters.replace_item))
        monkeypatch.setattr(self.blobs, "put", hooked(self.blobs.put))


OF_RELEASE = {"publisher": "azureopenshift", "offer": "aro4", "sku": "aro_419", "version": "419.6.20250523"}


@pytest.fixture
def stage(accepted: World, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Stage:
    """Do what a create does before it makes a graph."""
    request.getfixturevalue("quick_keys")
    blobs = FakeBlobs()
    blobs.install(monkeypatch)
    accepted.cosmos["OpenShiftVersions"].create_item(
        {
            "id": "4.19.24",
            "version": "4.19.24",
            "enabled": True,
            "default": True,
            "openShiftPullspec": "quay.io/openshift-release-dev/ocp-release:4.19.24-x86_64",
            "ignitionVersion": "3.2.0",
            "flavour": "C",
            "rhcosImage": {"publisher": "azureopenshift", "offer": "aro4", "sku": "aro_419", "version": "419.94.1"},
        }
    )
    call("decide_names")
    call("ensure_cluster_secrets")
    registry = accepted.vault("rp-cls").set_secret(
        "doc-1-registry", '{"password": "canary-registry"}', content_type="application/json", tags={"cluster": "doc-1"}
    )
    document = accepted.cluster
    document["secrets"]["registry"] = registry.id
    document["openShiftCluster"]["properties"] |= {
        "zones": ["1", "2", "3"],
        "rhcosImage": dict(OF_RELEASE),
        "registryProfiles": [{"name": "arosvc.azurecr.io", "username": "token-1"}],
        "networkProfile": {"podCidr": "10.128.0.0/14", "serviceCidr": "172.30.0.0/16"},
        "masterProfile": {"vmSize": "Standard_D8s_v5", "subnetId": f"{NETWORK}/subnets/master"},
        "workerProfiles": [
            {
                "name": "worker",
                "vmSize": "Standard_D4s_v5",
                "diskSizeGB": 128,
                "count": 3,
                "subnetId": f"{NETWORK}/subnets/worker",
            }
        ],
        "ingressProfiles": [{"name": "default", "visibility": "Public"}],
    }
    document["openShiftCluster"]["properties"]["clusterProfile"]["version"] = "4.19.24"
    account = (
        f"{CLUSTER_GROUP}/providers/Microsoft.Storage/storageAccounts/cluster{accepted.properties['storageSuffix']}"
    )
    accepted.azure.resources[account.lower()] = {
        "properties": {"primaryEndpoints": {"blob": "https://account.blob.core.windows.net/"}}
    }
    accepted.azure.on("POST", "/listAccountSas$", lambda _request: (200, {"accountSasToken": "sv=1&sig=canary"}, {}))
    return Stage(accepted, blobs)


def test_the_graph_is_made_sealed_and_laid_out(stage: Stage) -> None:
    """The requested signature expires soon and grants no more than necessary."""
    assert call("ensure_graph") == DONE
    assert stage.is_whole()
    assert seal.key_id(stage.blobs.blobs[GRAPH].content) == stage.world.cluster["secrets"]["graph"]
    signed = next(one.json for one in stage.world.azure.calls if one.path.endswith("/listAccountSas"))
    assert (signed["signedServices"], signed["signedResourceTypes"], signed["signedPermission"]) == ("b", "o", "rcw")
    ignition = json.loads(stage.blobs.blobs[IGNITION].content)
    assert ignition["ignition"]["version"] == "3.2.0"


# What names the service's registry. Each is long enough not to stand in the base64 of a key by chance.
TRACES = ("azurecr.io", "arosvc.", "token-1:canary-registry", "ImageContentSourcePolicy", "registry.mirror")


def traces(made: Graph) -> set[str]:
    """Return what a graph has of these, in its contents as in the files of its ignition."""
    ignition = "".join(made.file(name) for name in ("bootstrap.ign", "master.ign", "worker.ign"))
    files = [base64.b64decode(found).decode() for found in re.findall(r"base64,([A-Za-z0-9+/=]+)", ignition)]
    secrets = re.findall(r'"auth": ?"([A-Za-z0-9+/=]+)"', made.contents["install-config"]["pullSecret"])
    texts = [json.dumps(made.contents), *files, *(base64.b64decode(secret).decode() for secret in secrets)]
    return {trace for trace in TRACES if any(trace in text for text in texts)}


def test_a_cluster_without_a_mirror_has_no_trace_of_a_registry(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its nodes pull from where the release names its images, with the customer's pull secret alone."""
    move_to_own_subscription(stage.world, monkeypatch)
    customers = {"auths": {"quay.io": {"auth": "dTpw"}}}
    secret = stage.world.vault("rp-cls").set_secret(
        "doc-1-request",
        json.dumps({"clientSecret": "s3cret", "pullSecret": json.dumps(customers)}),
        content_type="application/json",
        tags={"cluster": "doc-1"},
    )
    stage.world.cluster["secrets"]["request"] = secret.id
    del stage.world.cluster["secrets"]["registry"]
    del stage.world.properties["registryProfiles"]
    assert call("ensure_graph") == DONE
    made = stage.read()
    assert made.contents["install-config"]["imageContentSources"] == []
    assert json.loads(made.contents["install-config"]["pullSecret"]) == customers
    assert made.contents["manifests/image-content-source-policy"] == {}
    assert traces(made) == set()


def test_a_cluster_with_a_mirror_has_its_registry_wherever_images_are_pulled(stage: Stage) -> None:
    """In the manifests as on the bootstrap machine, so the test above looks in the right places."""
    assert call("ensure_graph") == DONE
    assert traces(stage.read()) == set(TRACES)


def test_a_graph_that_lacks_its_registrys_token_says_so(stage: Stage) -> None:
    """A service with a registry must not make clusters that pull from elsewhere."""
    del stage.world.cluster["secrets"]["registry"]
    del stage.world.properties["registryProfiles"]
    message = call("ensure_graph")["error"]["message"]
    assert "properties.registryProfiles is not known yet: the registry's token" in message
    assert "the secret 'registry' is not in the vault yet" in message


ISSUER = "https://issuers.aroapp.test/tenant/doc"
ROLES = seeded()["4.19"]["platformWorkloadIdentityRoles"]


def use_identities(stage: Stage) -> str:
    """Give the cluster workload identity with all that a graph needs of it; return the issuer's key."""
    world = stage.world
    become_identities(world.cluster, *(role["operatorName"] for role in ROLES), issuer=ISSUER)
    world.properties["clusterProfile"]["version"] = "4.19.24"
    for document in seeded().values():
        world.cosmos["PlatformWorkloadIdentityRoleSets"].create_item(dict(document))
    key = pki.private_pem(_keys()[0])
    name = secrets.secret_name(world.cluster["id"], Purpose.SIGNING_KEY)
    world.cluster["secrets"]["signing"] = get_vault().put_secret(name, {"privateKey": key})
    return key


def test_with_workload_identity_no_secret_goes_into_the_graph_and_operators_bring_their_own_credentials(
    stage: Stage,
) -> None:
    """The tenant and the subscription are all that they share; the key of their issuer comes from the vault."""
    key = use_identities(stage)
    customer_network.lay(stage.world)
    step = Step(payload({"name": "ensure_graph", "phase": "bootstrap"}, "run"), stage.world.cluster)
    for installer in ("built-in", "openshift-install"):
        entry = replace(catalogue_entry.entry(step), installer=installer)
        given = graph_inputs.cluster_facts(step, entry, "https://c.blob.core.windows.net/")
        credentials = given["platform-credentials"]
        identities = credentials.pop("workloadIdentity")
        assert credentials == {"subscriptionId": CUSTOMER, "tenantId": CUSTOMER_TENANT}
        assert (identities["issuer"], identities["signingKey"]) == (ISSUER, key)
        assert {(each["namespace"], each["name"]): each["clientId"] for each in identities["operators"]} == {
            (role["secretLocation"]["namespace"], role["secretLocation"]["name"]): f"client-{role['operatorName']}"
            for role in ROLES
            if role["operatorName"] != "aro-operator"
        }
        assert given["install-config"]["credentialsMode"] == "Manual"
        assert "s3cret" not in json.dumps(given)


def test_a_graph_with_workload_identity_is_made_once_like_any_other(stage: Stage) -> None:
    """A second run reuses it, and with it the key that was published."""
    key = use_identities(stage)
    assert call("ensure_graph") == DONE
    assert stage.read().file("tls/bound-service-account-signing-key.key") == key
    before = dict(stage.blobs.blobs)
    assert call("ensure_graph") == DONE
    assert stage.blobs.blobs == before


def test_a_graph_waits_for_nothing_that_workload_identity_lacks(stage: Stage) -> None:
    """It names the issuer, its key, and each id at once, and makes nothing."""
    use_identities(stage)
    properties = stage.world.properties
    del stage.world.cluster["secrets"]["signing"]
    del properties["clusterProfile"]["oidcIssuer"]
    del properties["platformWorkloadIdentityProfile"]["platformWorkloadIdentities"]["ingress"]["clientId"]
    message = call("ensure_graph")["error"]["message"]
    assert "properties.clusterProfile.oidcIssuer is not known yet: the issuer of its tokens" in message
    assert "the secret 'signing' is not in the vault yet" in message
    assert 'platformWorkloadIdentities["ingress"].clientId is not known yet' in message
    assert not stage.blobs.blobs


def test_a_second_run_makes_nothing_anew(stage: Stage) -> None:
    """It finds the credentials and asks nobody."""
    call("ensure_graph")
    before, asked = dict(stage.blobs.blobs), len(stage.world.azure.calls)
    assert call("ensure_graph") == DONE
    assert stage.blobs.blobs == before
    assert len(stage.world.azure.calls) == asked


# One run writes: key, its id, graph, ignition, time, credentials, their id.
WRITES = 9


@pytest.mark.parametrize("number", range(1, WRITES + 1))
def test_a_run_that_died_before_any_write_is_completed_by_the_next(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """The next run ends with one graph, and a time and credentials that belong to it."""

    def die() -> None:
        raise Crash

    with monkeypatch.context() as patch:
        stage.before_write(patch, number, die)
        with pytest.raises(Crash):
            call("ensure_graph")
    assert call("ensure_graph") == DONE
    assert stage.is_whole()


@pytest.mark.parametrize("number", range(1, WRITES + 1))
def test_two_deliveries_at_once_end_with_one_graph(stage: Stage, number: int) -> None:
    """One runs completely in the middle of the other, and its results stay."""
    ended: list[dict[str, Blob]] = []

    patch, turn = pytest.MonkeyPatch(), threading.Semaphore(2)
    patch.setattr(graph, "_TURN", turn)

    def run_the_other() -> None:
        patch.undo()
        patch.setattr(graph, "_TURN", turn)
        assert call("ensure_graph") == DONE
        assert stage.is_whole()
        ended.append(dict(stage.blobs.blobs))

    stage.before_write(patch, number, run_the_other)
    assert call("ensure_graph") == DONE
    assert stage.is_whole()
    assert [stage.blobs.blobs] == ended
    patch.undo()


def test_a_graph_whose_turn_has_not_come_gives_its_slot_back(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many are made at once as there are cores; every other row of every cluster continues meanwhile."""
    turn = threading.Semaphore(1)
    monkeypatch.setattr(graph, "_TURN", turn)
    with turn:
        outcome = call("ensure_graph")
    assert outcome["outcome"] == "wait"
    assert outcome["retryAfterSeconds"] >= 1
    assert stage.blobs.writes == []
    assert call("ensure_graph") == DONE
    assert stage.is_whole()
    assert turn.acquire(blocking=False), "the turn was not given back"


def test_a_create_asks_for_its_turn_again_when_those_before_it_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many creates at once would otherwise ask every second, and each call costs as much as one that works."""
    monkeypatch.setattr(graph, "_CORES", 2)
    waiters = graph._Waiters()
    assert [waiters.wait_seconds(name) for name in ("a", "b", "c", "b")] == [1, 2, 3, 2]
    waiters.remove("a")
    assert waiters.wait_seconds("c") == 2
    assert max(waiters.wait_seconds(f"more-{number}") for number in range(100)) == 30


def test_a_create_that_asks_no_more_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was cancelled, or goes on in another process."""
    monkeypatch.setattr(graph, "_CORES", 1)
    now = iter((0.0, 61.0))
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    waiters = graph._Waiters()
    assert [waiters.wait_seconds(name) for name in ("gone", "b")] == [2, 2]


def test_a_run_makes_as_many_writes_as_the_tests_above_interrupt(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A further write would be a crash that no test tries."""
    stage.before_write(monkeypatch, WRITES + 1, lambda: pytest.fail("there is one more write"))
    assert call("ensure_graph") == DONE


def test_an_ignition_that_is_not_the_graphs_is_written_again(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever wrote it."""
    test_a_run_that_died_before_any_write_is_completed_by_the_next(stage, monkeypatch, 5)
    digest = hashlib.sha256(stage.blobs.blobs[IGNITION].content).hexdigest()
    assert stage.blobs.blobs[IGNITION].headers["x-ms-meta-sha256"] == digest
    assert stage.blobs.writes == [GRAPH, IGNITION]


def test_a_superseded_attempt_lays_no_blob(stage: Stage) -> None:
    """No client's policy guards the blobs, so the fence is checked right before each write."""

    def overtake(_request: Any) -> tuple[int, Any, dict[str, str]]:
        stage.world.cluster["attempt"] = 2
        return 200, {"accountSasToken": "sv=1"}, {}

    stage.world.azure.on("POST", "/listAccountSas$", overtake)
    assert call("ensure_graph") == {"outcome": "fenced"}
    assert stage.blobs.writes == []


def test_the_machines_get_their_pointer_out_of_the_sealed_graph(stage: Stage) -> None:
    """With a signature that may only read."""
    call("ensure_graph")
    stage.world.azure.calls.clear()
    held = fence.check.set(lambda: None)
    pointer = json.loads(graph.load(stage.step).file("master.ign"))
    fence.check.reset(held)
    (source,) = pointer["ignition"]["config"]["merge"]
    assert source == {"source": "https://api-int.c1.eastus.aroapp.io:22623/config/master"}
    signed = next(one.json for one in stage.world.azure.calls if one.path.endswith("/listAccountSas"))
    assert signed["signedPermission"] == "r"


def test_no_secret_is_told(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    """Not in the outcome, the log, any document or the rendered request, and not in clear in the sealed blob."""
    caplog.set_level("DEBUG")
    told = json.dumps(call("ensure_graph")) + caplog.text + json.dumps(graph.ensure_graph.render(stage.step))
    for container in stage.world.cosmos.values():
        told += json.dumps(list(container.documents.values()))
    told += stage.blobs.blobs[GRAPH].content.decode("latin-1")
    password = stage.bundle(Purpose.CREDENTIALS)["kubeadminPassword"]
    for secret in ("PRIVATE KEY", "s3cret", "canary", password, stage.bundle(Purpose.GRAPH_KEY)["key"]):
        assert secret not in told


def test_the_credentials_fit_into_the_vault(stage: Stage) -> None:
    """They are those for customers and this service, not the installer's own, which is valid for ten years."""
    call("ensure_graph")
    bundle = stage.bundle(Purpose.CREDENTIALS)
    assert set(bundle) == {"aroServiceKubeconfig", "userAdminKubeconfig", "kubeadminPassword"}
    assert len(json.dumps(bundle)) < VAULT_LIMIT


def test_the_cluster_gets_the_customers_registries_and_the_services(stage: Stage) -> None:
    """In the configuration that the machines pull with."""
    call("ensure_graph")
    pull_secret = json.loads(stage.read().contents["install-config"]["pullSecret"])
    assert list(pull_secret["auths"]) == ["arosvc.azurecr.io"]


def refused(stage: Stage, closed: bytes) -> str:
    """Let a run find a graph that it did not seal, and return what it says."""
    stage.world.cluster["secrets"].pop(Purpose.CREDENTIALS)
    stage.blobs.blobs[GRAPH] = Blob(closed, {})
    outcome = call("ensure_graph")
    assert (outcome["outcome"], outcome["retryClass"]) == ("failed", "none")
    assert outcome["error"]["code"] == "InternalServerError"
    return str(outcome["error"]["message"])


def test_a_graph_that_was_altered_is_refused(stage: Stage) -> None:
    """It is not overwritten, because somebody will want to look at it. The message says where it is."""
    call("ensure_graph")
    closed = stage.blobs.blobs[GRAPH].content
    message = refused(stage, closed[:-1] + bytes([closed[-1] ^ 1]))
    assert "altered, or sealed with another key" in message
    assert "container 'aro'" in message
    assert "Delete the cluster" in message
    assert stage.blobs.writes.count(GRAPH) == 1


@pytest.mark.parametrize(
    "key_id",
    ["https://rp-cls.vault.azure.net/secrets/doc-2-graph/1", "https://elsewhere/secrets/doc-1-graph/1"],
    ids=["of another cluster", "of another vault"],
)
def test_a_graph_that_names_a_key_of_others_is_refused_unread(stage: Stage, key_id: str) -> None:
    """The name in the header is not trusted until it is known to be this cluster's."""
    call("ensure_graph")
    assert "a key that is not this cluster's" in refused(stage, seal.seal_text(b"{}", seal.new_key(), key_id))


def rotate(stage: Stage) -> str:
    """Put a new version of the key into the vault and its id on the document; return the id."""
    key = base64.b64encode(seal.new_key()).decode("ascii")
    newer = stage.world.vault("rp-cls").set_secret(
        "doc-1-graph", json.dumps({"key": key}), content_type="application/json", tags={"cluster": "doc-1"}
    )
    stage.world.cluster["secrets"]["graph"] = newer.id
    # Like another process, with nothing of the vault in memory.
    get_vault()._versions.clear()
    return str(newer.id)


def test_the_drill_of_the_sealing_key_leaves_old_graphs_readable_and_seals_new_ones_with_the_newest(
    stage: Stage,
) -> None:
    """Each graph opens only with the version that its header names."""
    sealed: list[tuple[str, bytes, str]] = []
    for _rotation in range(3):
        stage.blobs.blobs.pop(GRAPH, None)
        stage.world.cluster["secrets"].pop("credentials", None)
        assert call("ensure_graph") == DONE
        content = stage.blobs.blobs[GRAPH].content
        assert seal.key_id(content) == stage.world.cluster["secrets"]["graph"]
        sealed.append((seal.key_id(content), content, stage.read().file("tls/root-ca.crt")))
        newest = rotate(stage)
    assert len({key_id for key_id, _, _ in sealed} | {newest}) == 4
    for key_id, content, root in sealed:
        stage.blobs.blobs[GRAPH] = Blob(content, {})
        assert stage.read().file("tls/root-ca.crt") == root
        others = {get_vault().get_secret(other)["key"] for other, _, _ in sealed if other != key_id}
        assert len(others) == 2
        for other in others:
            with pytest.raises(seal.SealBroken, match="another key"):
                seal.open_sealed(content, base64.b64decode(other))


def test_a_header_that_names_a_newer_key_than_its_own_does_not_open(stage: Stage) -> None:
    """The id is sealed with the text, so it cannot be exchanged."""
    call("ensure_graph")
    before = stage.blobs.blobs[GRAPH].content
    older, newer = seal.key_id(before).encode(), rotate(stage).encode()
    length = len(older).to_bytes(2, "big"), len(newer).to_bytes(2, "big")
    exchanged = before.replace(length[0] + older, length[1] + newer, 1)
    assert exchanged != before
    assert "altered, or sealed with another key" in refused(stage, exchanged)


def test_an_install_config_that_cannot_work_is_refused_before_anything_is_made(stage: Stage) -> None:
    """With all problems, by the members of the request."""
    stage.world.properties["networkProfile"]["serviceCidr"] = "10.128.0.0/16"
    stage.world.properties["workerProfiles"][0]["count"] = 1
    error = call("ensure_graph")["error"]
    assert error["code"] == "InvalidParameter"
    targets = [each["target"] for each in error["details"] if each["code"] == "InvalidParameter"]
    assert targets == ["properties.networkProfile.serviceCidr", "properties.workerProfiles[0].count"]
    assert stage.blobs.writes == []


def test_what_is_missing_is_listed_all_at_once(accepted: World) -> None:
    """Before anything is made; each sentence says what is missing, and where."""
    accepted.cosmos["OpenShiftVersions"].create_item(
        {"id": "v", "version": "4.7.24", "enabled": True, "snippets": {"infra": []}}
    )
    accepted.properties["clusterProfile"]["version"] = "4.7.24"
    message = call("ensure_graph")["error"]["message"]
    for part in (
        "properties.infraId is not known yet",
        "properties.zones is not known yet",
        "properties.networkProfile.podCidr is not known yet",
        "properties.workerProfiles[0].count is missing",
        "properties.ingressProfiles is empty",
        "the secret 'install' is not in the vault yet",
        "the catalogue's entry of version 4.7.24 has no 'rhcosImage'",
        "the catalogue's entry of version 4.7.24 has no 'openShiftPullspec'",
        "the catalogue's entry of version 4.7.24: 'snippets.infra' is not of a role",
    ):
        assert part in message


def test_every_machine_boots_the_image_that_was_decided(stage: Stage) -> None:
    """Whatever the catalogue says by then, for masters and all machine sets."""
    decided = {"publisher": "azureopenshift", "offer": "aro4", "sku": "aro_419", "version": "419.6.20250523"}
    stage.world.properties["rhcosImage"] = decided
    assert call("ensure_graph") == {"outcome": "done"}
    made = stage.read()
    assert made.contents["install-config"]["platform"]["azure"]["image"] == decided
    names = ("master-machines", "worker-machineset")
    documents = [
        text for name in names for text in made.contents[f"openshift/99_openshift-cluster-api_{name}"].values()
    ]
    assert len(documents) == len(("masters",) * 3 + ("zones",) * 3)
    assert all("version: 419.6.20250523" in text for text in documents)


def edit_after_each_read(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let an operator edit the entry after each read of it, which no cache saves; return what was read."""
    versions = stage.world.cosmos["OpenShiftVersions"]
    read, reads = versions.query_items, []
    monkeypatch.setattr(records, "_CATALOGUE_AGE_SECONDS", -1)

    def read_then_edit(*arguments: Any, **options: Any) -> Any:
        found = read(*arguments, **options)
        (entry,) = versions.documents.values()
        reads.append(entry["openShiftPullspec"])
        edited = f"quay.io/edited/release:{len(reads)}"
        versions.upsert_item(entry | {"openShiftPullspec": edited, "ignitionVersion": "3.1.0", "flavour": "A"})
        return found

    monkeypatch.setattr(versions, "query_items", read_then_edit)
    return reads


def test_a_graph_is_made_from_one_reading_of_the_catalogue(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry that is edited meanwhile makes no graph that is half of the one and half of the other."""
    (entry,) = stage.world.cosmos["OpenShiftVersions"].documents.values()
    reads = edit_after_each_read(stage, monkeypatch)
    assert call("ensure_graph") == DONE
    assert reads == [entry["openShiftPullspec"]]
    made = stage.read().contents
    assert made["release-image"] == {
        "version": entry["version"],
        "pullspec": entry["openShiftPullspec"],
        "ignitionVersion": entry["ignitionVersion"],
        "flavour": entry["flavour"],
        "machineImage": stage.world.properties["rhcosImage"],
    }
    assert json.loads(stage.read().file("bootstrap.ign"))["ignition"]["version"] == entry["ignitionVersion"]


def test_a_plan_of_an_earlier_package_decides_the_image_with_the_graph(stage: Stage) -> None:
    """It has no row for that. The graph then has the next run for itself."""
    offers(stage.world, sku(MASTER), sku(WORKER))
    lay_image(stage.world, OF_RELEASE)
    versions = stage.world.cosmos["OpenShiftVersions"]
    (entry,) = versions.documents.values()
    versions.upsert_item(entry | {"rhcosImage": OF_RELEASE})
    del stage.world.properties["rhcosImage"]
    assert call("ensure_graph") == {
        "outcome": "wait",
        "message": "the image of the machines is known",
        "retryAfterSeconds": 1,
    }
    assert (stage.world.properties["rhcosImage"], stage.blobs.writes) == (OF_RELEASE, [])
    assert call("ensure_graph") == DONE
    assert stage.is_whole()


def have_it_made_by(stage: Stage, monkeypatch: pytest.MonkeyPatch, program: Path) -> None:
    """Make a program the installer of the cluster's version. It needs the customer's network."""
    customer_network.lay(stage.world)
    versions = stage.world.cosmos["OpenShiftVersions"]
    (entry,) = versions.documents.values()
    versions.upsert_item(entry | {"installer": "openshift-install", "installerDigest": f"sha256:{'5' * 64}"})
    own = replace(settings.load(), openshift_install=str(program))
    monkeypatch.setattr(settings, "load", lambda: own)
    runs.let_run(monkeypatch, program.parent)
    monkeypatch.setattr(graph, "_azure", lambda _step: Azure("arm.example", (), Mock()))


def test_a_graph_of_another_installer_is_sealed_and_laid_out_alike(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """If the graph already exists, it is reused: the program runs only once."""
    caplog.set_level("DEBUG")
    notes = openshift_install.install(tmp_path / "program", "4.19.24", _keys())
    have_it_made_by(stage, monkeypatch, tmp_path / "program")
    test_a_run_that_died_before_any_write_is_completed_by_the_next(stage, monkeypatch, 4)
    assert stage.is_whole()
    first, _second = (json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines())
    assert stage.read().contents["install-config"]["networking"]["machineNetwork"] == [
        {"cidr": "10.0.0.0/23"},
        {"cidr": "10.0.2.0/23"},
    ]
    (graph_blob, _ignition) = graph.ensure_graph.render(stage.step)
    assert graph_blob["installer"] == "openshift-install"
    assert set(graph_blob["assets"]) <= set(stage.read().contents)
    infra_id = stage.world.properties["infraId"]
    assert json.loads(stage.read().file("metadata.json"))["infraID"] == infra_id != first["drawn"]["infraId"]
    for secret in ("PRIVATE KEY", "s3cret", "canary", stage.bundle(Purpose.CREDENTIALS)["kubeadminPassword"]):
        assert secret not in caplog.text + json.dumps(graph_blob)


def test_a_plan_of_an_earlier_package_fetches_the_installer_with_the_graph(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It has no row that fetches and checks the program before."""
    program = tmp_path / "program"
    have_it_made_by(stage, monkeypatch, program)
    fetched: list[str] = []

    def fetch(release: Any, _pull_secret: Callable[[], str], file: Path, _begun: float) -> None:
        openshift_install.install(file, release["version"], _keys())
        fetched.append(release["installerDigest"])

    monkeypatch.setattr(binary, "_fetch", fetch)
    assert not program.exists()
    assert call("ensure_graph") == DONE
    assert fetched == [f"sha256:{'5' * 64}"]
    assert stage.is_whole()


def test_what_another_installer_fails_with_names_its_step_and_is_the_platforms(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """With the last lines of its output, and no secret."""
    program = tmp_path / "program"
    program.write_text(
        "#!/bin/sh\n[ $1 = version ] && { echo openshift-install 4.19.24; exit; }\n"
        'cat "$HOME/.azure/osServicePrincipal.json"; echo; echo level=fatal msg=no such region; exit 4\n',
        encoding="ascii",
    )
    program.chmod(0o755)
    have_it_made_by(stage, monkeypatch, program)
    outcome = call("ensure_graph")
    error = outcome["error"]
    assert (outcome["retryClass"], error["code"]) == ("none", "InternalServerError")
    want = "The installer of OpenShift 4.19.24 failed at 'create manifests': it ended with code 4."
    assert error["message"] == f"Step 'ensure_graph' failed: {want}"
    said = [each["message"] for each in error["details"] if each["code"] == "InstallerSaid"]
    assert said[-1] == "level=fatal msg=no such region"
    assert {"code": "Owner", "message": "platform"} in error["details"]
    assert "s3cret" not in json.dumps(outcome) + caplog.text
    assert stage.blobs.writes == []


def test_a_subnet_that_is_gone_by_now_is_the_customers(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It was there when the network was validated."""
    have_it_made_by(stage, monkeypatch, tmp_path / "program")
    stage.world.azure.resources[NETWORK.lower()]["properties"]["subnets"].pop()
    error = call("ensure_graph")["error"]
    assert (error["code"], error["target"]) == ("InvalidLinkedVNet", 'properties.workerProfiles["worker"].subnetId')
    assert f"The subnet '{NETWORK}/subnets/worker' was not found" in error["message"]
    del stage.world.azure.resources[NETWORK.lower()]
    assert f"The virtual network '{NETWORK}' was not found" in call("ensure_graph")["error"]["message"]
    assert stage.blobs.writes == []


@pytest.mark.parametrize(
    ("decided", "of_entry", "want"),
    [
        ("built-in", "openshift-install", "built-in"),
        ("openshift-install", "built-in", "openshift-install"),
        ("openshift-install", None, "openshift-install"),
        (None, "openshift-install", "openshift-install"),
        (None, None, "built-in"),
    ],
    ids=["one", "the other", "nothing in the entry", "an older build", "an older build, and nothing in the entry"],
)
def test_the_installer_is_the_one_that_the_request_decided(
    stage: Stage, decided: str | None, of_entry: str | None, want: str
) -> None:
    """Whatever the catalogue says by then. Requests of older builds decided none."""
    versions = stage.world.cosmos["OpenShiftVersions"]
    (entry,) = versions.documents.values()
    digest = {"installerDigest": f"sha256:{'5' * 64}"}
    versions.upsert_item(entry | digest | ({"installer": of_entry} if of_entry else {}))
    if decided:
        stage.world.properties["installer"] = decided
    (graph_blob, _ignition) = graph.ensure_graph.render(stage.step)
    assert graph_blob["installer"] == want


def test_what_may_pass_is_tried_again(stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A mirror that does not answer, for example."""

    def unreachable(_release: Any, _pull_secret: Callable[[], str]) -> Path:
        raise InstallerError("fetch openshift-install", "https://mirror cannot be read", passing=True)

    have_it_made_by(stage, monkeypatch, tmp_path / "program")
    monkeypatch.setattr(binary, "ensure", unreachable)
    assert call("ensure_graph")["retryClass"] == "transient"


def lay_snippets(stage: Stage, snippets: dict[str, Any]) -> None:
    """Give the version of the cluster snippets."""
    versions = stage.world.cosmos["OpenShiftVersions"]
    (entry,) = versions.documents.values()
    versions.upsert_item(entry | {"snippets": snippets})


def test_snippets_of_the_catalogue_reach_the_machines(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    """From the entry of the cluster's version, through the graph, to the machine's blob; the log has the clashes."""
    rows = [{"name": "dns-servers", "servers": ["10.9.9.9"]}, {"name": "dns-servers", "servers": ["10.9.9.8"]}]
    lay_snippets(stage, {"bootstrap": rows})
    assert call("ensure_graph") == {"outcome": "done"}
    written = json.loads(stage.blobs.blobs[IGNITION].content)
    assert "/etc/NetworkManager/dispatcher.d/99-forcedns" in {file["path"] for file in written["storage"]["files"]}
    path = "/etc/NetworkManager/dispatcher.d/99-forcedns"
    assert f"bootstrap.ign: path {path} of dns-servers (snippets.bootstrap[1]) is not used" in caplog.text


def test_a_snippet_that_cannot_be_laid_is_the_operators(stage: Stage) -> None:
    """All of them are named, before anything is made."""
    lay_snippets(stage, {"master": [{"name": "hostname"}], "worker": [{"name": "firewall"}]})
    error = call("ensure_graph")["error"]
    assert (error["code"], error["target"]) == ("InternalServerError", "properties.clusterProfile.version")
    assert "snippets.master[0]: '' is not a host name" in error["message"]
    assert "snippets.worker[0]" in error["message"]
    assert stage.blobs.writes == []
