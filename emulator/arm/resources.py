"""The resource type registry: one row for each type, contributed by the service folders.

A row describes a type: its api-versions, the members of its JSON, how long Azure takes for its operations and how the
answers report them, which resources it refers to, and when it must not be deleted. The model in `models.py` interprets
the rows. Their hooks get it as one of three protocols: what they may read, ask before a change, and change.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from emulator.arm import exceptions
from emulator.arm.access.authorization import AuthorizationModel
from emulator.arm.access.conditions import Facts
from emulator.arm.documents import Documents
from emulator.arm.groups import ResourceGroups
from emulator.arm.ids import ResourceId
from emulator.arm.operations import Operations, Outcome, ResourceOperation
from emulator.arm.provider.registration import ProviderRegistration
from emulator.arm.schema import Found, MapOf, Refusal
from emulator.arm.subscriptions import Subscriptions
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.entra.models import Principal
from emulator.json_object import Json

# sync: the answer is final. operation: a PUT answers 200 or 201 with `Azure-AsyncOperation`. accepted: a PUT answers
# 202 with `Azure-AsyncOperation` and `Location`. location: a PUT answers 202 with `Location` only. resource: a PUT
# answers 200 or 201, and clients poll the resource. ok: like `operation`, but 200 for a new resource too.
Reply = Literal["sync", "operation", "accepted", "location", "resource", "ok"]
# Form of the `etag` member: `W/"<id>"`, without quotes, in quotes, or absent.
Etag = Literal["weak", "bare", "quoted", "none"]
# region: tracked, in a region. global: tracked, location `global`. none: a child or an extension, without a location.
Placement = Literal["region", "global", "none"]

DEFAULT_NAME = r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,78}[A-Za-z0-9_])?"


class Reads(Protocol):
    """What of the model only looks: clock, rows, stored resources."""

    platform: Platform
    clock: Clock
    types: "dict[str, ResourceType]"

    def resource_type(self, name: str) -> "ResourceType | None":
        """Return the row of a type, in any case, or None."""

    def row(self, identifier: ResourceId, api_version: str) -> "ResourceType":
        """Return the row of a resource's type, and check that the type supports this api-version."""

    def load(self, identifier: ResourceId | str) -> Json | None:
        """Return the stored document of a resource, or None."""

    def as_written(self, resource_id: str) -> Json | None:
        """Return the document as the last write left it, or None."""

    def scan(self, prefix: str, type_name: str = "") -> Iterator[Json]:
        """Yield the documents whose ids begin with a prefix; with a type name, only those of that type."""

    def holders(self, target: str) -> list[str]:
        """Return the ids of the existing resources that refer to a target."""

    def render(self, stored: Json) -> Json:
        """Return a stored resource as GET answers it."""

    def get_resource(self, resource_id: str, api_version: str, /) -> Json | None:
        """Return a resource as GET answers it, or None, without an access check."""

    def resource_group(self, subscription_id: str, name: str) -> Json | None:
        """Return a resource group as GET answers it, or None."""


class Checks(Reads, Protocol):
    """What a change also has to ask: who may, in which subscription and group."""

    subscriptions: Subscriptions
    groups: ResourceGroups
    registration: ProviderRegistration
    authorization: AuthorizationModel

    def authorize(self, caller: Principal, action: str, scope: str, facts: Facts | None = None) -> None:
        """Check that the caller may perform an action on a scope, and that no lock stops it."""


class Writes(Checks, Protocol):
    """What changes resources."""

    documents: Documents
    operations: Operations

    async def put_resource(self, caller: Principal, resource_id: str, api_version: str, body: Any) -> ResourceOperation:
        """Create or replace a resource."""

    async def delete_resource(self, caller: Principal, resource_id: str, api_version: str) -> ResourceOperation:
        """Delete a resource; a resource that does not exist counts as deleted."""

    async def wait(self, operation: ResourceOperation) -> Json:
        """Wait until the operation ends; return the resource, an action's answer, or {} after a delete."""


@dataclass
class Change:
    """A PUT in progress, as the hooks of a row see it.

    Args:
        arm: the model, which gives access to other resources.
        caller: the principal that makes the call.
        id: id of the resource.
        api_version: the api-version of the request.
        location: location of the resource, of its root or of its group; "" if there is none.
        existing: the stored document, or None.
        body: the body as the property table read it; a hook may add defaults and computed members.
        parent: the parent's document or, if both come in one body, the parent's body.
        siblings: (name, document or body) of the parent's other children of this type.
        made: ids of further resources that this one will refer to, besides the references in its body; hooks add them.
    """

    arm: Checks
    caller: Principal
    id: ResourceId
    api_version: str
    location: str
    existing: Json | None
    body: Json
    parent: Json | None = None
    siblings: list[tuple[str, Json]] = field(default_factory=list)
    made: list[str] = field(default_factory=list)

    @property
    def properties(self) -> Json:
        """The body's `properties`."""
        properties: Json = self.body["properties"]
        return properties


@dataclass(frozen=True)
class ActionCall:
    """A POST on a resource."""

    arm: Writes
    caller: Principal
    id: ResourceId
    api_version: str
    stored: Json
    body: Json


def _nothing(_change: Change) -> None:
    """Check nothing: the default of `prepare`."""


def _invalid_name(found: Found) -> ServiceError:
    """Refuse a name as most types do: the default of `name_refusal`."""
    return exceptions.INVALID_RESOURCE_NAME(found.value)


def _no_members(_arm: Reads, _stored: Json) -> Json:
    """Compute nothing: the default of `render` and `shown`."""
    return {}


async def _no_effect(_arm: Writes, _stored: Json) -> None:
    """Touch no other service: the default of `stored` and `removed`."""


