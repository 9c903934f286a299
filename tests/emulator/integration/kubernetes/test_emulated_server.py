"""What applies to the emulated server alone: its state, its faults, its certificates, its cost."""

import asyncio
import json
import socket
import ssl
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from emulator.core.certificate_authority import CertificateAuthority
from emulator.core.clock import Clock
from emulator.core.faults import Fault
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.openshift.kubernetes import ApiServer
from tests.emulator.integration.kubernetes import servers
from tests.emulator.integration.kubernetes.servers import EmulatedApi
from tests.emulator.integration.kubernetes.statuses import failure
from tests.emulator.integration.kubernetes.widgets import define
from tests.local_azure import wait_for
from tests.platform_server import Listening, listening

CLUSTERS = 50
MEBIBYTE = 1 << 20


def test_all_of_it_is_there_again_after_the_process_has_gone(tmp_path: Path) -> None:
    """Objects, kinds and versions are kept, and a watch continues from where it was."""
    with servers.emulated(tmp_path) as api:
        admin = api.client()
        widgets = define(admin, "kept.example.com", "default")
        seen = admin.get(widgets.path).json()["metadata"]["resourceVersion"]
        made = admin.post(widgets.path, json=widgets.widget("w", size=1)).json()
    with servers.emulated(tmp_path) as api:
        admin = api.client()
        assert admin.get(f"{widgets.path}/w").json() == made
        query = {"watch": "1", "resourceVersion": seen, "timeoutSeconds": "1"}
        event = json.loads(admin.get(widgets.path, params=query).text)
        assert (event["type"], event["object"]) == ("ADDED", made)


@pytest.mark.parametrize(
    "path",
    ["/api/v1/namespaces/default/replicationcontrollers", "/apis/batch/v1/namespaces/default/others/x"],
)
def test_a_kind_that_is_not_served_is_not_found(emulated_api: EmulatedApi, path: str) -> None:
    """As a real server answers for a kind that it does not know."""
    answer = emulated_api.client().get(path)
    assert answer.json() == failure(404, "NotFound", "the server could not find the requested resource", details={})


