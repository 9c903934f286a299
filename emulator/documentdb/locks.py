"""Writes that exclude each other in an account."""

from emulator.arm.resources import Change
from emulator.documentdb.exceptions import LOCKED


def require_provisioned(change: Change) -> None:
    """Check that nothing that contains a resource is being written.

    Raises:
        ServiceError: 412 `PreconditionFailed`.
    """
    above = change.id.parent
    while above is not None:
        found = change.arm.load(above)
        if found is not None and "pending" in found:
            raise LOCKED(change.id.names[0])
        above = above.parent
