"""What helps against a failure, where that depends on its cause and not on the step that met it.

A row of the plan says what helps against what it was made for; what nobody in front of the request can mend, or what
Azure names by a code of its own, is said here.
"""

from collections.abc import Iterator

from shared.arm.errors import CloudErrorBody

# Of the service's own data and networks.
OURS = (
    "Nothing is wrong with the request. Repeat it to continue from this step; if it fails again, open a support request "
    "with the correlation id."
)
# Of a call that Azure did not answer, or put off, for as long as its row tries again.
LATER = (
    "Azure was busy or not to be reached for too long. Repeat the request in some minutes to continue from this step; "
    "if it fails again, look at Azure's status page, or open a support request with the correlation id."
)
_NO_ROOM = (
    "Azure has no room for this size now. Repeat the request later to continue from this step, or delete the cluster and "
    "create it again with another size or in another region."
)
_MORE_QUOTA = (
    "Raise the quota that the message names (Azure portal, Quotas), or free some of it, then repeat the request to "
    "continue from this step."
)

# Azure's code, wherever in the causes it stands: what helps. The first that is found counts.
BY_CODE: dict[str, str] = {
    "RequestDisallowedByPolicy": "Exempt the cluster's resource group from the policy that the message names, then "
    "repeat the request to continue from this step.",
    "ScopeLocked": "Remove the lock that the message names, then repeat the request to continue from this step.",
    "MissingSubscriptionRegistration": "Register the resource provider that the message names: az provider register "
    "--namespace NAME. Then repeat the request to continue from this step.",
    "QuotaExceeded": _MORE_QUOTA,
    "ResourceQuotaExceeded": _MORE_QUOTA,
    "SkuNotAvailable": _NO_ROOM,
    "AllocationFailed": _NO_ROOM,
    "ZonalAllocationFailed": _NO_ROOM,
    "OverconstrainedAllocationRequest": _NO_ROOM,
    # Its successor is made by the next request.
    "OSProvisioningTimedOut": "Read the last words of the machines, below. Check that network security groups, firewalls, "
    "route tables and DNS servers of the virtual network let them reach each other, the storage account and the "
    "container registry. Then repeat the request: machines that did not come up are made anew.",
}


def by_cause(code: str, causes: list[CloudErrorBody]) -> str:
    """Return what helps against a cause, or an empty text.

    Args:
        code: of the error; the quotas of Azure have several names and one code of ours.
        causes: as Azure gave them.
    """
    found = {code, *_codes(causes)}
    return next((remedy for each, remedy in BY_CODE.items() if each in found), "")


def _codes(causes: list[CloudErrorBody]) -> Iterator[str]:
    for cause in causes:
        yield cause.get("code", "")
        yield from _codes(cause.get("details", []))
