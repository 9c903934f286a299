"""The resource type registry: one row for each type, contributed by the service folders.

A row says what a type's JSON may hold, in which api-versions, how long Azure takes for it, how the answer tells about
that, what it refers to and who may not be deleted while referred to. The model in `models.py` interprets rows.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from emulator.arm.ids import ResourceId
from emulator.arm.operations import Outcome
from emulator.core.errors import ServiceError
from emulator.entra.models import Principal

if TYPE_CHECKING:
    from emulator.arm.models import ArmModel

Json = dict[str, Any]

# sync: the answer is final. operation: a PUT answers 200 or 201 with `Azure-AsyncOperation`. accepted: it answers 202
# with that. location: 202 with `Location` alone.
Reply = Literal["sync", "operation", "accepted", "location"]
# How the `etag` member is written: `W/"<id>"`, bare, in quotes, or not at all.
Etag = Literal["weak", "bare", "quoted", "none"]
# region: tracked in a region. global: tracked, location `global`. none: a child or an extension, without location.
Placement = Literal["region", "global", "none"]

DEFAULT_NAME = r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,78}[A-Za-z0-9_])?"


@dataclass
class Change:
    """A PUT under way, as the hooks of a row see it.

    Args:
        arm: the model, to look at other resources.
        caller: who asks.
        id: the resource.
        api_version: of the request.
        location: of the resource, "" where the type has none.
        existing: what is stored under the id, or None.
        body: the body as read by the property table; a hook may add defaults and computed members.
        parent: the parent's document or, when both come in one body, its body.
        siblings: (name, document or body) of the parent's other children of this type.
        made: ids of what the resource will refer to beside the references in its body; a hook adds them.
    """

    arm: "ArmModel"
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
    """A POST on a resource.

    Args:
        arm: the model.
        caller: who asks.
        id: the resource that the action is called on.
        api_version: of the request.
        stored: the resource's document.
        body: of the request.
    """

    arm: "ArmModel"
    caller: Principal
    id: ResourceId
    api_version: str
    stored: Json
    body: Json


def _nothing(_change: Change) -> None:
    """Check nothing: the default of a row."""


def _no_members(_arm: "ArmModel", _stored: Json) -> Json:
    """Compute nothing: the default of a row."""
    return {}


async def _no_effect(_arm: "ArmModel", _stored: Json) -> None:
    """Touch no other service: the default of a row."""


@dataclass(frozen=True)
class Action:
    """A POST that a type has.

    Args:
        run: does it, at once or, where it calls another service, awaited.
        seconds: how long Azure takes; more than 0 makes it a long-running operation.
    """

    run: Callable[[ActionCall], Json | Awaitable[Json]]
    seconds: float = 0


@dataclass(frozen=True)
class ResourceType:
    """A row.

    Args:
        name: `Microsoft.Network/virtualNetworks/subnets`.
        api_versions: accepted, any order.
        properties: property table of `properties`.
        members: property table of what stands beside `properties` (`sku`, `kind`, `zones`); names, tags and
            location are every type's.
        placement: see `Placement`.
        name_pattern: what a name matches in whole.
        create_seconds: until a new one is there.
        update_seconds: until a change is there.
        delete_seconds: until it is gone.
        reply: see `Reply`.
        writing_state: `provisioningState` meanwhile.
        has_state: whether it has a `provisioningState`.
        status_path: where its operations are polled: `{id}`, `{subscription}`, `{namespace}`, `{location}`,
            `{operation}` are filled in.
        etag: see `Etag`; conditions are heeded either way.
        inline: property that holds children, and their type.
        inline_only: it is written inside its parent alone; its own address is for reading.
        locks: writes exclude each other with those on the same top-level resource.
        prepare: raises what is wrong across members, adds defaults and computed members.
        render: members of `properties` computed at each read.
        shown: members beside `properties` computed at each read.
        outcome: whether what a write waits for, beyond its time, has happened; None when time alone ends it. It gets
            the document, and must load none of this resource.
        preflight: what a deployment of these (id, body as far as it is known) is refused for before it begins.
        in_use: the error for a deletion while these ids refer to it.
        removable: raises when it must not be deleted.
        stored: touches other services after a write.
        removed: touches other services when it goes.
        actions: POSTs by name.
        answers_deleted: whether DELETE answers the resource as it was.
        collections: further lists of children, by name, and the types in them.
    """

    name: str
    api_versions: tuple[str, ...]
    properties: Json
    members: Json = field(default_factory=dict)
    placement: Placement = "none"
    name_pattern: str = DEFAULT_NAME
    create_seconds: float = 0
    update_seconds: float = 0
    delete_seconds: float = 0
    reply: Reply = "sync"
    writing_state: str = "Updating"
    has_state: bool = True
    status_path: str = "/subscriptions/{subscription}/providers/{namespace}/locations/{location}/operations/{operation}"
    etag: Etag = "none"
    inline: Mapping[str, str] = field(default_factory=dict)
    inline_only: bool = False
    locks: bool = False
    prepare: Callable[[Change], None] = _nothing
    render: Callable[["ArmModel", Json], Json] = _no_members
    shown: Callable[["ArmModel", Json], Json] = _no_members
    outcome: Callable[["ArmModel", Json], Outcome] | None = None
    preflight: Callable[["ArmModel", Sequence[tuple[str, Json]]], list[ServiceError]] | None = None
    in_use: Callable[[str, list[str]], ServiceError] | None = None
    removable: Callable[["ArmModel", Json], None] | None = None
    stored: Callable[["ArmModel", Json], Awaitable[None]] = _no_effect
    removed: Callable[["ArmModel", Json], Awaitable[None]] = _no_effect
    actions: Mapping[str, Action] = field(default_factory=dict)
    answers_deleted: bool = False
    collections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def write_etag(self, etag: str) -> str:
        """Return an etag as this type writes it, "" when it has none."""
        return {"weak": f'W/"{etag}"', "bare": etag, "quoted": f'"{etag}"', "none": ""}[self.etag]

    @property
    def namespace(self) -> str:
        """The resource provider."""
        return self.name.partition("/")[0]

    @property
    def kind(self) -> str:
        """The type's last segment, in the form in which errors call its objects."""
        last = self.name.rsplit("/", 1)[-1]
        return last[0].upper() + last[1:].removesuffix("s")


@dataclass(frozen=True)
class ProviderAction:
    """A POST on a provider in a subscription, such as `checkNameAvailability`.

    Args:
        name: `Microsoft.Storage/checkNameAvailability`.
        api_versions: accepted.
        permission: action that the caller needs on the subscription.
        run: does it, with the body.
    """

    name: str
    api_versions: tuple[str, ...]
    permission: str
    run: Callable[["ArmModel", Json], Json]
