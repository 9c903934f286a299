"""The state of the running platform that the control service shows and changes."""

import re
from dataclasses import fields
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from emulator.arm.groups import LOCATIONS, normal_location
from emulator.arm.ids import parse_resource
from emulator.arm.models import ArmModel
from emulator.arm.quotas import Limits
from emulator.arm.writes.put_body import read_body
from emulator.authorization.deny_assignments import DENY_ASSIGNMENTS, completed
from emulator.authorization.deny_assignments import VERSIONS as DENIAL_VERSIONS
from emulator.compute.quotas import NAMES, Quotas
from emulator.control.exceptions import INVALID, NO_PROVIDER, UNKNOWN_DENIAL, UNKNOWN_FAULT
from emulator.core.clock import rfc3339
from emulator.core.faults import KINDS, Fault
from emulator.core.platform import Platform
from emulator.network.usages import USAGES, usages

if TYPE_CHECKING:
    from collections.abc import Callable

MAY_SET = {member.name: member.type for member in fields(Fault) if member.name != "id"}

QUOTA_MEMBERS = ("subscription", "location", "family", "limit")
DENIAL_MEMBERS = ("scope", "name", "properties")


def _no_processes() -> list[dict[str, Any]]:
    return []


class ControlModel:
    """The platform, as its operators see and change it."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        # Set by the supervisor of the processes; a platform in a test has no processes.
        self.processes: Callable[[], list[dict[str, Any]]] = _no_processes
        self.ready = False
        # What `up` tells people of the addresses; set when all is up.
        self.addresses: dict[str, str] = {}
        # Called when ARM's certificate has changed, because a file for users holds a copy of it.
        self.after_rollover: Callable[[], object] = _no_processes

    def health(self) -> dict[str, Any]:
        """Return whether everything is up, and the list of processes."""
        return {"ready": self.ready, "processes": self.processes()}

    def clock(self) -> dict[str, Any]:
        """Return the platform's time and its time scale: how many times faster than Azure's its latencies pass."""
        return {"now": rfc3339(self._platform.clock.now()), "timeScale": self._platform.clock.time_scale}

    def overview(self) -> dict[str, Any]:
        """Return what the first view of the page shows: health, time, addresses, and the names of the services."""
        names = sorted(service.name for service in self._platform.services)
        return self.health() | self.clock() | {"addresses": self.addresses, "services": names}

    async def resources(self) -> list[dict[str, str]]:
        """Return id, type, location and state of each resource of all subscriptions, the provider's clusters too."""
        arm = self._platform.model(ArmModel)
        own = [arm.render(stored) for stored in arm.scan("/subscriptions/")]
        return [
            {name: found.get(name) or "" for name in ("id", "type", "location")}
            | {"state": found.get("properties", {}).get("provisioningState") or ""}
            for found in [*own, *await arm.front_door.known("/subscriptions/")]
        ]

    def faults(self) -> list[dict[str, Any]]:
        """Return the faults in force."""
        return [fault.describe() for fault in self._platform.faults.list()]

    def add_fault(self, document: Any) -> dict[str, Any]:
        """Put a fault in force.

        Raises:
            ServiceError: 400, which names the wrong member and the allowed values.
        """
        if not isinstance(document, dict):
            raise INVALID(f"a fault is a JSON object with members of {', '.join(MAY_SET)}")
        unknown = sorted(set(document) - set(MAY_SET))
        if unknown:
            raise INVALID(f"{', '.join(unknown)}: unknown; a fault has {', '.join(MAY_SET)}")
        service = document.get("service", "*")
        names = sorted(service.name for service in self._platform.services)
        if service != "*" and service not in names:
            raise INVALID(f"service {service!r} is unknown; there are {', '.join(names)} and * for all")
        for name in ("count", "skip", "status_code"):
            if not isinstance(document.get(name, 0), int):
                raise INVALID(f"{name} must be a whole number")
        if document.get("kind", "status") not in KINDS:
            raise INVALID(f"kind must be one of {', '.join(KINDS)}")
        try:
            return self._platform.faults.add(Fault(**document)).describe()
        except (TypeError, ValueError, re.error) as error:
            raise INVALID(str(error)) from error

    def clear_faults(self, fault_id: str | None = None) -> int:
        """Lift one fault or all; return how many were lifted.

        Raises:
            ServiceError: 404 if there is no such fault.
        """
        lifted = self._platform.faults.clear(fault_id)
        if fault_id is not None and not lifted:
            raise UNKNOWN_FAULT(fault_id)
        return lifted

    def roll_over(self) -> None:
        """Make ARM use its next client certificate."""
        self._platform.model(ArmModel).identity.roll_over()
        self.after_rollover()

    def quotas(self, subscription: str, location: str) -> list[dict[str, Any]]:
        """Return the limits of a subscription in a region, and its current use, in the form of Azure's usages.

        Raises:
            ServiceError: the subscription or the region does not exist.
        """
        self._check_place(subscription, location)
        place = subscription, normal_location(location)
        return [*self._platform.model(Quotas).usages(*place), *usages(self._platform.model(ArmModel), *place)]

    def set_quota(self, document: Any) -> dict[str, Any]:
        """Set the limit of a subscription in a region; return the quota.

        Raises:
            ServiceError: 400, which names the wrong member and the allowed values.
        """
        if not isinstance(document, dict) or set(document) != set(QUOTA_MEMBERS):
            raise INVALID(f"a quota is a JSON object with the members {', '.join(QUOTA_MEMBERS)}")
        subscription, location, family = (str(document[name]) for name in QUOTA_MEMBERS[:3])
        limit = document["limit"]
        names = (*NAMES, *USAGES)
        name = next((known for known in names if known.lower() == family.lower()), None)
        if name is None:
            raise INVALID(f"family {family!r} is unknown; there are {', '.join(names)}")
        self._check_place(subscription, location)
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
            raise INVALID("limit must be a whole number, 0 or more")
        Limits(self._platform).set(subscription, normal_location(location), name, limit)
        return document | {"family": name}

    def provider(self) -> dict[str, Any]:
        """Return the registration of the resource provider.

        Raises:
            ServiceError: 404 if none is registered.
        """
        found = self._platform.model(ArmModel).registration.get()
        if found is None:
            raise NO_PROVIDER()
        return found

    def register_provider(self, document: Any) -> dict[str, Any]:
        """Register the resource provider, and tell it of subscriptions that it has not heard of; return the registration.

        Raises:
            ServiceError: 400 for a bad registration.
        """
        arm = self._platform.model(ArmModel)
        registered = arm.register_provider(document)
        arm.front_door.announce()
        return registered

    def deny(self, document: Any) -> dict[str, Any]:
        """Put a deny assignment at a scope, as Azure's own services do: no customer could make or remove it.

        Args:
            document: `{"scope", "properties"}`, and optionally the GUID `name` of one to replace.

        Raises:
            ServiceError: 400, which names the wrong member.
        """
        if not isinstance(document, dict) or not {"scope", "properties"} <= set(document) <= {*DENIAL_MEMBERS}:
            raise INVALID(f"a deny assignment is a JSON object with the members {', '.join(DENIAL_MEMBERS)}")
        arm = self._platform.model(ArmModel)
        name = document.get("name") or str(uuid4())
        try:
            identifier = parse_resource(f"{document['scope']}/providers/{DENY_ASSIGNMENTS.name}/{name}")
        except ValueError as error:
            raise INVALID(str(error)) from error
        read = read_body(DENY_ASSIGNMENTS, identifier, DENIAL_VERSIONS[-1], {"properties": document["properties"]}).body
        properties = completed(read["properties"], identifier.scope, is_system_protected=True)
        denial = {"id": str(identifier), "name": name, "type": DENY_ASSIGNMENTS.name, "properties": properties}
        arm.documents.put(denial)
        self._platform.access_changed(identifier.scope)
        return denial

    def lift_denial(self, identifier: str) -> None:
        """Remove a deny assignment.

        Raises:
            ServiceError: 404 if there is none with this id.
        """
        arm = self._platform.model(ArmModel)
        found = arm.load(identifier)
        if found is None or found["type"] != DENY_ASSIGNMENTS.name:
            raise UNKNOWN_DENIAL(identifier)
        arm.documents.drop(found)
        self._platform.access_changed(found["properties"]["scope"])

    def _check_place(self, subscription: str, location: str) -> None:
        self._platform.model(ArmModel).subscriptions.get(subscription)
        if normal_location(location) not in LOCATIONS:
            raise INVALID(f"location {location!r} is unknown; there are {', '.join(LOCATIONS)}")

    def journal(
        self, correlation_id: str = "", service: str = "", text: str = "", without: str = "", last: int = 0
    ) -> list[dict[str, Any]]:
        """Return the calls since `up`, oldest first.

        Args:
            correlation_id: only calls with this id.
            service: only calls of this service.
            text: only calls that have this text in any member, in any case.
            without: no calls of this service.
            last: only so many of the last ones; 0 for all.
        """
        found: list[dict[str, Any]] = []
        for entry in reversed(list(self._platform.journal.entries(correlation_id, service))):
            known = vars(entry)
            if entry.service != without and text.lower() in " ".join(map(str, known.values())).lower():
                found.append(dict(known))
                if len(found) == last:
                    break
        return found[::-1]