def _unprotected(_identifier: ResourceId) -> None:
    """Protect nothing: the default of `protected`."""


@dataclass(frozen=True)
class Action:
    """A POST that a type has.

    Args:
        run: performs the action and returns the answer, or an awaitable of it if it calls another service. None: the
            answer is 204 without a body.
        seconds: how long Azure takes, in seconds; more than 0 makes it a long-running operation.
        fails_late: whether the operation fails with the errors of `run`; otherwise they refuse the call.
    """

    run: Callable[[ActionCall], Json | Awaitable[Json] | None]
    seconds: float = 0
    fails_late: bool = False


@dataclass(frozen=True)
class ResourceType:
    """The row of a type.

    Args:
        name: full type, such as `Microsoft.Network/virtualNetworks/subnets`.
        api_versions: supported api-versions, in any order.
        properties: property table of `properties`.
        members: property table of the members beside `properties` (`sku`, `kind`, `zones`); `writes/put_body.py` adds
            those that all types share, such as name, tags and location.
        placement: see `Placement`.
        name_pattern: regular expression that the whole name must match.
        name_refusal: builds the error for a name that it does not match.
        create_seconds: how long Azure takes to create a resource.
        update_seconds: how long Azure takes to change one.
        delete_seconds: how long Azure takes to delete one.
        reply: see `Reply`.
        created_status: HTTP status of a PUT that creates a resource at once.
        updated_status: HTTP status of a PUT that changes a resource at once.
        writing_state: `provisioningState` during a write.
        has_state: whether the type has a `provisioningState`.
        status_path: path at which its operations are polled, with the placeholders `{id}`, `{subscription}`,
            `{namespace}`, `{location}` and `{operation}`.
        etag: see `Etag`; If-Match and If-None-Match work with every form.
        inline: properties that hold children, each with the type of those children.
        inline_only: whether it can be written only in the body of its parent; its own path then only answers reads.
        locks: whether a write is refused while another operation on the same top-level resource is in progress.
        prepare: checks rules across several members, and adds defaults and computed members.
        render: returns the members of `properties` that are computed at each read.
        shown: returns the members beside `properties` that are computed at each read.
        outcome: evaluates the condition that a write waits for, beyond its duration; None if there is no condition. It
            gets the document, and must not load this resource.
        preflight: returns the errors for which a deployment of these resources (id, body as far as it is known) is
            refused before it begins.
        absent: builds the error for a call on a resource that does not exist.
        in_use: builds the error for a deletion of `identifier` while `holders`, given by their ids, refer to it.
        removable: raises an error if the resource must not be deleted.
        protected: raises an error for an id that is not stored, but belongs to something that nobody may delete.
        stored: updates other services after a write.
        removed: updates other services at a deletion.
        actions: POSTs by name.
        answers_deleted: whether DELETE answers with the deleted resource.
        collections: further lists of children by name, each with the types of its items.
        attributes: returns what conditions of role assignments may ask of a resource, from a body or a document.
    """

    name: str
    api_versions: tuple[str, ...]
    properties: Json | MapOf
    members: Json = field(default_factory=dict)
    placement: Placement = "none"
    name_pattern: str = DEFAULT_NAME
    name_refusal: Refusal = _invalid_name
    create_seconds: float = 0
    update_seconds: float = 0
    delete_seconds: float = 0
    reply: Reply = "sync"
    created_status: int = 201
    updated_status: int = 200
    writing_state: str = "Updating"
    has_state: bool = True
    status_path: str = "/subscriptions/{subscription}/providers/{namespace}/locations/{location}/operations/{operation}"
    etag: Etag = "none"
    inline: Mapping[str, str] = field(default_factory=dict)
    inline_only: bool = False
    locks: bool = False
    prepare: Callable[[Change], None] = _nothing
    render: Callable[[Reads, Json], Json] = _no_members
    shown: Callable[[Reads, Json], Json] = _no_members
    outcome: Callable[[Reads, Json], Outcome] | None = None
    preflight: Callable[[Reads, Sequence[tuple[str, Json]]], list[ServiceError]] | None = None
    absent: Callable[[ResourceId], ServiceError] = exceptions.resource_not_found
    in_use: Callable[..., ServiceError] | None = None
    removable: Callable[[Checks, Json], None] | None = None
    protected: Callable[[ResourceId], None] = _unprotected
    stored: Callable[[Writes, Json], Awaitable[None]] = _no_effect
    removed: Callable[[Writes, Json], Awaitable[None]] = _no_effect
    actions: Mapping[str, Action] = field(default_factory=dict)
    answers_deleted: bool = False
    collections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    attributes: Callable[[Reads, Any], Mapping[str, str]] = _no_members

    def write_etag(self, etag: str) -> str:
        """Return an etag in the form that this type uses, or "" if it uses none."""
        return {"weak": f'W/"{etag}"', "bare": etag, "quoted": f'"{etag}"', "none": ""}[self.etag]

    @property
    def namespace(self) -> str:
        """Namespace of the resource provider."""
        return self.name.partition("/")[0]

    @property
    def kind(self) -> str:
        """The type's last segment in the singular and capitalized, as errors name its objects."""
        last = self.name.rsplit("/", 1)[-1]
        return last[0].upper() + last[1:].removesuffix("s")


@dataclass(frozen=True)
class ProviderAction:
    """A POST on a provider in a subscription, such as `checkNameAvailability`.

    Args:
        name: such as `Microsoft.Storage/checkNameAvailability`.
        api_versions: supported api-versions.
        permission: the action that the caller needs on the subscription.
        run: takes the body of the request and returns the body of the answer.
    """

    name: str
    api_versions: tuple[str, ...]
    permission: str
    run: Callable[[Reads, Json], Json]
