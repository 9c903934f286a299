"""An install-config that cannot make a cluster is refused with all its problems."""

import base64
import copy
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

from installer.config import install_config
from installer.config.install_config_checks import check, problems
from shared.arm.errors import CloudError, Owner
from tests.product.unit.installer import example

SSH_KEY = (
    ed25519.Ed25519PrivateKey.generate()
    .public_key()
    .public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    .decode()
)
AUTH = base64.b64encode(b"user:canary").decode()


def config() -> dict[str, Any]:
    """Return a valid one, as the product makes it."""
    secret = install_config.pull_secret(
        json.dumps({"auths": {"quay.io": {"auth": AUTH, "email": "a@b"}, "cloud.openshift.com": {"auth": "?"}}}),
        {"arosvc.azurecr.io": "token:canary"},
    )
    return install_config.from_cluster(example.source(ssh_key=SSH_KEY, pull_secret=secret), "built-in")


def changed(path: str, value: Any) -> dict[str, Any]:
    """Return it with one member set; numbers index arrays."""
    result: Any = config()
    holder = result
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for parent in parents:
        holder = holder[parent]
    holder[last] = value
    return copy.deepcopy(result)


def test_what_the_product_makes_passes() -> None:
    """With or without zones; the telemetry's credentials are removed before the check."""
    check(config())
    check(changed("controlPlane.platform.azure.zones", [""]))


def secret(entry: Any) -> str:
    """Return a pull secret with one entry of the customer's."""
    return json.dumps({"auths": {"quay.io": entry}})


POOL = "properties.workerProfiles[0]"
PULL_SECRET = "properties.clusterProfile.pullSecret"  # noqa: S105 - a member's name


