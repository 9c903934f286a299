"""What a principal may do at a scope: Azure RBAC, evaluated as ARM does, from what ARM lists.

Role assignments grant, deny assignments take away, and what cannot be read or understood counts as no. A scope need not
exist: what is assigned above it holds there all the same.

Sources: https://learn.microsoft.com/azure/role-based-access-control/overview, and its pages on role definitions and on
listing role assignments and deny assignments by REST.
"""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from urllib.parse import quote

from shared import deadline, tracing
from shared.arm import resource_id
from shared.arm.resource_id import ResourceId, is_uuid
from shared.azure import scopes
from shared.azure.arm_reads import ArmReads, ArmRefused, Documents, arm_reads, is_plain, provider_reads
from shared.azure.rights import assignments
from shared.azure.rights.assignments import DenyAssignment, Permission
from shared.azure.rights.holders import Holders
from shared.azure.rights.recent_reads import RecentReads, wait

_API_VERSION = "2022-04-01"
# More scopes than these are not read one by one, which ARM would throttle: all of a subscription is read at once.
_MOST_SCOPES = 8
_ROLE, _DENY = "roleAssignments", "denyAssignments"
_DEFINITIONS = "/providers/microsoft.authorization/roledefinitions/"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ask:
    """One question: an action, such as `Microsoft.RedHatOpenShift/openShiftClusters/read`, and the id of its scope."""

    action: str
    scope: str


@dataclass(frozen=True)
class _Listed:
    """What ARM listed, and for which scope: the asked one, or its nearest parent. None if ARM did not show it."""

    place: str
    documents: Documents | None


@dataclass(frozen=True)
class _Place:
    """What ARM is asked for: what holds at a scope alone, or also what holds somewhere below it."""

    scope: str
    alone: bool


@dataclass(frozen=True)
class _Finding:
    """What bears on one question: the roles that may grant it, and what may deny it."""

    ask: Ask
    place: _Place
    role_ids: frozenset[str]
    denials: tuple[DenyAssignment, ...]


