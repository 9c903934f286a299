"""The files of the graph, in addition to the facts."""

import itertools
import json
from functools import cache

import bcrypt
import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from kubernetes.config.kube_config import KubeConfigLoader

from installer import all_assets, pki
from installer.assets import kubeconfigs
from installer.assets.install_certificates import BOOT_FILES
from installer.config import install_config
from installer.graph import Graph
from installer.ignition import ignition_reader
from tests.product.unit.installer import example
from tests.product.unit.installer.facts.comparisons import ROOT, boot_files, decoded, document


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
    """One machine set per zone, named after region and zone."""
    workers = [example.CLUSTER["properties"]["workerProfiles"][0] | {"count": count}]
    made = example.remade(example.given(example.cluster(zones=zones, workerProfiles=workers)))
    prefix = "openshift/99_openshift-cluster-api_worker-machineset"
    sets = [yaml.safe_load(text) for text in made.contents[prefix].values()]
    assert [one["spec"]["replicas"] for one in sets] == replicas
    assert [one["metadata"]["name"] for one in sets] == [f"cluster-shf9t-worker-eastus{zone}" for zone in zones or [""]]


def test_a_private_ingress_is_published_internally() -> None:
    """The operator follows only its object, and makes a public router without one, so a public cluster has none."""
    made = example.remade(example.given(example.cluster(ingressProfiles=[{"visibility": "Private"}])))
    assert made.contents["install-config"]["publish"] == "Internal"
    path = "manifests/cluster-ingress-default-ingresscontroller.yaml"
    assert yaml.safe_load(made.file(path)) == {
        "apiVersion": "operator.openshift.io/v1",
        "kind": "IngressController",
        "metadata": {"name": "default", "namespace": "openshift-ingress-operator"},
        "spec": {"endpointPublishingStrategy": {"type": "LoadBalancerService", "loadBalancer": {"scope": "Internal"}}},
    }
    boots_from = {file["path"] for file in json.loads(made.file("bootstrap.ign"))["storage"]["files"]}
    assert boots_from - set(boot_files()) == {f"/opt/openshift/{path}"}


def test_workers_join_no_load_balancer_if_the_customers_routes_lead_outside() -> None:
    """The install-config says so; without it, workers join the load balancer that has the infra id as its name."""
    network = example.CLUSTER["properties"]["networkProfile"] | {"outboundType": "UserDefinedRouting"}
    routed = example.remade(example.given(example.cluster(networkProfile=network)))
    path = "openshift/99_openshift-cluster-api_worker-machineset-0.yaml"
    specs = [
        yaml.safe_load(made.file(path))["spec"]["template"]["spec"]["providerSpec"]["value"]
        for made in (routed, example.made())
    ]
    assert [spec.get("publicLoadBalancer") for spec in specs] == [None, "cluster-shf9t"]
    assert routed.contents["install-config"]["platform"]["azure"]["outboundType"] == "UserDefinedRouting"


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


def test_a_customers_authorities_are_believed_by_every_machine() -> None:
    """The bootstrap machine by its file, masters and workers by the object that their operator reads at this path.

    Text that people write between certificates is left out. The Proxy names no bundle, because there is no proxy.
    """
    first, second = (example.made().file(f"tls/{name}.crt") for name in ("root-ca", "etcd-signer"))
    bundle = f"first\n{first}\n# second\n{second}\n"
    known = example.given()
    known["install-config"]["additionalTrustBundle"] = bundle
    made = example.remade(known)
    assert made.file("/etc/pki/ca-trust/source/anchors/ca.crt") == bundle
    path = "manifests/user-ca-bundle-config.yaml"
    assert yaml.safe_load(made.file(path)) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "user-ca-bundle", "namespace": "openshift-config"},
        "data": {"ca-bundle.crt": first + second},
    }
    boots_from = {file["path"] for file in json.loads(made.file("bootstrap.ign"))["storage"]["files"]}
    assert boots_from - set(boot_files()) == {f"/opt/openshift/{path}"}
    proxy = yaml.safe_load(made.file("manifests/cluster-proxy-01-config.yaml"))
    assert proxy["spec"] == {"trustedCA": {"name": ""}}


