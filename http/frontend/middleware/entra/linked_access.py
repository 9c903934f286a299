"""The resources that a cluster's body names and the service acts on, and the rights on them that a caller needs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shared.arm import resource_id
from shared.arm.errors import invalid_parameter, linked_invalid_property_id
from shared.arm.names import is_valid_name
from shared.arm.resource_id import ResourceId
from shared.azure.rights import Ask
from shared.clusters.shape import entry_target, item_target
from shared.documents import Cluster

SUBNET, DISK_ENCRYPTION_SET = "Microsoft.Network/virtualNetworks/subnets", "Microsoft.Compute/diskEncryptionSets"
IDENTITY = "Microsoft.ManagedIdentity/userAssignedIdentities"
JOIN, READ = f"{SUBNET}/join/action", f"{DISK_ENCRYPTION_SET}/read"
ASSIGN, FEDERATE = f"{IDENTITY}/assign/action", f"{IDENTITY}/federatedIdentityCredentials/write"
CLUSTER_GROUP = "properties.clusterProfile.resourceGroupId"
_OPERATORS = "properties.platformWorkloadIdentityProfile.platformWorkloadIdentities{}.resourceId"
# A cluster has thirteen. Each costs reads of ARM, so a body cannot cause any number of them.
MOST = 32
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")


@dataclass(frozen=True)
class Linked:
    """A member that names a resource.

    Args:
        path: JSON path, as in `shared/clusters/members.py`.
        type: full type of the resource.
        action: what the caller must be allowed to do to it.
    """

    path: str
    type: str
    action: str


LINKED = (
    Linked("properties.masterProfile.subnetId", SUBNET, JOIN),
    Linked("properties.masterProfile.diskEncryptionSetId", DISK_ENCRYPTION_SET, READ),
    Linked("properties.workerProfiles[].subnetId", SUBNET, JOIN),
    Linked("properties.workerProfiles[].diskEncryptionSetId", DISK_ENCRYPTION_SET, READ),
    # The service lets the cluster's service accounts act as each of them, so whoever names one must be able to.
    *(
        Linked(path, IDENTITY, action)
        for path in ("identity.userAssignedIdentities{}", _OPERATORS)
        for action in (ASSIGN, FEDERATE)
    ),
)


def asks(body: Cluster) -> list[Ask]:
    """Return what to ask about the resources in a decoded body, each once.

    Raises:
        CloudError: 400 `LinkedInvalidPropertyId` for a text that is not the id of such a resource; 400
            `InvalidParameter` if there are too many.
    """
    asks: dict[tuple[str, str], Ask] = {}
    resources: set[str] = set()
    for row in LINKED:
        for target, value in _values(body, row.path.split("."), ""):
            linked = _resource(value, row.type, target)
            asks.setdefault((row.action, linked.key), Ask(row.action, str(linked)))
            resources.add(linked.key)
            if len(resources) > MOST:
                raise invalid_parameter(
                    target, f"The request names more than {MOST} subnets, disk encryption sets and identities."
                )
    return list(asks.values())


def cluster_group(body: Cluster) -> tuple[str, ResourceId | None]:
    """Return the path of the member with the cluster's own resource group, and the group, if the body has one.

    Raises:
        CloudError: 400 `LinkedInvalidPropertyId`.
    """
    for target, value in _values(body, CLUSTER_GROUP.split("."), ""):
        return target, _resource(value, "", target)
    return CLUSTER_GROUP, None


def _values(value: Any, path: list[str], target: str) -> Iterator[tuple[str, str]]:
    """Yield what a body has at a path: the path with the names of items, and a text that is not empty.

    Of a map at the end of the path they are the keys.
    """
    if not value:
        return
    if not path:
        yield target, value
        return
    name, *rest = path
    plain = name.removesuffix("[]").removesuffix("{}")
    here, held = f"{target}.{plain}".removeprefix("."), value.get(plain)
    if name.endswith("{}"):
        for key, entry in (held or {}).items():
            yield from _values(entry if rest else key, rest, entry_target(here, key))
    elif name.endswith("[]"):
        for index, item in enumerate(held or []):
            yield from _values(item, rest, item_target(here, item, index))
    else:
        yield from _values(held, rest, here)


def _resource(value: str, wanted: str, target: str) -> ResourceId:
    """Return the id of a resource, or of a resource group where no type is wanted. ARM reads its text as a path.

    Raises:
        CloudError: 400 `LinkedInvalidPropertyId`.
    """
    resource = resource_id.try_parse(value) if value.isascii() else None
    if (
        resource is None
        or not resource_id.is_uuid(resource.subscription_id)
        or not is_valid_name(resource.resource_group)
        or resource.full_type.lower() != wanted.lower()
        or not all(_NAME.fullmatch(name) for name in resource.names)
    ):
        raise linked_invalid_property_id(value, target, wanted or "Microsoft.Resources/resourceGroups")
    return resource
