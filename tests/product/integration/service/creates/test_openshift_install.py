"""A version whose installer is `openshift-install`: another program makes the install graph of the cluster."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from azure.mgmt.compute import ComputeManagementClient
from kubernetes import client, config

from demo import customer, nodes
from emulator.run.provider.versions import VERSIONS
from tests import local_azure
from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.service.forbidden_changes import Inside
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import Cluster, prepare
from tools.openshift_install import archive

pytestmark = pytest.mark.slow(40)

VERSION = "4.19.25"
DIGEST = "5" * 64
FAILING = f"""#!/bin/sh
if [ "$1" = version ]; then echo "openshift-install {VERSION}"; exit 0; fi
cat "$HOME/.azure/osServicePrincipal.json"; echo
echo "level=fatal msg=the region has no such size"
exit 1
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Return the default path at which the product looks for the program."""
    return tmp_path / "openshift-install" / VERSION / DIGEST / "openshift-install"


@pytest.fixture
def platform(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalAzure]:
    """Give a local Azure that uses this test's temporary folder and offers a version with that installer."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    program.parent.mkdir(parents=True)
    with local_azure.running(tmp_path / "azure") as azure:
        yield azure


def _make_image(cluster: Cluster) -> str:
    """Make an image of the customer's own, in a gallery; return the id of its version."""
    gallery = f"{cluster.customer.group_id}/providers/Microsoft.Compute/galleries/images"
    image: Any = {
        "hyperVGeneration": "V2",
        "features": [{"name": "DiskControllerTypes", "value": "SCSI, NVMe"}],
        "identifier": {"publisher": "RedHat", "offer": "rhcos", "sku": "basic"},
        "osState": "Generalized",
        "osType": "Linux",
    }
    source = f"{cluster.customer.group_id}/providers/Microsoft.Compute/images/source"
    version = {"storageProfile": {"source": {"id": source}}}
    paths = {gallery: {}, f"{gallery}/images/rhcos": image, f"{gallery}/images/rhcos/versions/1.0.0": version}
    for path, properties in paths.items():
        address = f"{path}?api-version=2022-03-03"
        answer = cluster.send("PUT", address, {"location": "eastus", "properties": properties})
        assert answer.ok, answer.text
        _wait_for_resource(cluster, address)
    return path


def _wait_for_resource(cluster: Cluster, address: str) -> None:
    def is_made() -> bool:
        return bool(cluster.send("GET", address).json()["properties"]["provisioningState"] == "Succeeded")

    wait_for(is_made, address)


def _offer(azure: LocalAzure, image_id: str) -> None:
    """Add the version to the catalogue, as an operator would."""
    entry = next(dict(each) for each in VERSIONS if each["default"])
    entry |= {"id": VERSION, "version": VERSION, "default": False}
    entry |= {"installerDigest": f"sha256:{DIGEST}", "rhcosImage": {"id": image_id}}
    with taken(azure.state) as inventory:
        inventory.items("OpenShiftVersions").create(entry, VERSION)


def _wait_for_offer(cluster: Cluster) -> None:
    """Wait until the product has reloaded the catalogue."""
    place = f"providers/Microsoft.RedHatOpenShift/locations/{cluster.azure.endpoints['location']}"
    path = f"/subscriptions/{cluster.customer.subscription_id}/{place}/openShiftVersions/{VERSION}"
    wait_for(lambda: cluster.send("GET", path).ok, "the version in the catalogue")


def test_a_cluster_whose_graph_another_program_makes_is_like_any_other(
    platform: LocalAzure, program: Path, rng: random.Random, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program of another release is refused before anything is made; one that fails is named with its step.

    Once it works, the same request creates the cluster, whose machines boot the gallery's image of the entry.
    """
    cluster = prepare(platform, unique(rng))[0]
    image_id = _make_image(cluster)
    _offer(platform, image_id)
    _wait_for_offer(cluster)
    program.write_text(FAILING.replace(VERSION, "4.18.1"), encoding="ascii")
    program.chmod(0o755)
    body = cluster.body
    body["properties"]["clusterProfile"]["version"] = VERSION
    refused = cluster.fail(cluster.create(body))
    assert "Step 'validate_installer' failed" in refused["message"]
    assert f"is of version '4.18.1', and the catalogue wants '{VERSION}'" in refused["message"]
    with taken(platform.state) as inventory:
        assert inventory.groups(cluster.customer) == []

    program.write_text(FAILING, encoding="ascii")
    _expect_failure(cluster, cluster.fail(cluster.create(body)))

    # Confined, it reads no module of this repository, so it has them all in its file.
    program.write_bytes(archive.program(archive.modules(), VERSION))
    cluster.succeed(cluster.create(body))
    inside = Inside(cluster)
    machines = list(inside.client(ComputeManagementClient).virtual_machines.list(inside.group))
    assert {machine.storage_profile.image_reference.id for machine in machines} == {image_id}
    _expect_cluster(cluster, inside.infra_id, tmp_path / "kubeconfig", monkeypatch)
    cluster.succeed(cluster.delete())


def _expect_failure(cluster: Cluster, error: Any) -> None:
    """Check that the error names the step, the program and its last words, and contains no secret."""
    want = f"The installer of OpenShift {VERSION} failed at 'create manifests': it ended with code 1."
    assert error["message"] == f"Step 'ensure_graph' failed: {want}"
    said = [each["message"] for each in error["details"] if each["code"] == "InstallerSaid"]
    assert said[-1] == "level=fatal msg=the region has no such size"
    assert cluster.customer.principal["client_secret"] not in json.dumps(error)
    with taken(cluster.azure.state) as inventory:
        document = inventory.cluster(cluster.customer)
    assert document is not None
    assert "credentials" not in document["secrets"]


def _expect_cluster(cluster: Cluster, infra_id: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the cluster from inside, with the kubeconfig that the service returns."""
    monkeypatch.setenv("HTTPS_PROXY", cluster.azure.endpoints["proxy"])
    monkeypatch.setenv("NO_PROXY", "localhost,127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", cluster.azure.endpoints["ca_bundle"])
    nodes.write(customer.admin_kubeconfig(cluster.customer), path)
    names = [node.metadata.name for node in nodes.read(path)]
    assert len(names) >= 5
    assert all(name.startswith(f"{infra_id}-") for name in names)
    with config.new_client_from_config(str(path)) as connection:  # type: ignore[no-untyped-call]  # it has no types
        core = client.CoreV1Api(connection)
        invoker = core.read_namespaced_config_map("openshift-install-manifests", "openshift-config")
        assert invoker.data == {"invoker": "ARO", "version": VERSION}
        told = core.read_namespaced_config_map("cluster-config-v1", "kube-system").data or {}
        assert yaml.safe_load(told["install-config"])["pullSecret"] == ""
