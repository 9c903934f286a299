"""References between resources, indexed by target, because a resource must not be deleted while others refer to it."""

from collections.abc import Collection, Sequence
from typing import Any, Protocol

from emulator.arm import exceptions
from emulator.arm.ids import ResourceId, parse_resource
from emulator.arm.schema import Found, Reference
from emulator.core.platform import Platform

SEPARATOR = "|"


class Resources(Protocol):
    """What a check of references asks of the model."""

    def load(self, identifier: ResourceId | str) -> dict[str, Any] | None:
        """Return the stored document of a resource, or None."""

    def resource_type(self, name: str) -> object | None:
        """Return the row of a type, or None if it is not emulated."""


class References:
    """The references between stored resources, under the keys `<target>|<holder>`."""

    def __init__(self, platform: Platform) -> None:
        self._table = platform.store.table("arm_references")

    def replace(self, holder: str, before: Sequence[str], after: Sequence[str]) -> None:
        """Replace the references of a holder."""
        for target in before:
            if target not in after:
                self._table.delete(f"{target}{SEPARATOR}{holder.lower()}")
        for target in after:
            self._table.put(f"{target}{SEPARATOR}{holder.lower()}", {"holder": holder})

    def holders(self, target: str) -> list[str]:
        """Return the ids of the resources that refer to a target, or did before they went."""
        return [document["holder"] for _, document in self._table.scan(f"{target.lower()}{SEPARATOR}")]

    def check(
        self,
        arm: Resources,
        holder: ResourceId,
        location: str,
        references: Sequence[tuple[str, str, Reference]],
        *,
        inside: str = "",
        coming: Collection[str] = (),
    ) -> None:
        """Check that the references of a write lead to existing resources.

        Args:
            arm: the model.
            holder: id of the resource that is written.
            location: its location.
            references: (JSON path, id, reference) of each reference in the body.
            inside: lower-case prefix of the ids that the same body creates or removes.
            coming: the lower-case ids with that prefix that exist after the write.

        Raises:
            ServiceError: 400 for a reference of the wrong form, type, subscription or region, or to a resource that
                does not exist.
        """
        for path, target, reference in references:
            identifier = _parse(holder, path, target, reference)
            if reference.same_subscription and identifier.subscription_id.lower() != holder.subscription_id.lower():
                raise exceptions.REFERENCED_RESOURCE_ELSEWHERE(holder=holder, target=target)
            if arm.resource_type(reference.type) is None:
                raise exceptions.REFERENCE_NOT_EMULATED(path=path, resource_type=reference.type)
            if inside and identifier.key.startswith(inside):
                there = identifier.key in coming
            else:
                there = _is_there(arm, identifier, location if reference.same_region else "")
            if not there:
                if reference.missing is not None:
                    raise reference.missing(holder=holder, target=target)
                raise exceptions.REFERENCED_RESOURCE_MISSING(holder=holder, target=target)


def _is_there(arm: Resources, identifier: ResourceId, location: str) -> bool:
    """Tell whether a resource exists and, if a location is given, is there; a child has the location of its root."""
    root = arm.load(identifier.root)
    where = location if root is None else root.get("location", location)
    return arm.load(identifier) is not None and (not location or where == location)


def _parse(holder: ResourceId, path: str, target: str, reference: Reference) -> ResourceId:
    try:
        identifier = parse_resource(target)
    except ValueError:
        identifier = None
    if identifier is not None and identifier.type.lower() == reference.type.lower():
        return identifier
    if identifier is not None and reference.another is not None:
        raise reference.another(Found(holder, path, target))
    raise exceptions.REFERENCE_OF_ANOTHER_TYPE(path=path, target=target, wanted=reference.type.rsplit("/", 1)[-1])
