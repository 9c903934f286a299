"""ARM resource ids: parse, compare, write. Segments are compared without case, but keep the case of the input."""

import uuid
from dataclasses import dataclass, replace

_SUBSCRIPTIONS = "subscriptions"
_RESOURCE_GROUPS = "resourcegroups"
_PROVIDERS = "providers"


@dataclass(frozen=True)
class ResourceId:
    """A subscription, a resource group, or a resource at any depth.

    `types` and `names` run in parallel: a subnet has ("virtualNetworks", "subnets") and ("vnet", "master"). They are
    empty for a resource group. `resource_group` is empty for a resource (or provider) of the subscription itself.
    """

    subscription_id: str
    resource_group: str = ""
    provider: str = ""
    types: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        """The type without its provider, such as `virtualNetworks/subnets`."""
        return "/".join(self.types)

    @property
    def full_type(self) -> str:
        """The type with its provider, such as `Microsoft.Network/virtualNetworks/subnets`."""
        return f"{self.provider}/{self.type}" if self.provider else ""

    @property
    def name(self) -> str:
        """The last name; for a resource group its name, for a subscription its id."""
        return self.names[-1] if self.names else self.resource_group or self.subscription_id

    @property
    def parent(self) -> "ResourceId":
        """The parent resource, such as a subnet's virtual network; without one, the resource group."""
        if len(self.types) > 1:
            return replace(self, types=self.types[:-1], names=self.names[:-1])
        return self.group if self.types else ResourceId(self.subscription_id)

    @property
    def group(self) -> "ResourceId":
        """The resource group that holds this resource."""
        return ResourceId(self.subscription_id, self.resource_group)

    def child(self, child_type: str, name: str) -> "ResourceId":
        """Return the id of a child, as in `vnet.child("subnets", "master")`."""
        return replace(self, types=(*self.types, child_type), names=(*self.names, name))

    def is_type(self, full_type: str) -> bool:
        """Tell whether this id has a type, such as `Microsoft.Network/virtualNetworks/subnets`, in any case."""
        return self.full_type.lower() == full_type.lower()

    def equals(self, other: "ResourceId") -> bool:
        """Compare like ARM, ignoring case."""
        return self.key == other.key

    @property
    def key(self) -> str:
        """The id in lower case, by which documents are found."""
        return str(self).lower()

    def __str__(self) -> str:
        parts = ["", _SUBSCRIPTIONS, self.subscription_id]
        if self.resource_group:
            parts += ["resourceGroups", self.resource_group]
        if self.provider:
            parts += [_PROVIDERS, self.provider]
        for kind, name in zip(self.types, self.names, strict=True):
            parts += [kind, name]
        return "/".join(parts)


def parse(text: str) -> ResourceId:
    """Parse an id.

    Raises:
        ValueError: if the text is not an ARM id; the message says which part is wrong.
    """
    segments = text.split("/")
    if len(segments) < 3 or segments[0] or segments[1].lower() != _SUBSCRIPTIONS:  # noqa: PLR2004 - "", name, value
        raise ValueError(f"'{text}' does not begin with /subscriptions/<subscription id>")
    if not all(segments[1:]):
        raise ValueError(f"'{text}' has an empty segment")
    subscription_id, rest = segments[2], segments[3:]
    resource_group = ""
    if rest and rest[0].lower() == _RESOURCE_GROUPS:
        if len(rest) == 1:
            raise ValueError(f"'{text}' names no resource group")
        resource_group, rest = rest[1], rest[2:]
    if not rest:
        return ResourceId(subscription_id, resource_group)
    if rest[0].lower() != _PROVIDERS or len(rest) < 4 or len(rest) % 2:  # noqa: PLR2004 - providers, ns, type, name
        raise ValueError(f"'{text}' does not continue with /providers/<namespace>/<type>/<name>")
    return ResourceId(subscription_id, resource_group, rest[1], tuple(rest[2::2]), tuple(rest[3::2]))


def try_parse(text: str) -> ResourceId | None:
    """Parse an id; return None if the text is not one."""
    try:
        return parse(text)
    except ValueError:
        return None


def is_uuid(text: str) -> bool:
    """Tell whether the text is a UUID in its usual form of 36 characters."""
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False
