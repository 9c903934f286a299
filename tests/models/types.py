"""The models of the emulated resource types."""

from tests.models.description import Library, Model, Named
from tests.models.packages import Known, find, packages_of

# The names of resources that have only one name, or one that clients read with this SDK.
SINGLE = {"blobServices": "default", "basicPublishingCredentialsPolicies": "scm", "config": "web", "host": "default"}
# Types that only subscriptions and above have.
OF_SUBSCRIPTIONS = frozenset({"Microsoft.Authorization/policyDefinitions"})
GROUP = "/subscriptions/subscription/resourceGroups/group"


def path_of(type_name: str) -> str:
    """Return the path of a resource of a type."""
    namespace, *kinds = type_name.split("/")
    scope = "/subscriptions/subscription" if type_name in OF_SUBSCRIPTIONS else GROUP
    return f"{scope}/providers/{namespace}" + "".join(f"/{kind}/{SINGLE.get(kind, 'name')}" for kind in kinds)


def operation_of(type_name: str, method: str) -> Known | None:
    """Return the call of an SDK on a resource of a type, or None."""
    path = path_of(type_name)
    return find(packages_of(path), method, path)


def model_of(type_name: str) -> tuple[Library, Model] | None:
    """Return the model that the SDK answers for a resource of a type, or None if no SDK reads it."""
    known = operation_of(type_name, "GET")
    reply = None if known is None else known.operation.bodies.reply
    if known is None or not isinstance(reply, Named):
        return None
    model = known.package.library.find(reply.name)
    return (known.package.library, model) if isinstance(model, Model) else None
