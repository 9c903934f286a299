"""Resource ids: parsed regardless of case, and compared by their lower-case key."""

import re
from dataclasses import dataclass, field

GUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
SUBSCRIPTION = re.compile(r"/subscriptions/([^/]+)(?:/resourcegroups/([^/]+))?", re.IGNORECASE)


@dataclass(frozen=True)
class ResourceId:
    """An id `{scope}/providers/{namespace}/{type}/{name}/{type}/{name}…`.

    Args:
        scope: the resource group or subscription of the resource or, for an extension, the id that it extends; "" is
            the tenant.
        namespace: namespace of the resource provider.
        types: type segments, outermost first.
        names: names, outermost first: as many as types, or one less for a collection or an action.
        subscription_id: the subscription in the scope, or "".
        resource_group: name of the resource group in the scope, or "".
    """

    scope: str
    namespace: str
    types: tuple[str, ...]
    names: tuple[str, ...]
    subscription_id: str = field(default="", compare=False)
    resource_group: str = field(default="", compare=False)

    @property
    def type(self) -> str:
        """The full type, such as `Microsoft.Network/virtualNetworks/subnets`."""
        return "/".join((self.namespace, *self.types))

    @property
    def name(self) -> str:
        """The innermost name."""
        return self.names[-1] if self.names else ""

    @property
    def full_name(self) -> str:
        """All names joined by slashes, as templates write them."""
        return "/".join(self.names)

    @property
    def key(self) -> str:
        """The key under which the id is stored and compared: the id in lower case."""
        return str(self).lower()

    @property
    def parent(self) -> "ResourceId | None":
        """The id of the parent, complete even for a collection or an action; None for a top-level type."""
        if len(self.types) == 1:
            return None
        return ResourceId(
            self.scope,
            self.namespace,
            self.types[:-1],
            self.names[: len(self.types) - 1],
            self.subscription_id,
            self.resource_group,
        )

    @property
    def root(self) -> "ResourceId":
        """The id of the top-level resource."""
        return ResourceId(
            self.scope, self.namespace, self.types[:1], self.names[:1], self.subscription_id, self.resource_group
        )

    def child(self, child_type: str, name: str) -> "ResourceId":
        """Return the id of a child resource."""
        return ResourceId(
            self.scope,
            self.namespace,
            (*self.types, child_type),
            (*self.names, name),
            self.subscription_id,
            self.resource_group,
        )

    def __str__(self) -> str:
        pairs = [segment for pair in zip(self.types, self.names, strict=False) for segment in pair]
        pairs += self.types[len(self.names) :]
        return "/".join([self.scope, "providers", self.namespace, *pairs])


def collapse(path: str) -> str:
    """Return a path as ARM's front door reads it: repeated slashes become one, and a trailing slash is dropped."""
    return re.sub(r"/{2,}", "/", path).rstrip("/") or "/"


def subscription_of(scope: str) -> tuple[str, str]:
    """Return the subscription id and resource group name with which a scope begins; "" for each that it lacks."""
    found = SUBSCRIPTION.match(scope)
    return (found[1], found[2] or "") if found else ("", "")


def parse(text: str) -> ResourceId | None:
    """Parse a resource id, or the path of a collection or action; return None if it has no `/providers/`.

    The last `/providers/` counts: the text before it is the scope that an extension resource extends.
    """
    path = collapse(text)
    at = path.lower().rfind("/providers/")
    if at < 0:
        return None
    namespace, *rest = path[at + len("/providers/") :].split("/")
    subscription_id, group = subscription_of(path)
    return ResourceId(path[:at], namespace, tuple(rest[0::2]), tuple(rest[1::2]), subscription_id, group)


def parse_resource(text: str) -> ResourceId:
    """Parse the id of one resource.

    Raises:
        ValueError: the text is not the id of a resource.
    """
    found = parse(text) if text.startswith("/") else None
    if found is None or not found.types or len(found.types) != len(found.names) or "" in found.names:
        raise ValueError(f"{text!r} is not a resource id")
    return found


def scopes(scope: str) -> list[str]:
    """Return the scopes whose assignments apply to a scope, widest first: tenant, subscription, group, resource chain."""
    path = collapse(scope).lower()
    if path == "/":
        return [""]
    chain = [""]
    found = SUBSCRIPTION.match(path)
    rest = path
    if found:
        chain.append(f"/subscriptions/{found[1]}")
        if found[2]:
            chain.append(found[0])
        rest = path[len(found[0]) :]
    segments = rest.split("/")[1:]
    if segments[:1] == ["providers"]:
        # `/providers/{namespace}` is not a scope; each {type}/{name} pair after it is, extensions included.
        index = 2
        while index < len(segments):
            if segments[index] == "providers":
                index += 2
                continue
            prefix = segments[: index + 2]
            if len(prefix) == index + 2:
                chain.append(path[: len(path) - len(rest)] + "/" + "/".join(prefix))
            index += 2
    return chain