@pytest.mark.parametrize(
    ("version", "spec", "files", "arguments"),
    [
        ("4.3.18", "2.2.0", ["ADD nosmt"], None),
        ("4.10.20", "3.2.0", ["ADD nosmt"], None),
        ("4.11.0", "3.2.0", [], ["nosmt"]),
    ],
)
@pytest.mark.parametrize("role", ["master", "worker"])
def test_machines_use_one_thread_of_a_core_when_asked_to(
    role: str, version: str, spec: str, files: list[str], arguments: list[str] | None
) -> None:
    """Only the role that asks for it: by a file that the first boot reads, later by a kernel argument."""
    known = example.given(version=version, spec=spec)
    config = known["install-config"]
    pool = config["controlPlane"] if role == "master" else config["compute"][0]
    pool["hyperthreading"] = "Disabled"
    made = example.remade(known)
    name = "openshift/99_openshift-machineconfig_99-{}-disable-hyperthreading.yaml"
    machine_config = yaml.safe_load(made.file(name.format(role)))
    assert machine_config["metadata"] == {
        "name": f"99-{role}-disable-hyperthreading",
        "labels": {"machineconfiguration.openshift.io/role": role},
    }
    carried = ignition_reader.parse(machine_config["spec"]["config"]).files
    assert [(file.path, file.text, file.mode) for file in carried] == [
        ("/etc/pivot/kernel-args", text, 0o600) for text in files
    ]
    assert machine_config["spec"]["kernelArguments"] == arguments
    with pytest.raises(KeyError):
        made.file(name.format({"master": "worker", "worker": "master"}[role]))


def test_a_newer_release_gets_the_api_versions_that_it_serves() -> None:
    """Kubernetes 1.22 removed the beta versions, and OpenShift 4.15 removed OpenShiftSDN."""
    made = example.remade(example.given(version="4.19.24", spec="3.2.0"))
    role = yaml.safe_load(made.file("openshift/99_role-cloud-creds-secret-reader.yaml"))
    definition = yaml.safe_load(made.file("manifests/cluster-network-01-crd.yml"))
    assert role["apiVersion"] == "rbac.authorization.k8s.io/v1"
    assert definition["apiVersion"] == "apiextensions.k8s.io/v1"
    assert made.contents["install-config"]["networking"]["networkType"] == "OVNKubernetes"


RELEASES = {"4.3": "A", "4.4": "T", "4.5": "T", "4.6": "B", "4.7": "B", "4.8": "C", "4.10": "C", "4.14": "C"}


@cache
def of_release(release: str) -> Graph:
    """Return the graph of a cluster of a minor release."""
    known = example.given(version=f"{release}.1", spec="2.2.0" if RELEASES[release] in "AT" else "3.2.0")
    known["release-image"]["flavour"] = RELEASES[release]
    return example.remade(known)


def have(file: str) -> list[str]:
    """Return the releases whose bootstrap machine has a file."""
    return [release for release in RELEASES if f"{ROOT}{file}" in paths(of_release(release))]


def paths(made: Graph) -> set[str]:
    """Return the paths in the bootstrap ignition."""
    return {file["path"] for file in json.loads(made.file("bootstrap.ign"))["storage"]["files"]}


@pytest.mark.parametrize(
    ("file", "want"),
    [
        ("manifests/etcd-host-service.yaml", ["4.3", "4.4", "4.5"]),
        ("manifests/etcd-host-service-endpoints.yaml", ["4.3", "4.4", "4.5"]),
        ("manifests/openshift-apiserver-namespace.yaml", ["4.3", "4.4"]),
        ("manifests/etcd-signer-secret.yaml", ["4.3", "4.4", "4.5", "4.6", "4.7"]),
        ("manifests/etcd-namespace.yaml", ["4.3", "4.4", "4.5", "4.6", "4.7"]),
        ("original_cvo_overrides.patch", ["4.10", "4.14"]),
        ("manifests/99_feature-gate.yaml", ["4.14"]),
        ("manifests/cvo-overrides.yaml", [*RELEASES]),
    ],
)
def test_a_release_has_the_manifests_that_nobody_else_makes_for_it(file: str, want: list[str]) -> None:
    """Objects that an operator of a later release writes itself would exist twice, and the wrong one might win."""
    assert have(file) == want


