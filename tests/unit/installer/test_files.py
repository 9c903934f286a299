"""The files of the graph, compared with the facts section by section."""

import base64
import itertools
import json
import re
from typing import Any

import bcrypt
import pytest
import yaml
from cryptography import x509
from kubernetes.config.kube_config import KubeConfigLoader

from shared.installer import assets, install_config
from shared.installer.certificates import BOOT_FILES
from tests.unit.installer import example, facts
from tests.unit.installer.facts import section

ROOT = "/opt/openshift/"


def document(path: str) -> Any:
    """Return a file of the example as the object that it is."""
    return yaml.safe_load(example.made().file(path))


def decoded(text: str) -> str:
    """Return a value of a Secret."""
    return base64.b64decode(text).decode()


@facts.present
@pytest.mark.parametrize("fact", section("manifests"), ids=lambda fact: fact["file"])
def test_every_manifest_is_as_the_facts_have_it(fact: dict[str, Any]) -> None:
    """API version, kind, name, namespace, labels, annotations, and whatever else the facts say of it."""
    found = document(f"{fact['dir']}/{fact['file']}")
    metadata = found["metadata"]
    said = {
        "apiVersion": found["apiVersion"],
        "kind": found["kind"],
        "name": metadata["name"],
        "namespace": metadata.get("namespace"),
        "labels": metadata.get("labels"),
        "annotations": metadata.get("annotations"),
        "spec": found.get("spec"),
        "status": found.get("status"),
        "secret_type": found.get("type"),
        "data_keys": sorted(found.get("data", {})),
        "top_keys": sorted(found),
    }
    compared = said.keys() & fact.keys()
    assert {name: said[name] for name in compared} == {name: fact[name] for name in compared}


@facts.present
def test_no_object_is_made_that_the_facts_do_not_know() -> None:
    """Each file in the two folders is applied to the cluster, so one too many is a mistake too."""
    known = {f"{fact['dir']}/{fact['file']}" for fact in section("manifests")}
    ours = {path for content in example.made().contents.values() for path in content if "/" in path}
    assert {path for path in ours if path.startswith(("manifests/", "openshift/"))} == known


@facts.present
@pytest.mark.parametrize("fact", section("machines"), ids=lambda fact: fact["name"])
def test_every_machine_is_as_the_facts_have_it(fact: dict[str, Any]) -> None:
    """Name, labels, selector, replicas, and the provider's whole specification."""
    found = document(fact["file"].removeprefix(ROOT))
    spec = found["spec"]
    template = spec.get("template", found)
    assert found["metadata"]["name"] == fact["name"]
    assert found["metadata"]["labels"] == fact["labels"]
    assert sorted(spec) == fact["spec_keys"]
    assert template["spec"]["providerSpec"]["value"] == fact["providerSpec"]
    assert found["status"] == fact["status"]
    if found["kind"] == "MachineSet":
        assert spec["replicas"] == fact["replicas"]
        assert spec["selector"] == fact["selector"]
        assert template["metadata"]["labels"] == fact["template_labels"]


@facts.present
@pytest.mark.parametrize("fact", section("kubeconfigs"), ids=lambda fact: fact["path"])
def test_every_kubeconfig_is_as_the_facts_have_it(fact: dict[str, Any]) -> None:
    """Names, server, how many certificates it trusts; and Kubernetes' own client reads it."""
    external = fact["path"].startswith("kubeconfig.AdminClient/")
    path = re.sub(r"^[^/]*?:?(?:/opt/openshift)?/(?=auth/)", "", fact["path"].replace("ARO-service-kubeconfig", ""))
    found = document("auth/external/kubeconfig" if external else path)
    assert sorted(found) == fact["top_keys"]
    assert found["current-context"] == fact["current_context"]
    cluster, said = found["clusters"][0], fact["clusters"][0]
    assert (cluster["name"], cluster["cluster"]["server"]) == (said["name"], said["server"])
    assert sorted(cluster["cluster"]) == said["fields"]
    bundle = base64.b64decode(cluster["cluster"]["certificate-authority-data"])
    assert len(x509.load_pem_x509_certificates(bundle)) == said["n_ca_certs"]
    assert found["contexts"][0] == {
        "name": fact["contexts"][0]["name"],
        "context": {"cluster": fact["contexts"][0]["cluster"], "user": fact["contexts"][0]["user"]},
    }
    assert found["users"][0]["name"] == fact["users"][0]["name"]
    assert sorted(found["users"][0]["user"]) == fact["users"][0]["fields"]
    KubeConfigLoader(found).list_contexts()  # type: ignore[no-untyped-call] # the package has no types


