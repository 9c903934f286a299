"""Static rules of masters, workers and ingress. They never look at Azure.

Each check takes the value of a member, the facts of the request and the JSON path of the member, and yields an error
for each violation. Its docstring states the rule.

Source: ARO-RP `pkg/api/v20250725/openshiftcluster_validatestatic.go`.
"""

import re
from collections.abc import Iterator
from typing import Any

from shared.arm import resource_id
from shared.arm.errors import CloudError, invalid_parameter, shown
from shared.arm.names import is_valid_name
from shared.arm.resource_id import ResourceId
from shared.clusters.checks import vm_sizes
from shared.clusters.checks.facts import Facts, refuse

# As in Azure: a letter or digit first, and no dot or hyphen last.
_VNET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}[A-Za-z0-9_]")
_SUBNET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,78}[A-Za-z0-9_]")
# Azure lets only its own services into subnets of these names.
_AZURES_SUBNETS = (
    "AzureBastionSubnet",
    "AzureFirewallManagementSubnet",
    "AzureFirewallSubnet",
    "GatewaySubnet",
    "RouteServerSubnet",
)
_DES_NAME = re.compile(r"[A-Za-z0-9_-]{1,80}")
# A machine starts from no larger disk, although disks of data may be larger.
_MIN_DISK_GB, _MAX_DISK_GB = 128, 4095
_MIN_WORKERS, _MAX_WORKERS = 2, 50
_MASTER_SUBNET = "properties.masterProfile.subnetId"
_MASTER_DES = "properties.masterProfile.diskEncryptionSetId"


def exactly_one(value: list[Any], _facts: Facts, target: str) -> Iterator[CloudError]:
    """A list of profiles has exactly one element."""
    if len(value) != 1:
        yield invalid_parameter(target, f"The array '{target}' has {len(value)} elements: it must have exactly one.")


def master_vm_size(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """The VM size is one that masters may have, in exactly this case, and the cluster's version supports it."""
    yield from _vm_size(value, facts, target, vm_sizes.MASTER_SIZES, "master")


def worker_vm_size(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """The VM size is one that workers may have, in exactly this case, and the cluster's version supports it."""
    yield from _vm_size(value, facts, target, vm_sizes.WORKER_SIZES, "worker")


def _vm_size(value: str, facts: Facts, target: str, sizes: frozenset[str], role: str) -> Iterator[CloudError]:
    if value not in sizes:
        close = vm_sizes.close_matches(value, sizes)
        hint = f"did you mean {' or '.join(close)}?" if close else f"allowed are {', '.join(sorted(sizes))}."
        yield invalid_parameter(
            target,
            f"The VM size '{shown(value)}' of '{target}' cannot be used for a {role} (names keep their case): {hint}",
        )
        return
    version = str(facts.get("properties.clusterProfile.version") or "")
    if not vm_sizes.allowed_for_version(value, version):
        yield invalid_parameter(
            target,
            f"The VM size '{value}' of '{target}' needs OpenShift {vm_sizes.NEWER_SIZES_SINCE} or later, "
            f"and the cluster's version is '{version}'. Choose another size or a later version.",
        )


def master_subnet(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """The value is the id of a subnet in the cluster's subscription, and its name is none that Azure keeps."""
    subnet = _subnet(value)
    if subnet is None:
        yield _no_subnet(value, target)
    elif not _same_subscription(subnet, facts):
        yield _other_subscription(value, facts, target)
    else:
        yield from _for_machines(value, target)


def worker_subnet(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """The value is the id of a subnet in the masters' virtual network, other than theirs and those that Azure keeps."""
    subnet, master = _subnet(value), _subnet(str(facts.get(_MASTER_SUBNET) or ""))
    if subnet is None:
        yield _no_subnet(value, target)
    elif master is not None and not subnet.parent.equals(master.parent):
        yield refuse(target, value, f"in the virtual network of the master subnet, '{master.parent}'")
    elif master is not None and subnet.equals(master):
        yield refuse(target, value, "another subnet than the master's")
    else:
        yield from _for_machines(value, target)


def _for_machines(value: str, target: str) -> Iterator[CloudError]:
    if resource_id.parse(value).name.lower() in map(str.lower, _AZURES_SUBNETS):
        yield refuse(target, value, f"a subnet for machines, so it cannot be named {', '.join(_AZURES_SUBNETS)}")


def _subnet(value: str) -> ResourceId | None:
    subnet = resource_id.try_parse(value)
    if (
        subnet is None
        or not subnet.is_type("Microsoft.Network/virtualNetworks/subnets")
        or not resource_id.is_uuid(subnet.subscription_id)
        or not is_valid_name(subnet.resource_group)
        or not _VNET_NAME.fullmatch(subnet.names[0])
        or not _SUBNET_NAME.fullmatch(subnet.names[1])
    ):
        return None
    return subnet


def _no_subnet(value: str, target: str) -> CloudError:
    return refuse(
        target,
        value,
        "the id of a subnet, /subscriptions/<uuid>/resourceGroups/<name>/providers/Microsoft.Network/"
        "virtualNetworks/<name>/subnets/<name>",
    )


def disk_encryption_set(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """The value is the id of a disk encryption set in the cluster's subscription."""
    des = resource_id.try_parse(value)
    if (
        des is None
        or not des.is_type("Microsoft.Compute/diskEncryptionSets")
        or not is_valid_name(des.resource_group)
        or not _DES_NAME.fullmatch(des.name)
    ):
        yield refuse(
            target,
            value,
            "empty or the id of a disk encryption set, /subscriptions/<uuid>/resourceGroups/<name>/providers/"
            "Microsoft.Compute/diskEncryptionSets/<name>",
        )
    elif not _same_subscription(des, facts):
        yield _other_subscription(value, facts, target)


def worker_disk_encryption_set(value: str | None, facts: Facts, target: str) -> Iterator[CloudError]:
    """Workers have the same disk encryption set as masters, or none if they have none.

    This check also runs on an empty value.
    """
    master = str(facts.get(_MASTER_DES) or "")
    if (value or "").lower() != master.lower():
        yield refuse(target, value or "", f"the disk encryption set of the masters, '{master}'")


def disk_size(value: int, _facts: Facts, target: str) -> Iterator[CloudError]:
    """A worker's disk has 128 to 4095 GB.

    Source: https://learn.microsoft.com/azure/virtual-machines/managed-disks-overview, "OS disk".
    """
    if not _MIN_DISK_GB <= value <= _MAX_DISK_GB:
        yield refuse(target, value, f"from {_MIN_DISK_GB} to {_MAX_DISK_GB} (GB)")


def worker_count(value: int, _facts: Facts, target: str) -> Iterator[CloudError]:
    """A cluster is created with 2 to 50 workers."""
    if not _MIN_WORKERS <= value <= _MAX_WORKERS:
        yield refuse(target, value, f"from {_MIN_WORKERS} to {_MAX_WORKERS}")


def _same_subscription(linked: ResourceId, facts: Facts) -> bool:
    return linked.subscription_id.lower() == resource_id.parse(facts.resource_id).subscription_id.lower()


def _other_subscription(value: str, facts: Facts, target: str) -> CloudError:
    return refuse(
        target, value, f"in the cluster's subscription '{resource_id.parse(facts.resource_id).subscription_id}'"
    )
