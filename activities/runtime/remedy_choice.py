"""Chooses the remedy for a failure: by its cause, then by its owner, and only then by the step that met it.

The message of a row helps against problems that the row itself finds. It does not help if the service's own data is the
problem, if Azure has an outage, or if Azure reports a specific code. The engine chooses for crashes and deadlines, see
`orchestrators/row_waits.py` and `orchestrators/row_endings.py`. The texts are in `shared/remedies.py`.
"""

from collections.abc import Iterator

from shared import remedies
from shared.arm.errors import CloudError, CloudErrorBody, Owner
from shared.steps import ResolvedRow, RetryClass

# Retry classes of trouble in Azure. If a row gives up on one of these, the trouble has lasted too long.
_TROUBLE = frozenset({RetryClass.THROTTLED, RetryClass.TRANSIENT, RetryClass.GIVEN_UP})


def of_azure(error: CloudError, retry_class: RetryClass) -> str:
    """Return the remedy for an error that Azure answered, or for a missing answer."""
    return by_cause(error) or _by_owner(error, retry_class) or remedies.REPORTED


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
    return next((remedy for each, remedy in remedies.BY_CODE.items() if each in found), "")


def _by_owner(error: CloudError, retry_class: RetryClass) -> str:
    if error.owner == Owner.PLATFORM:
        return remedies.OURS
    if retry_class == RetryClass.BUSY:
        return remedies.BUSY
    return remedies.LATER if error.owner == Owner.AZURE and retry_class in _TROUBLE else ""


def _codes(causes: list[CloudErrorBody]) -> Iterator[str]:
    for cause in causes:
        yield cause.get("code", "")
        yield from _codes(cause.get("details", []))
