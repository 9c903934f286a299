"""The files of the graph, beyond what the facts say of them."""

import itertools
import json

import bcrypt
import pytest
import yaml
from kubernetes.config.kube_config import KubeConfigLoader

from shared.installer import assets, install_config, kubeconfigs
from shared.installer.certificates import BOOT_FILES
from tests.unit.installer import example
from tests.unit.installer.comparisons import boot_files, decoded, document


def test_kubernetes_own_client_reads_every_kubeconfig() -> None:
    """With one context in each."""
    for row in kubeconfigs.KUBECONFIGS:
        (context,) = KubeConfigLoader(document(row.path)).list_contexts()  # type: ignore[no-untyped-call] # no types
        assert context["name"] == row.user


def test_the_cluster_holds_the_hash_of_the_password() -> None:
    """In the form that OpenShift's OAuth server reads."""
    hashed = decoded(document("openshift/99_kubeadmin-password-secret.yaml")["data"]["kubeadmin"])
    assert bcrypt.checkpw(example.made().file("auth/kubeadmin-password").encode(), hashed.encode())


def test_keys_that_sign_for_ever_stay_out_of_the_bootstrap_machine() -> None:
    """Root, and the signers of administrators and of new nodes."""
    for file in ("root-ca", "admin-kubeconfig-signer", "kubelet-bootstrap-kubeconfig-signer"):
        assert f"tls/{file}.key" not in BOOT_FILES
    assert not any("aro-service" in path or "user-admin" in path for path in boot_files())


@pytest.mark.parametrize(
    ("count", "zones", "replicas"),
    [(3, ["1", "2", "3"], [1, 1, 1]), (5, ["1", "2", "3"], [2, 2, 1]), (4, [], [4])],
    ids=["even", "the first sets take the rest", "no zones, one set"],
)
def test_workers_are_spread_over_the_zones(count: int, zones: list[str], replicas: list[int]) -> None:
    """One machine set a zone, named after region and zone."""
    workers = [example.CLUSTER["properties"]["workerProfiles"][0] | {"count": count}]
    made = example.remade(example.given(example.cluster(zones=zones, workerProfiles=workers)))
    prefix = "openshift/99_openshift-cluster-api_worker-machineset"
    sets = [yaml.safe_load(text) for text in made.contents[prefix].values()]
    assert [one["spec"]["replicas"] for one in sets] == replicas
    assert [one["metadata"]["name"] for one in sets] == [f"cluster-shf9t-worker-eastus{zone}" for zone in zones or [""]]


def test_a_private_ingress_is_published_internally() -> None:
    """The router then gets an address of the workers' subnet."""
    made = example.given(example.cluster(ingressProfiles=[{"visibility": "Private"}]))
    assert made["install-config"]["publish"] == "Internal"


def test_disk_encryption_reaches_the_machines() -> None:
    """The set of the masters and that of the workers, and encryption at the host."""
    encryption_set = (
        f"/subscriptions/{example.SUBSCRIPTION}/resourceGroups/g/providers/Microsoft.Compute/diskEncryptionSets/d"
    )
    more = {"diskEncryptionSetId": encryption_set, "encryptionAtHost": "Enabled"}
    masters = example.CLUSTER["properties"]["masterProfile"] | more
    made = example.remade(example.given(example.cluster(masterProfile=masters)))
    machine = yaml.safe_load(made.file("openshift/99_openshift-cluster-api_master-machines-0.yaml"))
    spec = machine["spec"]["providerSpec"]["value"]
    assert spec["osDisk"]["managedDisk"]["diskEncryptionSet"] == {"id": encryption_set}
    assert spec["securityProfile"] == {"encryptionAtHost": True}


def test_validated_cryptography_reaches_every_machine_when_asked_for() -> None:
    """Install-config and a MachineConfig for each role; without it there is neither."""
    profile = example.CLUSTER["properties"]["clusterProfile"] | {"fipsValidatedModules": "Enabled"}
    made = example.remade(example.given(example.cluster(clusterProfile=profile)))
    assert made.contents["install-config"]["fips"] is True
    for role in ("master", "worker"):
        path = f"openshift/99_openshift-machineconfig_99-{role}-fips.yaml"
        assert yaml.safe_load(made.file(path))["spec"]["fips"] is True
        with pytest.raises(KeyError):
            example.made().file(path)


def test_a_newer_release_gets_the_api_versions_that_it_serves() -> None:
    """Kubernetes 1.22 took the beta ones away, and OpenShift 4.15 OpenShiftSDN."""
    made = example.remade(example.given(version="4.19.24", spec="3.2.0"))
    role = yaml.safe_load(made.file("openshift/99_role-cloud-creds-secret-reader.yaml"))
    definition = yaml.safe_load(made.file("manifests/cluster-network-01-crd.yml"))
    assert role["apiVersion"] == "rbac.authorization.k8s.io/v1"
    assert definition["apiVersion"] == "apiextensions.k8s.io/v1"
    assert made.contents["install-config"]["networking"]["networkType"] == "OVNKubernetes"


def test_the_pull_secret_has_both_registries_and_no_telemetry() -> None:
    """The service's credential wins over the customer's for its own registry."""
    customers = {"auths": {name: {"auth": "x"} for name in ("quay.io", "cloud.openshift.com", "arosvc.azurecr.io")}}
    merged = json.loads(install_config.pull_secret(json.dumps(customers), {"arosvc.azurecr.io": "token-1:p"}))
    assert merged["auths"] == {"quay.io": {"auth": "x"}, "arosvc.azurecr.io": {"auth": "dG9rZW4tMTpw"}}


@pytest.mark.parametrize("nothing", ["", "{}", '{"auths": null}', "null"])
def test_a_cluster_without_a_pull_secret_has_the_services_registry_alone(nothing: str) -> None:
    """Then it has no samples and no operator catalogue, and installs all the same."""
    assert list(json.loads(install_config.pull_secret(nothing, {"r.io": "u:p"}))["auths"]) == ["r.io"]


def test_every_file_is_found_by_its_asset_and_by_no_other() -> None:
    """So that a newcomer who looks for a file ends at one place."""
    for name, content in example.made().contents.items():
        if name not in {asset.name for asset in assets.GIVEN}:
            assert {assets.asset_of(path).name for path in content} <= {name}
    patterns = list(itertools.chain.from_iterable(asset.files for asset in assets.ASSETS.values()))
    assert len(patterns) == len(set(patterns))
