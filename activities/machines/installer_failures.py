"""Failures of an installer's back end as a row of a create reports them: by the operator, or again after a while."""

import logging

from activities.checks import catalogue_entry
from activities.runtime.executor import TryAgain
from installer.back_end_errors import InstallerError
from shared import tracing
from shared.arm.errors import CloudError, ErrorCode
from shared.steps import RetryClass

_log = logging.getLogger("activities")


def report(error: InstallerError, message: str) -> CloudError | TryAgain:
    """Log a failure, with the path that customers are not told, and return what the row raises.

    Args:
        error: the failure.
        message: what the customer reads of it; its details have the last lines of the installer's output.
    """
    _log.warning("%s", error, extra=tracing.current.get().extra())
    failure = CloudError(
        500,
        ErrorCode.INTERNAL_SERVER_ERROR,
        message,
        catalogue_entry.TARGET,
        [{"code": "InstallerSaid", "message": line} for line in error.said],
    )
    return TryAgain(failure, RetryClass.TRANSIENT) if error.passing else failure
