"""The virtual machines that the machine API makes of Machines."""

from typing import Any

import pytest

from emulator.openshift.operators import machine_api
from emulator.openshift.operators.cloud import Account

ACCOUNT = Account("tenant", "client", "secret", "sub", "group")
MARKETPLACE = {"publisher": "p", "offer": "o", "sku": "s", "version": "1.0.0", "resourceID": ""}
SPEC: dict[str, Any] = {
    "location": "eastus",
    "vmSize": "Standard_D4s_v5",
    "osDisk": {"diskSizeGB": 128, "managedDisk": {"storageAccountType": "Premium_LRS"}},
    "image": MARKETPLACE,
}


def made(**members: Any) -> dict[str, Any]:
    """Return the virtual machine of a Machine with these members."""
    return machine_api._virtual_machine(ACCOUNT, "worker", "nic", SPEC | members, "data")


def test_an_image_by_id_is_in_the_clusters_subscription() -> None:
    """Machines name it without the subscription."""
    path = "/resourceGroups/g/providers/Microsoft.Compute/galleries/g/images/i/versions/1.0.0"
    machine = made(image=MARKETPLACE | {"resourceID": path})
    assert machine["properties"]["storageProfile"]["imageReference"] == {"id": f"/subscriptions/sub{path}"}
    assert "plan" not in machine


@pytest.mark.parametrize("kind", ["", "MarketplaceNoPlan", "MarketplaceWithPlan"])
def test_only_an_image_that_is_bought_brings_its_plan(kind: str) -> None:
    """By the image's type, not by its name."""
    machine = made(image=MARKETPLACE | {"type": kind})
    reference = machine["properties"]["storageProfile"]["imageReference"]
    assert reference == {name: value for name, value in MARKETPLACE.items() if name != "resourceID"}
    want = {"name": "s", "product": "o", "publisher": "p"} if kind == "MarketplaceWithPlan" else None
    assert machine.get("plan") == want


@pytest.mark.parametrize(
    ("profile", "want"),
    [
        ({"settings": {}}, None),
        ({"encryptionAtHost": True, "settings": {}}, {"encryptionAtHost": True}),
        (
            {
                "settings": {
                    "securityType": "TrustedLaunch",
                    "trustedLaunch": {
                        "uefiSettings": {"secureBoot": "Enabled", "virtualizedTrustedPlatformModule": "Disabled"}
                    },
                }
            },
            {
                "securityType": "TrustedLaunch",
                "uefiSettings": {"secureBootEnabled": True, "vTpmEnabled": False},
            },
        ),
    ],
    ids=["nothing", "encryption", "Trusted Launch"],
)
def test_the_security_profile_is_translated(profile: dict[str, Any], want: dict[str, Any] | None) -> None:
    """A Machine's members have other names than Azure's, and a profile without any is none."""
    assert made(securityProfile=profile)["properties"].get("securityProfile") == want
