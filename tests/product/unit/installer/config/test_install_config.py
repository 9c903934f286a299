"""The install-config of each back end: the same cluster, in the words that its program reads."""

import copy
import json
from typing import Any

import pytest

from installer.config import install_config
from installer.config.install_config_checks import check
from tests.product.unit.installer import example
from tests.product.unit.installer.config.test_install_config_checks import AUTH, SSH_KEY

MODERN = "4.19.24"
IMAGE = {"publisher": "azureopenshift", "offer": "aro4", "sku": "419-v2", "version": "419.6.20250523"}
PULL_SECRET = json.dumps({"auths": {"quay.io": {"auth": AUTH}}})
KNOWN: dict[str, Any] = {"ssh_key": SSH_KEY, "image": IMAGE, "pull_secret": PULL_SECRET}


def public(version: str = MODERN, properties: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return what the public program gets for a cluster with other properties."""
    cluster = example.cluster(**(properties or {}))
    return install_config.from_cluster(example.source(cluster, version, **(KNOWN | more)), "openshift-install")


def azure(config: dict[str, Any]) -> dict[str, Any]:
    """Return the part about Azure."""
    return install_config.azure(config)


def pools(config: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what both pools say of Azure, the masters' first."""
    return [pool["platform"]["azure"] for pool in (config["controlPlane"], *config["compute"])]


@pytest.mark.parametrize("version", ["4.16.1", "4.18.9", MODERN, "4.21.0"])
def test_the_public_program_gets_no_member_that_it_would_drop(version: str) -> None:
    """It warns, goes on, and makes machines without an image."""
    config = public(version)
    assert not {"aro", "image"} & azure(config).keys()
    assert not {"imageContentSources", "fips"} & config.keys()


def test_the_public_program_gets_every_member_that_it_requires() -> None:
    """The group of the public zone is the cluster's: the program wants one, and looks none up."""
    config = public()
    assert azure(config)["baseDomainResourceGroupName"] == azure(config)["resourceGroupName"] == "aro-cluster"
    assert config["credentialsMode"] == "Passthrough"
    assert config["publish"] == "External"
    check(config)


@pytest.mark.parametrize(("version", "want"), [("4.16.40", False), ("4.18.34", False), ("4.19.0", True)])
def test_machines_have_no_identity_where_a_release_lets_one_say_so(version: str, want: bool) -> None:
    """Earlier programs do not know the member."""
    found = azure(public(version)).get("defaultMachinePlatform")
    assert found == ({"identity": {"type": "None"}} if want else None)


@pytest.mark.parametrize(
    ("ranges", "want"),
    [
        (["10.0.2.0/23", "10.0.0.0/23"], ["10.0.2.0/23", "10.0.0.0/23"]),
        (["10.0.0.0/24", "10.9.0.0/24", "10.0.1.0/24"], ["10.0.0.0/24", "10.9.0.0/24", "10.0.1.0/24"]),
        (["10.0.0.0/23", "10.0.0.0/23"], ["10.0.0.0/23"]),
        (["10.0.0.0/16", "10.0.2.0/23"], ["10.0.0.0/16"]),
        (["10.0.2.0/23", "10.9.0.0/24", "10.0.0.0/16"], ["10.0.0.0/16", "10.9.0.0/24"]),
    ],
    ids=["the masters' first", "several a subnet", "the same twice", "nested", "nested in a later one"],
)
def test_the_machine_networks_are_the_subnets_ranges(ranges: list[str], want: list[str]) -> None:
    """None overlaps another, and the masters' comes first, in which etcd looks for the bootstrap machine's address."""
    config = public(machine_networks=lambda: ranges)
    assert [row["cidr"] for row in config["networking"]["machineNetwork"]] == want
    check(config)


@pytest.mark.parametrize(
    ("image", "want"),
    [
        (IMAGE, IMAGE | {"plan": "NoPurchasePlan"}),
        (IMAGE | {"plan": "WithPurchasePlan"}, IMAGE | {"plan": "WithPurchasePlan"}),
        (IMAGE | {"securityType": "TrustedLaunch"}, IMAGE | {"plan": "NoPurchasePlan"}),
        ({"id": "/subscriptions/x/resourceGroups/y/providers/Microsoft.Compute/images/z"}, None),
        ({}, None),
    ],
    ids=["without a plan", "with a plan", "for trusted launch", "by its resource id", "the program's own"],
)
def test_each_pool_names_a_marketplace_image_with_its_plan(image: dict[str, str], want: dict[str, str] | None) -> None:
    """The program's default is a plan that has to be bought. It has no member for an image with a resource id."""
    config = public(image=image)
    assert [pool.get("osImage") for pool in pools(config)] == [want, want]
    check(config)


def test_machines_are_trusted_where_the_image_demands_it() -> None:
    """As our template makes them, with secure boot and a virtual security chip."""
    uefi = {"secureBoot": "Enabled", "virtualizedTrustedPlatformModule": "Enabled"}
    want = {"securityType": "TrustedLaunch", "trustedLaunch": {"uefiSettings": uefi}}
    found = pools(public(image={"id": "/x", "securityType": "TrustedLaunch"}))
    assert [pool["settings"] for pool in found] == [want, want]
    assert not [pool for pool in pools(public()) if "settings" in pool]


def test_masters_are_described_as_the_template_makes_them() -> None:
    """A control plane machine set replaces machines that differ from their description."""
    masters, workers = pools(public())
    assert (masters["vmNetworkingType"], masters["osDisk"]) == (
        "Basic",
        {"diskSizeGB": 1024, "diskType": "Premium_LRS"},
    )
    assert workers["osDisk"] == {"diskSizeGB": 128, "diskType": "Premium_LRS"}
    assert "vmNetworkingType" not in workers


def test_sizes_zones_and_encryption_are_passed_as_they_were_asked_for() -> None:
    """An empty zone means none: without zones the program would look some up."""
    group = f"/subscriptions/{example.SUBSCRIPTION}/resourceGroups/keys"
    profile = {"encryptionAtHost": "Enabled", "diskEncryptionSetId": f"{group}/providers/x/diskEncryptionSets/des"}
    masters = example.CLUSTER["properties"]["masterProfile"] | profile
    found = pools(public(properties={"zones": [], "masterProfile": masters}))[0]
    assert (found["type"], found["zones"], found["encryptionAtHost"]) == ("Standard_D8s_v3", [""], True)
    encryption_set = {"subscriptionId": example.SUBSCRIPTION, "resourceGroup": "keys", "name": "des"}
    assert found["osDisk"]["diskEncryptionSet"] == encryption_set
    assert pools(public())[0]["zones"] == ["1", "2", "3"]


def test_a_cluster_with_routes_of_its_own_says_so() -> None:
    """Then the program expects no public load balancer."""
    network = example.CLUSTER["properties"]["networkProfile"] | {"outboundType": "UserDefinedRouting"}
    assert azure(public(properties={"networkProfile": network}))["outboundType"] == "UserDefinedRouting"
    assert "outboundType" not in azure(public())


def test_mirrors_are_named_only_where_the_service_has_a_registry() -> None:
    """Machines would otherwise look for their images where there are none."""
    sources = public()["imageDigestSources"]
    assert sources[0] == {
        "source": "quay.io/openshift-release-dev/ocp-release",
        "mirrors": ["arosvc.azurecr.io/openshift-release-dev/ocp-release"],
    }
    assert "imageDigestSources" not in public(properties={"registryProfiles": []})


def test_the_built_in_graph_gets_what_aros_installer_of_its_time_read() -> None:
    """It asks Azure nothing, so it needs no ranges."""

    def refuse() -> list[str]:
        raise AssertionError

    known = KNOWN | {"image": example.IMAGE, "machine_networks": refuse}
    source = example.source(copy.deepcopy(example.CLUSTER), **known)
    config = install_config.from_cluster(source, "built-in")
    assert (azure(config)["aro"], azure(config)["image"]) == (True, example.IMAGE)
    assert config["networking"]["machineNetwork"] == [{"cidr": "127.0.0.0/8"}]
    assert config["imageContentSources"] == install_config.mirrors(example.CLUSTER["properties"])
    assert "credentialsMode" not in config
    check(config)