@facts.present
def test_the_install_config_is_as_the_facts_have_it() -> None:
    """In the cluster it has no pull secret; the SSH key is the one that was given."""
    wanted = facts.facts()["install_config"]["value"]
    found = yaml.safe_load(document("manifests/cluster-config.yaml")["data"]["install-config"])
    assert found == wanted | {"sshKey": example.SSH_KEY}


@facts.present
def test_the_cloud_provider_is_told_what_the_facts_say() -> None:
    """The settings, indented with tabs; the principal's secret apart from them."""
    config = document("manifests/cloud-provider-config.yaml")["data"]["config"]
    assert json.loads(config) == facts.facts()["cloud_provider_config"]["value"]
    assert config.startswith('{\n\t"cloud"')
    held = yaml.safe_load(decoded(document("manifests/aro-cloud-provider-secret.yaml")["data"]["cloud-config"]))
    assert sorted(held) == facts.facts()["aro_cloud_provider_secret"]["inner_keys"]["cloud-config"]


@facts.present
@pytest.mark.parametrize("fact", section("machineconfigs"), ids=lambda fact: fact["name"])
def test_every_machine_config_is_as_the_facts_have_it(fact: dict[str, Any]) -> None:
    """Who may log in to machines that joined."""
    found = document(fact["file"].removeprefix(f"bootstrap.ign:{ROOT}"))
    assert found["metadata"]["labels"] == fact["labels"]
    assert sorted(found["spec"]) == fact["spec_keys"]
    assert (found["spec"]["fips"], found["spec"]["osImageURL"], found["spec"]["kernelArguments"]) == (False, "", None)
    assert found["spec"]["config"]["ignition"]["version"] == fact["ignition_version"]
    assert [user["name"] for user in found["spec"]["config"]["passwd"]["users"]] == fact["users"]


@facts.present
@pytest.mark.parametrize("fact", section("user_data_secrets"), ids=lambda fact: fact["name"])
def test_user_data_are_the_pointers(fact: dict[str, Any]) -> None:
    """What a machine made later begins with is what the masters began with."""
    data = document(fact["file"].removeprefix(f"bootstrap.ign:{ROOT}"))["data"]
    role = fact["name"].partition("-")[0]
    assert decoded(data["userData"]) == example.made().file(f"{role}.ign")
    assert decoded(data["disableTemplating"]) == fact["disableTemplating"]


@facts.present
def test_metadata_and_password_are_as_the_facts_have_them() -> None:
    """The cluster holds the password's hash."""
    assert json.loads(example.made().file("metadata.json")) == facts.facts()["metadata_json"]
    password = example.made().file("auth/kubeadmin-password")
    assert len(password) == facts.facts()["kubeadmin_password"]["length"]
    assert re.fullmatch(r"[^-\s]{5}(-[^-\s]{5}){3}", password)
    hashed = decoded(document("openshift/99_kubeadmin-password-secret.yaml")["data"]["kubeadmin"])
    assert hashed.startswith(facts.facts()["kubeadmin_password"]["secret_hash_prefix"])
    assert bcrypt.checkpw(password.encode(), hashed.encode())


def boot_files() -> dict[str, dict[str, Any]]:
    """Return the files of the bootstrap ignition by path."""
    ignition = json.loads(example.made().file("bootstrap.ign"))
    return {file["path"]: file for file in ignition["storage"]["files"]}


@facts.present
def test_the_bootstrap_files_have_the_paths_and_modes_of_the_facts() -> None:
    """Scripts, units and the files round them are the next to come; nothing else is missing, and nothing is extra."""
    wanted = {file["path"]: file["mode"] for file in facts.facts()["ignition"]["bootstrap.ign"]["files"]}
    ours = {path: f"{file['mode']:04o}" for path, file in boot_files().items()}
    assert ours.items() <= wanted.items()
    assert all(path.startswith(("/usr/local/bin/", "/etc/")) for path in wanted.keys() - ours.keys())


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
