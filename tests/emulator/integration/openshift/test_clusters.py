"""A cluster from its first download to its end, as the customer's network and the Kubernetes API show it."""

import datetime as dt
import ssl
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import yaml
from cryptography import x509
from kubernetes import client
from kubernetes.client.exceptions import ApiException
from kubernetes.config import new_client_from_config

from emulator.core.faults import Fault
from emulator.json_object import Json
from emulator.openshift.cluster.api_server_certificates import DEFAULT_SERVER
from tests import bootstrap_ignition
from tests.emulator.integration.openshift.stage import Site
from tests.local_azure import wait_for

MakeSite = Callable[..., Site]
MACHINE = ("machine.openshift.io", "v1beta1", "openshift-machine-api")


@contextmanager
def api(site: Site) -> Iterator[client.ApiClient]:
    """Return a client of the cluster's API at its public address, through the proxy."""
    document = yaml.safe_load(bootstrap_ignition.kubeconfig(f"https://{site.public_address}:6443"))
    document["clusters"][0]["cluster"]["tls-server-name"] = f"api.{site.domain}"
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump(document, file)
        file.flush()
        made: client.ApiClient = new_client_from_config(file.name)  # type: ignore[no-untyped-call]  # the package is untyped
    made.configuration.proxy = site.local.proxy
    made.rest_client = type(made.rest_client)(made.configuration)
    with made:
        yield made


def core_api(made: client.ApiClient) -> Any:
    """Return the core API, untyped: a cluster's objects have members that the types say may be missing."""
    return client.CoreV1Api(made)


def custom_api(made: client.ApiClient) -> Any:
    """Return the API of custom kinds."""
    return client.CustomObjectsApi(made)


def is_complete(made: client.ApiClient) -> bool:
    """Tell whether the bootstrap machine has done its work."""
    try:
        found = core_api(made).read_namespaced_config_map("bootstrap", "kube-system", _request_timeout=60)
    except Exception:  # noqa: BLE001 - not complete yet, whatever the reason
        return False
    return bool(found.data == {"status": "complete"})


def conditions(obj: Json | None) -> dict[str, str]:
    """Return the conditions of an object."""
    return {one["type"]: one["status"] for one in ((obj or {}).get("status") or {}).get("conditions") or ()}


def cluster_version(made: client.ApiClient) -> dict[str, str]:
    """Return the conditions of the ClusterVersion."""
    found = custom_api(made).list_cluster_custom_object("config.openshift.io", "v1", "clusterversions")
    return conditions(next(iter(found["items"]), None))


def machines(made: client.ApiClient) -> dict[str, Json]:
    """Return the workers' Machines by name."""
    label = "machine.openshift.io/cluster-api-machine-role=worker"
    found = custom_api(made).list_namespaced_custom_object(*MACHINE, "machines", label_selector=label)
    return {one["metadata"]["name"]: one for one in found["items"]}


def scale(made: client.ApiClient, site: Site, replicas: int) -> None:
    """Set the number of workers that the first MachineSet wants.

    Args:
        made: client of the cluster's API.
        site: the cluster.
        replicas: number of workers.
    """
    custom_api(made).patch_namespaced_custom_object(
        *MACHINE, "machinesets", f"{site.infra_id}-worker-eastus1", {"spec": {"replicas": replicas}}
    )


@pytest.fixture
def complete(make_site: MakeSite) -> Iterator[tuple[Site, client.ApiClient]]:
    """Yield a cluster whose control plane no longer needs its bootstrap machine, and a client of its API."""
    site = make_site()
    site.boot()
    with api(site) as made:
        wait_for(lambda: is_complete(made), "the end of bootstrapping")
        yield site, made


