"""Injected faults, wrong credentials, restarts and other kinds of installation."""

from collections.abc import Callable
from pathlib import Path

import pytest

from emulator.core.faults import Fault
from tests import bootstrap_ignition
from tests.emulator.integration.blobs.conftest import Azurite
from tests.emulator.integration.openshift.stage import Site, running
from tests.emulator.integration.openshift.test_clusters import (
    api,
    cluster_version,
    conditions,
    core_api,
    custom_api,
    is_complete,
    machines,
)
from tests.emulator.integration.openshift.test_mistakes import wait_for_line
from tests.local_azure import wait_for

MakeSite = Callable[..., Site]


def inject(site: Site, operation: str, message: str) -> None:
    """Add a fault of the `machines` service.

    Args:
        site: the cluster.
        operation: regular expression for the operation that fails, such as `join .*`.
        message: message that the symptom shows.
    """
    site.platform.faults.add(Fault(service="machines", operation=operation, message=message))


def test_an_operator_with_a_fault_never_becomes_available(make_site: MakeSite) -> None:
    """The operator stays degraded, and the ClusterVersion reports that it is failing."""
    site = make_site()
    inject(site, "operator openshift-samples", "no route to the registry")
    site.boot()
    with api(site) as made:
        wait_for(lambda: is_complete(made), "the end of bootstrapping")
        custom = custom_api(made)

        def samples() -> dict[str, str]:
            return conditions(
                custom.get_cluster_custom_object("config.openshift.io", "v1", "clusteroperators", "openshift-samples")
            )

        wait_for(lambda: samples().get("Degraded") == "True", "a degraded operator")
        assert samples()["Available"] == "False"
        wait_for(lambda: cluster_version(made).get("Failing") == "True", "the cluster's version")


@pytest.mark.parametrize(
    ("operation", "line"), [("boot {}", "Kernel panic - not syncing: bad disk"), ("join {}", "Kubelet: bad disk")]
)
def test_a_master_with_a_fault_never_joins(make_site: MakeSite, operation: str, line: str) -> None:
    """The master's serial log shows the fault's message."""
    site = make_site()
    name = f"{site.infra_id}-master-0"
    inject(site, operation.format(name), "bad disk")

    site.boot(masters=1)

    wait_for_line(site, name, line)


def test_workers_need_credentials_that_are_right(make_site: MakeSite) -> None:
    """The directory's error appears in the Machine's status."""
    site = make_site()
    tenant, client_id, _ = site.cluster.credentials
    site.cluster = type(site.cluster)(
        site.domain,
        site.infra_id,
        site.cluster.subscription_id,
        site.group,
        network_group=site.customer_group,
        credentials=(tenant, client_id, "wrong"),
    )
    site.boot()
    with api(site) as made:
        wait_for(lambda: is_complete(made), "the end of bootstrapping")

        def failed() -> list[str]:
            return [
                one["status"]["errorMessage"]
                for one in machines(made).values()
                if (one.get("status") or {}).get("phase") == "Failed"
            ]

        wait_for(lambda: len(failed()) == 2, "failed Machines")
        assert all("AADSTS7000215" in message for message in failed())


@pytest.mark.parametrize("internal", [True, False], ids=["with its object", "with the install-config alone"])
def test_a_router_gets_an_address_of_the_network_by_its_object_alone(make_site: MakeSite, *, internal: bool) -> None:
    """The IngressController makes the load balancer internal; its operator does not read the install-config."""
    site = make_site(internal=True)
    if not internal:
        del site.cluster.files[bootstrap_ignition.INGRESS_CONTROLLER]
    site.boot()
    with api(site) as made:
        wait_for(lambda: is_complete(made), "the end of bootstrapping")
        wait_for(lambda: cluster_version(made).get("Available") == "True", "the cluster's version")

        service = core_api(made).read_namespaced_service("router-default", "openshift-ingress")
        assert service.status.load_balancer.ingress[0].ip.startswith("10.0.2.") == internal
        found = site.get(f"Microsoft.Network/loadBalancers/{site.infra_id}-internal")
        assert (found is not None) == internal
        assert found is None or len(found["properties"]["loadBalancingRules"]) == 2


def test_releases_to_4_3_form_etcd_on_the_masters_first(make_site: MakeSite) -> None:
    """The masters find each other through the records of the private zone."""
    image = {"publisher": "azureopenshift", "offer": "aro4", "sku": "aro_43", "version": "43.81.20200311"}
    site = make_site(version="2.2.0", image=image)
    path = "openshift/openshift-install-manifests.yaml"
    site.cluster.files[path] = site.cluster.files[path].replace("4.19.24", "4.3.18")
    site.boot()
    wait_for_line(site, f"{site.infra_id}-master-0", r"error looking up SRV record _etcd-server-ssl._tcp")

    zone = f"Microsoft.Network/privateDnsZones/{site.domain}"
    records = [
        {"priority": 10, "weight": 10, "port": 2380, "target": f"etcd-{number}.{site.domain}"} for number in range(3)
    ]
    site.put(f"{zone}/SRV/_etcd-server-ssl._tcp", {"properties": {"ttl": 60, "srvRecords": records}}, "2018-09-01")
    for number in range(3):
        nic = site.get(f"Microsoft.Network/networkInterfaces/{site.infra_id}-master-{number}-nic") or {}
        address = nic["properties"]["ipConfigurations"][0]["properties"]["privateIPAddress"]
        site.put_record(f"etcd-{number}", address)

    with api(site) as made:
        wait_for(lambda: is_complete(made), "the end of bootstrapping")


@pytest.mark.parametrize("pattern", ["attempt #2", "Rendering the machine", "Waiting for pods"])
def test_a_cluster_goes_on_after_a_restart(tmp_path: Path, pattern: str) -> None:
    """Installation continues from wherever it was, and the API answers again."""
    azurite = Azurite(tmp_path / "azurite")
    folder = tmp_path / "state"
    with running(folder, azurite) as local:
        azurite.start(local.platform)
        site = Site(local, "c1.eastus.aroapp.io")
        site.deploy_network()
        site.boot()
        wait_for_line(site, f"{site.infra_id}-master-0" if "attempt" in pattern else site.bootstrap_name, pattern)
    try:
        with running(folder, azurite) as local:
            site.local = local
            with api(site) as made:
                wait_for(lambda: is_complete(made), "the end of bootstrapping")
                wait_for(lambda: cluster_version(made).get("Available") == "True", "the cluster's version")
    finally:
        azurite.kill()