class Rights:
    """Answers for one process. One instance serves all threads."""

    def __init__(self, arm: ArmReads, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with nothing read."""
        self._arm = arm
        self._lists: RecentReads[_Listed] = RecentReads(clock)
        self._roles: RecentReads[tuple[Permission, ...]] = RecentReads(clock)
        self._holders = Holders(arm, clock)

    def holds(self, principal_id: str, scope: str) -> bool:
        """Tell whether a principal may have any right at a scope or below it, by what ARM listed within a minute.

        This costs one read a minute for each principal and subscription, and none for a subscription that the service
        does not serve. Whoever has nothing is refused by it, so only others can cause the reads of `may_each`.

        Raises:
            CloudError: 503 `ServiceUnavailable` as in `may_each`.
        """
        principal_id = principal_id.lower()
        with deadline.arm_reads():
            return is_uuid(principal_id) and self._holders.holds(principal_id, scope)

    def subscriptions(self, principal_id: str) -> list[str]:
        """Return the subscriptions that the service serves and where a principal may have any right, in order.

        Raises:
            CloudError: 503 `ServiceUnavailable` as in `may_each`.
        """
        principal_id = principal_id.lower()
        with deadline.arm_reads():
            return self._holders.subscriptions(principal_id) if is_uuid(principal_id) else []

    def may(self, principal_id: str, ask: Ask, *, fresh: bool = False) -> bool:
        """Tell whether a principal may do something; see `may_each`."""
        return self.may_each(principal_id, [ask], fresh=fresh)[0]

    def may_each(self, principal_id: str, asks: Sequence[Ask], *, fresh: bool = False) -> list[bool]:
        """Answer each question. All of them together take two round trips to ARM at most, if their scopes exist.

        Args:
            principal_id: object id of a user, a service principal or a managed identity, but not of a group.
            asks: actions and scopes.
            fresh: whether to read everything now, instead of using what ARM said within the last minute.

        Raises:
            CloudError: 503 `ServiceUnavailable` if ARM is away, throttles, or takes longer than two seconds.
        """
        principal_id = principal_id.lower()
        if not is_uuid(principal_id):
            return [False] * len(asks)
        with deadline.arm_reads():
            findings = self._findings(principal_id, asks, fresh=fresh)
            # Both are begun before either is waited for.
            memberships = self._begin_memberships(principal_id, findings, fresh=fresh)
            roles = self._read_roles({role_id for finding in findings for role_id in finding.role_ids}, fresh=fresh)
            denials = {place: wait(listed).documents for place, listed in memberships.items()}
        return [_is_granted(finding, roles) and not _is_denied(principal_id, finding, denials) for finding in findings]

    def definition(self, role_id: str) -> tuple[Permission, ...]:
        """Return what a role has; nothing if ARM does not show it.

        Args:
            role_id: id of the definition, at the subscription or the tenant.

        Raises:
            CloudError: 503 `ServiceUnavailable` as in `may_each`.
        """
        with deadline.arm_reads():
            return wait(self._begin_role(role_id, fresh=False))

    def _findings(self, principal_id: str, asks: Sequence[Ask], *, fresh: bool) -> list[_Finding]:
        places = _places({ask.scope for ask in asks})
        granted = {place: self._list(_ROLE, place, principal_id, fresh=fresh) for place in set(places.values())}
        # Without the principal: ARM's page does not promise that its filter finds what is denied to everyone.
        denied = {place: self._list(_DENY, place, "", fresh=fresh) for place in granted}
        return [
            _finding(ask, place, wait(granted[place]), wait(denied[place]))
            for ask, place in ((ask, places[ask.scope]) for ask in asks)
        ]

    def _begin_memberships(
        self, principal_id: str, findings: Iterable[_Finding], *, fresh: bool
    ) -> dict[_Place, Future[_Listed]]:
        """Begin to list what is denied to groups that the principal is in, for the places where that matters."""
        places = {
            finding.place
            for finding in findings
            if finding.role_ids and any(denial.concerns(principal_id) is None for denial in finding.denials)
        }
        return {place: self._list(_DENY, place, principal_id, fresh=fresh) for place in places}

    def _list(self, kind: str, place: _Place, principal_id: str, *, fresh: bool) -> Future[_Listed]:
        whose = [f"assignedTo('{principal_id}')"] if principal_id else []
        filter_ = " and ".join([scopes.AT_SCOPE, *whose] if place.alone else whose)

        def read() -> _Listed:
            try:
                return _Listed(*scopes.list_nearest(self._arm, place.scope, kind, _API_VERSION, filter_))
            except ArmRefused as error:
                _warn(f"the {kind} at {place.scope}", error)
                return _Listed(place.scope, None)

        key = (kind, place.scope.translate(scopes.ASCII_LOWER), filter_)
        return self._lists.get(key, read, fresh=fresh)

    def _read_roles(self, role_ids: Iterable[str], *, fresh: bool) -> dict[str, tuple[Permission, ...]]:
        begun = {role_id: self._begin_role(role_id, fresh=fresh) for role_id in role_ids}
        return {role_id: wait(read) for role_id, read in begun.items()}

    def _begin_role(self, role_id: str, *, fresh: bool) -> Future[tuple[Permission, ...]]:
        def read() -> tuple[Permission, ...]:
            try:
                return assignments.permissions_of(self._arm.get(role_id, _API_VERSION) or {})
            except ArmRefused as error:
                _warn(f"the role {role_id}", error)
                return ()

        return self._roles.get(role_id, read, fresh=fresh)


def _places(asked: set[str]) -> dict[str, _Place]:
    """Return where ARM is asked about each scope. `_finding` leaves out what does not hold there."""
    few = len(asked) <= _MOST_SCOPES
    return {scope: _Place(scope, alone=True) if few else _subscription_of(scope) for scope in asked}


def _subscription_of(scope: str) -> _Place:
    parsed = resource_id.try_parse(scope)
    if parsed is None or not is_plain(scope):
        return _Place(scope, alone=True)
    return _Place(str(ResourceId(parsed.subscription_id)), alone=False)


def _finding(ask: Ask, place: _Place, granted: _Listed, denied: _Listed) -> _Finding:
    """Return what bears on a question; if the lists are incomplete or of different scopes, no role does."""
    if granted.documents is None or denied.documents is None or granted.place != denied.place:
        return _Finding(ask, place, frozenset(), ())
    return _Finding(
        ask,
        place,
        frozenset(
            assignment.role_id
            for assignment in assignments.role_assignments(granted.documents)
            if assignment.gives(ask.action, ask.scope) and _is_definition(assignment.role_id)
        ),
        tuple(
            denial
            for denial in map(assignments.deny_assignment, denied.documents)
            if denial.denies(ask.action, ask.scope)
        ),
    )


def _is_definition(role_id: str) -> bool:
    _, marker, name = role_id.translate(scopes.ASCII_LOWER).rpartition(_DEFINITIONS)
    return bool(marker) and is_uuid(name)


def _is_granted(finding: _Finding, roles: dict[str, tuple[Permission, ...]]) -> bool:
    return any(permission.grants(finding.ask.action) for role_id in finding.role_ids for permission in roles[role_id])


def _is_denied(principal_id: str, finding: _Finding, memberships: dict[_Place, Documents | None]) -> bool:
    """Tell whether something denies a question; if it depends on groups, whether ARM lists it for the principal."""
    through_groups = memberships.get(finding.place)
    listed = {assignments.id_of(document) for document in through_groups or []}

    def concerns(denial: DenyAssignment) -> bool:
        known = denial.concerns(principal_id)
        return through_groups is None or denial.id in listed if known is None else known

    return any(concerns(denial) for denial in finding.denials)


def _warn(what: str, error: ArmRefused) -> None:
    _log.warning(
        "ARM does not show %s, so it counts as no: %s",
        quote(what, safe=" /"),
        error.message,
        extra=tracing.current.get().extra(),
    )


@cache
def rights() -> Rights:
    """Return the rights of this process, built once."""
    return Rights(arm_reads())


@cache
def provider_rights(tenant_id: str, read_secret: Callable[[str], str]) -> Rights:
    """Return the rights of a customer's principals, read as who acts for the service there; built once for each tenant.

    Args:
        tenant_id: the customer's tenant.
        read_secret: as in `credentials.provider`.
    """
    return Rights(provider_reads(tenant_id, read_secret))
