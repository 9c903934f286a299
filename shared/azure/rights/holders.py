"""Who has any role assignment in a subscription: asked before everything else, because the answer costs little.

Whoever signs in may name any subscription and any group, as often as he likes. The reads that answer his questions are
made in the service's name, and ARM throttles them for all callers together.
"""

from collections.abc import Callable

from shared import durations
from shared.arm import resource_id
from shared.arm.resource_id import ResourceId
from shared.azure import scopes
from shared.azure.arm_reads import ArmReads, ArmRefused
from shared.azure.rights import assignments
from shared.azure.rights.recent_reads import SERVES_SECONDS, RecentReads, wait

AGAIN_SECONDS = durations.SUBSCRIPTION_AGAIN.total_seconds()
_SUBSCRIPTIONS, _ASSIGNMENTS = "2022-12-01", "2022-04-01"


class Holders:
    """The subscriptions that the service serves, and who has roles there. What ARM does not show may exist."""

    def __init__(self, arm: ArmReads, clock: Callable[[], float]) -> None:
        """Begin with nothing read."""
        self._arm = arm
        self._served: RecentReads[frozenset[str] | None] = RecentReads(clock, most=1)
        self._held: RecentReads[frozenset[str] | None] = RecentReads(clock)

    def holds(self, principal_id: str, scope: str) -> bool:
        """Tell whether a principal may have a right at a scope or below it; to be called within a deadline.

        Raises:
            CloudError: 503 `ServiceUnavailable` if ARM is away.
        """
        parsed = resource_id.try_parse(scope)
        if parsed is None or not self._serves(parsed.subscription_id):
            return False
        subscription = str(ResourceId(parsed.subscription_id)).lower()
        held = wait(self._held.get((principal_id, subscription), lambda: self._read_held(principal_id, subscription)))
        return held is None or any(
            scopes.holds_at(assigned, scope) or scopes.holds_at(scope, assigned) for assigned in held
        )

    def subscriptions(self, principal_id: str) -> list[str]:
        """Return the subscriptions that the service serves and where a principal has a role; to be called like `holds`.

        Those that ARM does not show are not among them.

        Raises:
            CloudError: 503 `ServiceUnavailable` if ARM is away.
        """
        served = wait(self._served.get("", self._read_served, seconds=SERVES_SECONDS))
        return [each for each in sorted(served or ()) if self.holds(principal_id, f"/subscriptions/{each}")]

    def _serves(self, subscription_id: str) -> bool:
        for seconds in (SERVES_SECONDS, AGAIN_SECONDS):
            served = wait(self._served.get("", self._read_served, seconds=seconds))
            if served is None or subscription_id.lower() in served:
                return True
        return False

    def _read_served(self) -> frozenset[str] | None:
        """Return the subscriptions in which the app has a role; None if ARM does not show them."""
        try:
            listed = self._arm.list("/subscriptions", _SUBSCRIPTIONS)
        except ArmRefused:
            return None
        return frozenset(str(document.get("subscriptionId")).lower() for document in listed)

    def _read_held(self, principal_id: str, subscription: str) -> frozenset[str] | None:
        """Return the scopes at, above and below a subscription at which a principal, or a group of it, has a role."""
        filter_ = f"assignedTo('{principal_id}')"
        try:
            _, listed = scopes.list_nearest(self._arm, subscription, "roleAssignments", _ASSIGNMENTS, filter_)
        except ArmRefused:
            return None
        return frozenset(assignment.scope for assignment in assignments.role_assignments(listed))