def test_each_connection_is_to_one_of_the_masters(tmp_path: Path) -> None:
    """`/api` says which, as the servers of a real cluster do behind their load balancer."""
    masters = {"10.0.0.4:6443", "10.0.0.5:6443", "10.0.0.6:6443"}
    with servers.emulated(tmp_path) as api:
        for address in masters:
            host, _ = address.split(":")
            metadata = {"name": f"m{host}", "labels": {"node-role.kubernetes.io/master": ""}}
            status = {"addresses": [{"type": "Hostname", "address": "m"}, {"type": "InternalIP", "address": host}]}
            api.put({"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status})
        certificate, found = api.client_certificate("admin", "system:masters"), set()
        for _ in range(40):
            with api.client_with(certificate) as client:
                (shown,) = client.get("/api").json()["serverAddressByClientCIDRs"]
                found.add(shown["serverAddress"])
    assert found == masters


def test_faults_and_journal_know_every_call(emulated_api: EmulatedApi) -> None:
    """Faults and the journal name a call by verb and kind; an injected error is a Status."""
    admin = emulated_api.client()
    emulated_api.platform.faults.add(Fault(service="kubernetes", operation="LIST nodes", status_code=503))
    refused = admin.get("/api/v1/nodes")
    assert (refused.status_code, refused.json()["kind"], refused.json()["reason"]) == (
        503,
        "Status",
        "ServiceUnavailable",
    )
    assert admin.get("/api/v1/nodes").status_code == 200
    emulated_api.platform.faults.add(Fault(service="kubernetes", operation="GET nodes/status", kind="reset"))
    with pytest.raises(httpx.TransportError):
        admin.get("/api/v1/nodes/n/status")
    admin.get("/apis/apps/v1/namespaces/default/deployments/x")
    entry = list(emulated_api.platform.journal.entries(service="kubernetes"))[-1]
    assert (entry.operation, entry.status, entry.caller) == ("GET deployments.apps", 404, "admin")


def test_the_certificate_is_chosen_by_the_name_that_is_asked_for(emulated_api: EmulatedApi) -> None:
    """An unknown name gets the first certificate."""
    port = httpx.URL(emulated_api.url).port
    context = ssl.create_default_context(cafile=str(emulated_api.authority.certificate_path))
    context.check_hostname = False
    shown = {}
    for name in ("localhost", "api.example.com", "other.example.com"):
        with (
            socket.create_connection(("localhost", port or 0)) as plain,
            context.wrap_socket(plain, server_hostname=name) as encrypted,
        ):
            certificate = encrypted.getpeercert() or {}
            shown[name] = dict(entry[0] for entry in certificate["subject"])["commonName"]  # type: ignore[misc]  # the stubs lack subjects
    assert shown == {
        "localhost": "localhost",
        "api.example.com": "api.example.com",
        "other.example.com": "localhost",
    }


def test_writes_in_the_process_are_seen_by_watches(emulated_api: EmulatedApi) -> None:
    """Operators in the same process and clients on the wire share the objects."""
    admin = emulated_api.client()
    version = admin.get("/api/v1/nodes").json()["metadata"]["resourceVersion"]
    with admin.stream("GET", "/api/v1/nodes", params={"watch": "1", "resourceVersion": version}) as answer:
        emulated_api.put({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "in-process"}})
        event = json.loads(next(answer.iter_lines()))
    assert (event["type"], event["object"]["metadata"]["name"]) == ("ADDED", "in-process")


def test_a_connection_that_is_still_in_its_handshake_is_cut_with_the_others(tmp_path: Path) -> None:
    """Otherwise a machine that was switched off would go on answering that one caller."""
    with servers.emulated(tmp_path) as api:
        context = ssl.create_default_context(cafile=str(api.authority.certificate_path))
        received, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = context.wrap_bio(received, sent, server_hostname="localhost")
        with socket.create_connection(("localhost", httpx.URL(api.url).port or 0), timeout=60) as plain:
            with pytest.raises(ssl.SSLWantReadError):
                tls.do_handshake()
            plain.sendall(sent.read())
            received.write(plain.recv(1 << 16))
            api.local.run(api.server.stop())
            tls.do_handshake()
            tls.write(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            plain.sendall(sent.read())
            with suppress(ConnectionResetError):
                while more := plain.recv(1 << 16):
                    received.write(more)
        with pytest.raises(ssl.SSLWantReadError):
            tls.read()


def _stop(local: Listening, cluster: ApiServer) -> None:
    local.run(cluster.stop())


async def _waiting() -> int:
    """Return the number of tasks and timers in the event loop."""
    loop: Any = asyncio.get_running_loop()
    return len(asyncio.all_tasks()) + sum(not timer.cancelled() for timer in loop._scheduled)


def test_fifty_clusters_cost_little_memory_and_nothing_when_idle(tmp_path: Path) -> None:
    """All clusters listen in one process; what is counted is what they add to it once every caller has gone."""
    process = psutil.Process()
    authority = CertificateAuthority(tmp_path / "users")
    serving = servers.serving(authority)
    platform = Platform(tmp_path / "state", clock=Clock(), world=World())
    with listening(platform) as local, ExitStack() as stack:
        before, waiting = process.memory_info().rss, local.run(_waiting())
        clusters = [ApiServer(platform, f"cluster-{number}") for number in range(CLUSTERS)]
        ports = [local.run(cluster.listen(serving)) for cluster in clusters]
        apis = [servers.Api(f"https://localhost:{port}", authority, tmp_path / "users") for port in ports]
        for cluster in clusters:
            stack.callback(_stop, local, cluster)
        certificate = apis[0].client_certificate("admin", "system:masters")
        for api in apis:
            with api.client_with(certificate) as client:
                client.get("/readyz").raise_for_status()
                client.get("/api/v1/namespaces/default").raise_for_status()
        added = (process.memory_info().rss - before) / MEBIBYTE
        assert added < 100
        wait_for(lambda: local.run(_waiting()) <= waiting, "an idle event loop")


def test_the_file_of_a_service_can_replace_it(emulated_api: EmulatedApi) -> None:
    """It lacks the address and the node ports that the cluster gave; the server of the contract tests is too old."""
    admin, path = emulated_api.client(), "/api/v1/namespaces/default/services"
    ports = [{"name": "a", "port": 80}, {"name": "b", "port": 81}]
    body: dict[str, Any] = {"metadata": {"name": "replaced"}, "spec": {"type": "NodePort", "ports": ports}}
    made = admin.post(path, json=body).raise_for_status().json()["spec"]
    body["spec"]["ports"] = [{"name": "b", "port": 91}, {"name": "c", "port": 92}]
    replaced = admin.put(f"{path}/replaced", json=body).raise_for_status().json()["spec"]
    assert (replaced["clusterIP"], replaced["clusterIPs"]) == (made["clusterIP"], made["clusterIPs"])
    assert replaced["ports"][0]["nodePort"] == made["ports"][1]["nodePort"]
    assert replaced["ports"][1]["nodePort"] != made["ports"][1]["nodePort"]
    admin.delete(f"{path}/replaced").raise_for_status()