def test_a_cluster_comes_up_from_what_its_ignition_holds(complete: tuple[Site, client.ApiClient]) -> None:
    """Masters and workers become ready nodes, every operator is available, and the router has a public address."""
    site, made = complete

    wait_for(lambda: cluster_version(made).get("Available") == "True", "the cluster's version")

    nodes = core_api(made).list_node().items
    ready = [node for node in nodes for one in node.status.conditions if (one.type, one.status) == ("Ready", "True")]
    assert len(ready) == 5
    operators = custom_api(made).list_cluster_custom_object("config.openshift.io", "v1", "clusteroperators")
    shown = {one["metadata"]["name"]: conditions(one) for one in operators["items"]}
    assert len(shown) >= 30
    wanted = {"Available": "True", "Progressing": "False", "Degraded": "False", "Upgradeable": "True"}
    assert [name for name, one in shown.items() if one != wanted] == []
    version = custom_api(made).get_cluster_custom_object("config.openshift.io", "v1", "clusterversions", "version")
    times = [version["status"]["history"][0][name] for name in ("startedTime", "completionTime")]
    assert [len(time) for time in times] == [len("2026-01-01T00:00:00Z")] * 2
    service = core_api(made).read_namespaced_service("router-default", "openshift-ingress")
    assert service.metadata.labels == {
        "app": "router",
        "router": "router-default",
        "ingresscontroller.operator.openshift.io/owning-ingresscontroller": "default",
    }
    address = service.status.load_balancer.ingress[0].ip
    record = site.get(f"Microsoft.Network/privateDnsZones/{site.domain}/A/*.apps")
    assert record is not None
    assert record["properties"]["aRecords"] == [{"ipv4Address": address}]
    assert address.startswith("127.")


def test_the_api_renews_the_certificates_of_the_installer(complete: tuple[Site, client.ApiClient]) -> None:
    """The installer's certificates live one day; clients that trust their signers need no change."""
    site, made = complete
    master = site.id(site.vm(f"{site.infra_id}-master-0"))

    def days() -> int:
        port = wait_for(lambda: site.guests.listener(master, 6443), "the API on the master")
        certificate = x509.load_pem_x509_certificate(ssl.get_server_certificate(("127.0.0.1", port)).encode())
        return (certificate.not_valid_after_utc - dt.datetime.now(dt.UTC)).days

    installers = x509.load_pem_x509_certificate(site.cluster.files[f"tls/{DEFAULT_SERVER}.crt"].encode())
    assert installers.not_valid_after_utc < dt.datetime.now(dt.UTC) + dt.timedelta(days=1)

    wait_for(lambda: days() > 1, "a renewed certificate")

    assert _answers(core_api(made))


def test_the_api_stays_when_the_bootstrap_machine_goes_after_its_work(complete: tuple[Site, client.ApiClient]) -> None:
    """Once bootstrapping is complete, the control plane runs on the masters."""
    site, made = complete

    site.delete(site.vm(site.bootstrap_name))

    assert len(core_api(made).list_node().items) >= 3


def test_a_cluster_breaks_when_its_bootstrap_machine_goes_before_its_work_is_done(make_site: MakeSite) -> None:
    """The API goes away for good, and no master joins, however slowly the machine is deleted."""
    site = make_site()
    site.platform.faults.add(Fault(service="machines", operation="join .*", count=3))
    site.boot()
    with api(site) as made:
        core = core_api(made)
        wait_for(lambda: _answers(core), "the temporary control plane")
        master = site.id(site.vm(f"{site.infra_id}-master-0"))
        # Without its config from the bootstrap machine it would try for an hour.
        wait_for(lambda: "GET result: OK" in site.guests.serial_log(master), "the master's config")

        site.delete(site.vm(site.bootstrap_name))

        assert not _answers(core)
        wait_for(lambda: site.guests.provisioning(master) == "done", "the master's agent")
        assert site.guests.listener(master, 6443) is None


@pytest.mark.parametrize("count", [2, 3])
def test_the_api_goes_when_etcd_loses_its_quorum(complete: tuple[Site, client.ApiClient], count: int) -> None:
    """Losing one of three masters leaves the API up; losing two or all takes it down."""
    site, made = complete
    core = core_api(made)
    site.delete(site.vm(f"{site.infra_id}-master-0"))
    assert _answers(core)

    for number in range(1, count):
        site.delete(site.vm(f"{site.infra_id}-master-{number}"))

    assert not _answers(core)


