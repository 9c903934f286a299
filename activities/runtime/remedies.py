"""Chooses the remedy for a failure: by its cause, then by its owner, and only then by the step that met it.

The message of a row helps against problems that the row itself finds. It does not help if the service's own data is the
problem, if Azure has an outage, or if Azure reports a specific code. Those remedies are here. The engine has the
remedies for crashes and deadlines, see `orchestrators/verdicts.py`.
"""

from collections.abc import Iterator

from shared.arm.errors import CloudError, CloudErrorBody, Owner
from shared.steps import ResolvedRow, RetryClass

# For the service's own data, credentials and networks.
OURS = (
    "Nothing is wrong with the request. Repeat it to continue from this step; if it fails again, open a support "
    "request with the correlation id."
)
# For a call that Azure left unanswered or postponed until its row gave up.
LATER = (
    "Azure was busy or unavailable for too long. Repeat the request in some minutes to continue from this step; "
    "if it fails again, look at Azure's status page, or open a support request with the correlation id."
)
# For a resource that somebody else is changing.
BUSY = (
    "Wait until the other operation on this resource has ended, then repeat the request to continue from this step. "
    "If it fails again, open a support request with the correlation id."
)
# For any other refusal, about which only Azure knows more.
REPORTED = (
    "Correct what Azure reports below, then repeat the request to continue from this step. If Azure reports the same "
    "again, open a support request with the correlation id."
)
_GRANT = (
    "The message names a principal, an action and a scope. Assign the principal a role that has this action at this "
    "scope, and remove deny assignments that forbid it. Then repeat the request to continue from this step."
)
_NO_ROOM = (
    "Azure has no room for this size now. Repeat the request later to continue from this step, or delete the cluster "
    "and create it again with another size or in another region."
)
_MORE_QUOTA = (
    "Raise the quota that the message names (Azure portal, Quotas), or free some of it, then repeat the request to "
    "continue from this step."
)
# Retry classes of trouble in Azure. If a row gives up on one of these, the trouble has lasted too long.
_TROUBLE = frozenset({RetryClass.THROTTLED, RetryClass.TRANSIENT, RetryClass.GIVEN_UP})

# The remedy for each of Azure's codes, wherever it is among the causes. The first match in this order wins.
BY_CODE: dict[str, str] = {
    "RequestDisallowedByPolicy": (
        "Exempt the resource group of what was refused from the policy that the message names, then repeat the "
        "request to continue from this step."
    ),
    "ScopeLocked": (
        "The message names the scopes that are locked. List the locks with az lock list, remove each with az lock "
        "delete --ids ID, then repeat the request to continue from this step."
    ),
    "MissingSubscriptionRegistration": "Register the resource provider that the message names: az provider register "
    "--namespace NAME. Then repeat the request to continue from this step.",
    "QuotaExceeded": _MORE_QUOTA,
    "ResourceQuotaExceeded": _MORE_QUOTA,
    "AuthorizationFailed": _GRANT,
    "LinkedAuthorizationFailed": _GRANT,
    "DenyAssignmentAuthorizationFailed": _GRANT,
    "RoleAssignmentExists": (
        "Remove the role assignment that the message names from the cluster's resource group: somebody assigned by "
        "hand what the service assigns. Then repeat the request to continue from this step."
    ),
    "RoleAssignmentLimitExceeded": (
        "Remove role assignments that the subscription no longer needs, then repeat the request to continue from this "
        "step."
    ),
    "PrincipalNotFound": (
        "Make sure that the cluster's service principal still exists in this tenant (az ad sp show --id CLIENT_ID), "
        "then repeat the request. For another application, delete the cluster and create it again."
    ),
    "SubnetIsFull": (
        "Make room in the subnet that the message names, then repeat the request to continue from this step."
    ),
    # The data plane of a storage account: its firewall refuses the service.
    "AuthorizationFailure": "Exempt the cluster's resource group from policies that restrict network access to storage "
    "accounts, and undo what they changed. Then repeat the request to continue from this step.",
    "SkuNotAvailable": _NO_ROOM,
    "AllocationFailed": _NO_ROOM,
    "ZonalAllocationFailed": _NO_ROOM,
    "OverconstrainedAllocationRequest": _NO_ROOM,
    # The next request deploys the machine again.
    "OSProvisioningTimedOut": (
        "Read the machines' last console lines, below. Check that network security groups, firewalls, route tables "
        "and DNS servers of the virtual network let them reach each other, the storage account and the container "
        "registry. Then repeat the request: machines that did not start are created again."
    ),
}


def of_azure(error: CloudError, retry_class: RetryClass) -> str:
    """Return the remedy for an error that Azure answered, or for a missing answer."""
    return by_cause(error) or _by_owner(error, retry_class) or REPORTED


def of_step(error: CloudError, retry_class: RetryClass, row: ResolvedRow) -> str:
    """Return the remedy for an error that a step raised on purpose, with its own message.

    Args:
        error: the error.
        retry_class: its class; `NONE` if trying again does not help.
        row: the row of the step.
    """
    if row.get("together") and error.owner == Owner.CUSTOMER:
        # A check has compared what exists with what is needed, and its row knows what helps.
        return row["message"]
    return by_cause(error) or _by_owner(error, retry_class) or row["message"]


def by_cause(error: CloudError) -> str:
    """Return the remedy for the first known code of an error or its causes, or ""."""
    found = {error.code, *_codes(error.details)}
    return next((remedy for each, remedy in BY_CODE.items() if each in found), "")


def _by_owner(error: CloudError, retry_class: RetryClass) -> str:
    if error.owner == Owner.PLATFORM:
        return OURS
    if retry_class == RetryClass.BUSY:
        return BUSY
    return LATER if error.owner == Owner.AZURE and retry_class in _TROUBLE else ""


def _codes(causes: list[CloudErrorBody]) -> Iterator[str]:
    for cause in causes:
        yield cause.get("code", "")
        yield from _codes(cause.get("details", []))