def test_the_hosts_of_etcd_leave_a_place_for_the_bootstrap_machine() -> None:
    """The machine may have a member, which its script finds out."""
    for release, want in (("4.3", []), ("4.5", ["__BOOTSTRAP_IP__"])):
        text = of_release(release).file("manifests/etcd-host-service-endpoints.yaml")
        hosts = {one["hostname"]: one["ip"] for one in yaml.safe_load(text)["subsets"][0]["addresses"]}
        assert [hosts.pop(name) for name in tuple(hosts) if name == "etcd-bootstrap"] == want
        assert hosts == {"etcd-0": "192.0.2.1", "etcd-1": "192.0.2.2", "etcd-2": "192.0.2.3"}


@pytest.mark.parametrize("release", ["4.3", "4.4", "4.5", "4.7", "4.10"])
def test_whoever_gathers_logs_has_a_key_of_its_own_from_4_5_on(release: str) -> None:
    """In addition to the customer's; its private half stays in the graph."""
    made = of_release(release)
    (user,) = json.loads(made.file("bootstrap.ign"))["passwd"]["users"]
    generated = made.contents["auth/bootstrap-ssh"].get("auth/bootstrap-ssh.pub")
    assert user["sshAuthorizedKeys"] == [example.SSH_KEY, *([generated] if generated else [])]
    assert bool(generated) == (release not in {"4.3", "4.4"})
    if generated:
        private = load_pem_private_key(made.file("auth/bootstrap-ssh.key").encode(), None)
        assert isinstance(private, rsa.RSAPrivateKey)
        assert pki.ssh_public(private) == generated
        assert generated.startswith("ssh-rsa ")
        assert not any("bootstrap-ssh" in path for path in paths(made))
        assert "PRIVATE KEY" not in json.dumps(user)


def test_from_4_10_on_the_clusters_operator_leaves_the_installers_objects_alone() -> None:
    """They are listed one by one, without the version itself; the patch removes the list again."""
    made = of_release("4.10")
    version = yaml.safe_load(made.file("manifests/cvo-overrides.yaml"))
    listed = {(one["group"], one["kind"], one["namespace"], one["name"]) for one in version["spec"]["overrides"]}
    assert all(one["unmanaged"] is True for one in version["spec"]["overrides"])
    assert len(listed) == len(version["spec"]["overrides"])
    assert {
        ("", "Namespace", "", "openshift-machine-config-operator"),
        ("", "Secret", "kube-system", "kubeadmin"),
        ("config.openshift.io", "DNS", "", "cluster"),
        ("rbac.authorization.k8s.io", "Role", "kube-system", "aro-cloud-provider-secret-reader"),
    } <= listed
    assert not {kind for _, kind, _, _ in listed} & {"ClusterVersion", "Machine", "MachineSet", "MachineConfig"}
    assert json.loads(made.file("original_cvo_overrides.patch")) == {"spec": {"overrides": None}}
    assert "overrides" not in yaml.safe_load(of_release("4.8").file("manifests/cvo-overrides.yaml"))["spec"]


def test_the_pull_secret_has_both_registries_and_no_telemetry() -> None:
    """For its own registry, the service's credential replaces the customer's."""
    customers = {"auths": {name: {"auth": "x"} for name in ("quay.io", "cloud.openshift.com", "arosvc.azurecr.io")}}
    merged = json.loads(install_config.pull_secret(json.dumps(customers), {"arosvc.azurecr.io": "token-1:p"}))
    assert merged["auths"] == {"quay.io": {"auth": "x"}, "arosvc.azurecr.io": {"auth": "dG9rZW4tMTpw"}}


@pytest.mark.parametrize("nothing", ["", "{}", '{"auths": null}', "null"])
def test_a_cluster_without_a_pull_secret_has_the_services_registry_alone(nothing: str) -> None:
    """It has no samples and no operator catalogue, but installs even so."""
    assert list(json.loads(install_config.pull_secret(nothing, {"r.io": "u:p"}))["auths"]) == ["r.io"]


def test_every_file_is_found_by_its_asset_and_by_no_other() -> None:
    """Somebody who looks for a file is led to exactly one place."""
    for name, content in example.made().contents.items():
        if name not in {asset.name for asset in all_assets.GIVEN}:
            assert {all_assets.asset_of(path).name for path in content} <= {name}
    patterns = list(itertools.chain.from_iterable(asset.files for asset in all_assets.ASSETS.values()))
    assert len(patterns) == len(set(patterns))
