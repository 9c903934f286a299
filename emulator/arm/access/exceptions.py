"""The 403 errors of access checks, in ARM's words."""

from collections.abc import Sequence

from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY, said
from emulator.entra.models import Principal


@said(MEMORY)
def authorization_failed(caller: Principal, action: str, scope: str, *, limited: bool = False) -> ServiceError:
    """Build the 403 for a call that no role assignment allows.

    Args:
        caller: the principal that made the call.
        action: the action that the caller lacks.
        scope: the scope of the call.
        limited: whether a role assignment allows the action, but its condition does not allow this call.
    """
    lacks = "authorization or an ABAC condition not fulfilled" if limited else "authorization"
    return ServiceError(
        403,
        "AuthorizationFailed",
        f"The client '{caller.shown}' with object id '{caller.object_id}' does not have {lacks} to perform "
        f"action '{action}' over scope '{scope}' or the scope is invalid. If access was recently granted, please "
        "refresh your credentials.",
    )


@said(MEMORY)
def linked_authorization_failed(
    caller: Principal,
    action: str,
    scope: str,
    missing: Sequence[tuple[str, str]],
    blocked: Sequence[tuple[str, str]],
) -> ServiceError:
    """Build the 403 for a write that joins resources which the caller may not join."""
    actions = ",".join(dict.fromkeys(pair[0] for pair in (*missing, *blocked)))
    begin = (
        f"The client '{caller.shown}' with object id '{caller.object_id}' has permission to perform action "
        f"'{action}' on scope '{scope}'; however, it does not have permission to perform action(s) '{actions}' on the "
    )
    if not blocked:
        scope_list = ",".join(pair[1] for pair in missing)
        end = f"linked scope(s) '{scope_list}' (respectively) or the linked scope(s) are invalid."
    else:
        end = (
            f"'{len(missing)}' linked scope(s) '{','.join(pair[1] for pair in missing)}' or the linked scope(s) are "
            f"invalid and is blocked by deny assignments on the '{len(blocked)}' linked scope(s) "
            f"'{','.join(pair[1] for pair in blocked)}'."
        )
    return ServiceError(403, "LinkedAuthorizationFailed", begin + end)


# fmt: off
SCOPE_LOCKED = Refusal(409, "ScopeLocked", MEMORY,
    "The scope '{scope}' cannot perform {operation} operation because following scope(s) are locked: '{locked:,}'. "
    "Please remove the lock and try again.")
DENIED = Refusal(403, "DenyAssignmentAuthorizationFailed", MEMORY,
    "The client '{caller.shown}' with object id '{caller.object_id}' has permission to perform action '{action}' on scope "
    "'{scope}'; however, the access is denied because of the deny assignment with name '{denial[denyAssignmentName]}' and "
    "Id '{denial_id}' at scope '{denial[scope]}'.")
# fmt: on