@pytest.mark.parametrize(
    ("path", "value", "target", "says"),
    [
        ("metadata.name", "Cluster", "properties.clusterProfile.domain", "'Cluster'"),
        ("metadata.name", "-c", "properties.clusterProfile.domain", "hyphen"),
        ("metadata.name", "1c", "properties.clusterProfile.domain", "begin with a letter"),
        ("baseDomain", "A.b.C", "properties.clusterProfile.domain", "'A' and 'C'"),
        ("baseDomain", f"{'a' * 60}." * 4 + "test", "properties.clusterProfile.domain", "253"),
        ("networking.clusterNetwork.0.cidr", "10.0.0.1/14", "properties.networkProfile.podCidr", "host bits"),
        ("networking.clusterNetwork.0.cidr", "fd00::/48", "properties.networkProfile.podCidr", "IPv4"),
        ("networking.clusterNetwork.0.cidr", "10.128.0.0/21", "properties.networkProfile.podCidr", "6 nodes"),
        ("networking.serviceNetwork.0", "172.30.0.0/99", "properties.networkProfile.serviceCidr", "/99"),
        ("networking.serviceNetwork.0", "10.128.0.0/16", "properties.networkProfile.serviceCidr", "overlaps"),
        ("networking.serviceNetwork.0", "172.30.0.0/29", "properties.networkProfile.serviceCidr", "/28"),
        ("networking.serviceNetwork.0", "0.0.0.0/8", "properties.networkProfile.serviceCidr", "begin with an address"),
        ("networking.serviceNetwork.0", "172.30.0.0/255.255.0.0", "properties.networkProfile.serviceCidr", "/16"),
        ("networking.machineNetwork", [], "install-config.networking.machineNetwork", "no network"),
        ("networking.machineNetwork.0.cidr", "x", "install-config.networking.machineNetwork[0].cidr", "IPv4"),
        (
            "networking.machineNetwork.0.cidr",
            "172.30.0.0/24",
            "install-config.networking.machineNetwork[0].cidr",
            "172.30",
        ),
        ("networking.networkType", "Calico", "install-config.networking.networkType", "Calico"),
        ("sshKey", "ssh-rsa x", "install-config.sshKey", "SSH"),
        ("pullSecret", "[]", PULL_SECRET, "auths"),
        ("pullSecret", '{"auths": [["quay.io", {}]]}', PULL_SECRET, "auths"),
        ("pullSecret", "[" * 20_000, PULL_SECRET, "auths"),
        ("pullSecret", '{"auths": {}}', "install-config.pullSecret", "no registry"),
        ("pullSecret", secret({}), f"{PULL_SECRET}.auths['quay.io']", "neither 'auth' nor 'credsStore'"),
        ("pullSecret", secret("x"), f"{PULL_SECRET}.auths['quay.io']", "neither"),
        ("pullSecret", secret({"auth": "ä"}), f"{PULL_SECRET}.auths['quay.io']", "not base64"),
        ("pullSecret", secret({"auth": "Y2FuYXJ5"}), f"{PULL_SECRET}.auths['quay.io']", "user:password"),
        ("controlPlane.replicas", 5, "install-config.controlPlane.replicas", "5 is not 3"),
        ("controlPlane.platform.azure.zones", ["1", "2"], "install-config.controlPlane.platform.azure.zones", "three"),
        ("compute.0.platform.azure.zones", ["1", "1", "2"], "install-config.compute[0].platform.azure.zones", "three"),
        ("controlPlane.platform.azure.type", "", "properties.masterProfile.vmSize", "size"),
        ("controlPlane.platform.azure.type", "Standard D8", "properties.masterProfile.vmSize", "not a VM size"),
        ("controlPlane.name", "masters", "install-config.controlPlane.name", "not master"),
        ("controlPlane.architecture", "arm64", "install-config.controlPlane.architecture", "amd64"),
        ("compute.0.hyperthreading", "?", "install-config.compute[0].hyperthreading", "Enabled"),
        ("compute.0.name", "infra", f"{POOL}.name", "'infra'"),
        ("compute.0.replicas", 1, f"{POOL}.count", "2 or more"),
        ("compute.0.platform.azure.osDisk.diskSizeGB", 64, f"{POOL}.diskSizeGB", "128"),
        (
            "compute.0.platform.azure.osDisk.diskEncryptionSet",
            {"name": ""},
            f"{POOL}.diskEncryptionSetId",
            "has no name",
        ),
        (
            "compute.0.platform.azure.osDisk.diskEncryptionSet",
            {"subscriptionId": "mine"},
            f"{POOL}.diskEncryptionSetId",
            "is not a subscriptionId",
        ),
        ("platform.azure.virtualNetwork", "", "install-config.platform.azure.virtualNetwork", "empty"),
        ("platform.azure.virtualNetwork", "a\nb", "install-config.platform.azure.virtualNetwork", "not an Azure name"),
        (
            "platform.azure.resourceGroupName",
            "a b",
            "install-config.platform.azure.resourceGroupName",
            "not an Azure name",
        ),
        ("platform.azure.computeSubnet", "Master-Subnet", f"{POOL}.subnetId", "Use two"),
        ("platform.azure.image.version", "", "install-config.platform.azure.image.version", "marketplace"),
        ("publish", "Nowhere", "install-config.publish", "External"),
        ("imageContentSources.0.mirrors", ["x/y"], "install-config.imageContentSources[0].mirrors[0]", "repository"),
        ("imageContentSources.1.mirrors", [], "install-config.imageContentSources[1].mirrors", "no mirror"),
        ("imageContentSources.0.source", "quay.io/a:b", "install-config.imageContentSources[0].source", "repository"),
        ("imageContentSources.0.source", "quay.io/a\nb", "install-config.imageContentSources[0].source", "repository"),
    ],
)
def test_each_mistake_is_found_and_leads_to_who_can_mend_it(path: str, value: Any, target: str, says: str) -> None:
    """The target is the member of the request, or the platform. One mistake is one problem, without a secret."""
    (problem,) = problems(changed(path, value))
    assert problem.target == target
    assert says in problem.message
    assert problem.owner == (Owner.CUSTOMER if target.startswith("properties.") else Owner.PLATFORM)
    assert "canary" not in problem.message
    assert "Y2FuYXJ5" not in problem.message


@pytest.mark.parametrize("more", ["canary", "-----BEGIN CERTIFICATE-----\ncanary\n-----END CERTIFICATE-----\n", "key"])
def test_a_bundle_holds_certificates_and_nothing_else_in_pem(more: str) -> None:
    """A private key would end up in an object that everybody can read; the message quotes nothing."""
    pair = example.made().contents["tls/root-ca"]
    certificate, key = pair["tls/root-ca.crt"], pair["tls/root-ca.key"]
    check(config() | {"additionalTrustBundle": f"ours:\n{certificate}"})
    wrong = "canary" if more == "canary" else certificate + (key if more == "key" else more)
    (problem,) = problems(config() | {"additionalTrustBundle": wrong})
    assert problem.target == "install-config.additionalTrustBundle"
    assert "no certificates in PEM, or not these alone" in problem.message


def test_all_mistakes_are_told_at_once_and_the_customers_come_first() -> None:
    """One request can fix them all."""
    wrong = changed("networking.networkType", "Calico")
    wrong["compute"][0]["replicas"] = 0
    wrong["networking"]["serviceNetwork"] = ["10.128.0.0/16"]
    with pytest.raises(CloudError) as caught:
        check(wrong)
    assert (caught.value.code, caught.value.owner) == ("InvalidParameter", Owner.CUSTOMER)
    assert [each["target"] for each in caught.value.details] == [
        "properties.networkProfile.serviceCidr",
        f"{POOL}.count",
        "install-config.networking.networkType",
    ]
