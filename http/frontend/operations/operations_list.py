"""The operations that Azure shows for this provider, for example in role definitions."""

from frontend.messages import Call, Reply
from shared.arm.errors import NAMESPACE, RESOURCE_TYPE

# Name, resource and text. Operations that are not served are not listed.
_OPERATIONS = (
    (
        "locations/listPlatformWorkloadIdentityRoleSets/read",
        "locations/listPlatformWorkloadIdentityRoleSets",
        "Lists the roles that the operators of each OpenShift version need",
    ),
    ("locations/operationresults/read", "locations/operationresults", "Read operation results"),
    ("locations/operationsstatus/read", "locations/operationsstatus", "Read operations status"),
    ("locations/openshiftVersions/read", "locations/openshiftVersions", "Lists all OpenShift versions available"),
    ("operations/read", "operations", "Read operations"),
    (f"{RESOURCE_TYPE}/read", RESOURCE_TYPE, "Read OpenShift clusters"),
    (f"{RESOURCE_TYPE}/write", RESOURCE_TYPE, "Write OpenShift clusters"),
    (f"{RESOURCE_TYPE}/delete", RESOURCE_TYPE, "Delete OpenShift clusters"),
    (f"{RESOURCE_TYPE}/listCredentials/action", RESOURCE_TYPE, "List credentials of an OpenShift cluster"),
    (
        f"{RESOURCE_TYPE}/listAdminCredentials/action",
        RESOURCE_TYPE,
        "List the admin kubeconfig of an OpenShift cluster",
    ),
)
# Their full names.
PUBLIC = frozenset(f"{NAMESPACE}/{name}" for name, _, _ in _OPERATIONS)


def list_all(_call: Call) -> Reply:
    """Answer GET of the provider's operations: return the whole list."""
    return Reply(
        200,
        {
            "value": [
                {
                    "name": f"{NAMESPACE}/{name}",
                    "display": {"provider": "Azure Red Hat OpenShift", "resource": resource, "operation": operation},
                    "origin": "user,system",
                }
                for name, resource, operation in _OPERATIONS
            ]
        },
    )
