"""What operators find missing, in the words of OpenShift's own controllers."""

from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY

# An object of the cluster, or a key of one, that an operator needs; the security group of the nodes.
NOT_FOUND = Refusal(404, "NotFound", MEMORY, "{what} not found")
SECURITY_GROUP_NOT_FOUND = Refusal(404, "ResourceNotFound", MEMORY, "security group {name} not found")