def test_the_api_returns_with_the_power_of_its_masters(complete: tuple[Site, client.ApiClient]) -> None:
    """Masters that are switched off keep their disks, so the API is back once they have started."""
    site, made = complete
    core = core_api(made)
    masters = [site.id(site.vm(f"{site.infra_id}-master-{number}")) for number in range(3)]

    async def switch(action: str) -> None:
        for master in masters:
            await site.arm.action(site.owner, master, "2020-06-01", action, {})

    site.local.run(switch("powerOff"))
    assert not _answers(core)

    site.local.run(switch("start"))
    wait_for(lambda: _answers(core), "the API")


def test_worker_machines_follow_their_machine_set(complete: tuple[Site, client.ApiClient]) -> None:
    """More replicas create virtual machines; fewer delete them with their disks and interfaces."""
    site, made = complete
    wait_for(lambda: _running(made) == 2, "two workers")

    scale(made, site, 3)
    wait_for(lambda: _running(made) == 3, "three workers")
    assert len(_workers(site, "Microsoft.Compute/virtualMachines")) == 3

    scale(made, site, 1)
    wait_for(lambda: len(machines(made)) == 1, "one worker")
    for kind in ("Compute/virtualMachines", "Compute/disks", "Network/networkInterfaces"):
        assert len(_workers(site, f"Microsoft.{kind}")) == 1
    assert len([node for node in core_api(made).list_node().items if "worker" in node.metadata.name]) == 1


def test_an_operator_observes_what_a_client_changes(complete: tuple[Site, client.ApiClient]) -> None:
    """The generation goes up at once, the observed generation a moment later."""
    _, made = complete
    custom = custom_api(made)
    where = ("operator.openshift.io", "v1", "consoles", "cluster")
    wait_for(lambda: cluster_version(made).get("Available") == "True", "the cluster's version")

    changed = custom.patch_cluster_custom_object(*where, {"spec": {"customization": {"brand": "azure"}}})

    generation = changed["metadata"]["generation"]
    assert changed["status"]["observedGeneration"] == generation - 1
    wait_for(
        lambda: custom.get_cluster_custom_object(*where)["status"]["observedGeneration"] == generation, "the operator"
    )


def test_nothing_is_left_of_a_cluster_whose_machines_are_gone(complete: tuple[Site, client.ApiClient]) -> None:
    """A cluster's stored records and objects are deleted with the last machine of its control plane."""
    site, _ = complete
    cluster = _cluster_of(site)
    assert len(_kept(site, cluster)) > 100

    for name in (site.bootstrap_name, *(f"{site.infra_id}-master-{number}" for number in range(3))):
        site.delete(site.vm(name))

    wait_for(lambda: not _kept(site, cluster), "the cluster's end")


def _cluster_of(site: Site) -> str:
    records = site.platform.store.table("openshift_clusters").scan()
    return next(key for key, record in records if record["bootstrap"] == site.id(site.vm(site.bootstrap_name)))


def _kept(site: Site, cluster: str) -> list[str]:
    """Return the keys under which the store holds a cluster."""
    tables = ("openshift_clusters", "openshift_configs", "kubernetes_objects")
    store = site.platform.store
    return [key for table in tables for key, _ in store.table(table).scan(cluster)]


def _answers(core: Any) -> bool:
    try:
        core.list_namespace(limit=1, _request_timeout=60)
    except ApiException:
        return False
    except Exception:  # noqa: BLE001 - errors of urllib3 and ssl: no connection
        return False
    return True


def _running(made: client.ApiClient) -> int:
    return sum((one.get("status") or {}).get("phase") == "Running" for one in machines(made).values())


def _workers(site: Site, kind: str) -> list[str]:
    prefix = f"{site.scope}/resourceGroups/{site.group}/"
    return [found["name"] for found in site.arm.scan(prefix, kind) if "-worker-" in found["name"]]
