"""What Microsoft.Compute shows besides its resources: instance views, SKUs and sizes."""

from collections.abc import Iterator
from datetime import datetime

from emulator.arm.zones import zones_of
from emulator.compute import diagnostics, power, sizes
from emulator.compute.disks import of_machine
from emulator.compute.sizes import Size
from emulator.core.clock import rfc3339
from emulator.json_object import Json

_DISK_SKUS = (("Standard_LRS", "Standard"), ("StandardSSD_LRS", "Standard"), ("Premium_LRS", "Premium"))


def instance_view(stored: Json, now: datetime) -> Json:
    """Return the instance view of a virtual machine."""
    private, time = stored["private"], stored["changed"]
    code = "starting" if private["power"] in (power.STARTING, power.RESTARTING) else private["power"]
    code = private["way"] if private.get("until", "") > rfc3339(now) else code
    view: Json = {
        "disks": [{"name": disk["name"], "statuses": [_done(time)]} for disk in of_machine(stored["properties"])],
        "hyperVGeneration": "V1",
        "statuses": [
            _provisioning(stored, time),
            {"code": f"PowerState/{code}", "level": "Info", "displayStatus": f"VM {code}"},
        ],
    }
    if "osProfile" in stored["properties"]:
        view["computerName"] = stored["properties"]["osProfile"]["computerName"]
    addresses = diagnostics.addresses(stored)
    return view | ({"bootDiagnostics": addresses} if addresses else {})


def _provisioning(stored: Json, time: str) -> Json:
    failure = stored.get("failure")
    if failure is not None:
        return {
            "code": f"ProvisioningState/failed/{failure['code']}",
            "level": "Error",
            "displayStatus": "Provisioning failed",
            "message": failure["message"],
            "time": time,
        }
    kind = stored.get("pending", {}).get("kind")
    if kind is None:
        return _done(time)
    code, label = ("deleting", "Deleting") if kind == "delete" else ("creating", "Creating")
    return {"code": f"ProvisioningState/{code}", "level": "Info", "displayStatus": label, "time": time}


def _done(time: str) -> Json:
    return {
        "code": "ProvisioningState/succeeded",
        "level": "Info",
        "displayStatus": "Provisioning succeeded",
        "time": time,
    }


def skus(location: str) -> Iterator[Json]:
    """Yield the SKUs of a region: VM sizes, and kinds of disks."""
    for size in sizes.in_location(location):
        yield _size_sku(size, location)
    for name, tier in _DISK_SKUS:
        yield {
            "resourceType": "disks",
            "name": name,
            "tier": tier,
            "locations": [location],
            "locationInfo": [_place(location)],
            "capabilities": [],
            "restrictions": [],
        }


def _size_sku(size: Size, location: str) -> Json:
    restriction = sizes.restricted(size, location)
    capabilities = {
        "vCPUs": size.cores,
        "MemoryGB": f"{size.memory_gb:g}",
        "MaxDataDiskCount": size.data_disks,
        "PremiumIO": True,
        "AcceleratedNetworkingEnabled": True,
        "EncryptionAtHostSupported": size.encrypts_at_host,
        "CpuArchitectureType": "x64",
        "HyperVGenerations": ",".join(size.generations),
        "DiskControllerTypes": ",".join(size.controllers),
        "vCPUsAvailable": size.cores,
    }
    if not size.trusted_launch:
        capabilities["TrustedLaunchDisabled"] = True
    return {
        "resourceType": "virtualMachines",
        "name": size.name,
        "tier": "Standard",
        "size": size.name.removeprefix("Standard_"),
        "family": size.family,
        "locations": [location],
        "locationInfo": [_place(location)],
        "capabilities": [{"name": name, "value": str(value)} for name, value in capabilities.items()],
        "restrictions": []
        if restriction is None
        else [
            {
                "type": "Zone" if restriction.zones else "Location",
                "values": [location],
                "restrictionInfo": {"locations": [location]}
                | ({"zones": list(restriction.zones)} if restriction.zones else {}),
                "reasonCode": "NotAvailableForSubscription",
            }
        ],
    }


def _place(location: str) -> Json:
    return {"location": location, "zones": list(zones_of(location)), "zoneDetails": []}
