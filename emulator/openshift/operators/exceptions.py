"""What operators find missing, in the words of OpenShift's own controllers."""

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, said


@said(MEMORY)
def not_found(what: str) -> ServiceError:
    """Return the error for an object of the cluster, or a key of one, that an operator needs and does not find."""
    return ServiceError(404, "NotFound", f"{what} not found")


@said(MEMORY)
def security_group_not_found(name: str) -> ServiceError:
    """Return the error for the security group of the nodes that is gone."""
    return ServiceError(404, "ResourceNotFound", f"security group {name} not found")
