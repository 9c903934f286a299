"""Requests for tenants, subscriptions, providers and features."""

from starlette.responses import Response

from emulator.arm.call import Call, answer, page
from emulator.arm.groups import LOCATIONS
from emulator.arm.provider.registration import SYSTEM_NAMESPACE
from emulator.core.journal import note_action
from emulator.json_object import Json

READ = "Microsoft.Resources/subscriptions/read"
PROVIDER_READ = "Microsoft.Resources/subscriptions/providers/read"


async def list_tenants(call: Call) -> Response:
    """GET /tenants: the tenant of the caller; a service principal has exactly one."""
    tenant_id = call.caller.tenant_id
    return page(call, [{"id": f"/tenants/{tenant_id}", "tenantId": tenant_id, "tenantCategory": "Home"}])


async def list_subscriptions(call: Call) -> Response:
    """GET /subscriptions: the subscriptions in which the caller has any role."""
    return page(
        call,
        [
            _render(document)
            for document in call.arm.subscriptions.all()
            if document["tenantId"] == call.caller.tenant_id
            and call.arm.authorization.has_any_role(call.caller, f"/subscriptions/{document['subscriptionId']}")
        ],
    )


async def get_subscription(call: Call) -> Response:
    """GET /subscriptions/{id}."""
    document = call.arm.subscriptions.for_caller(call.params["subscription_id"], call.caller)
    scope = f"/subscriptions/{document['subscriptionId']}"
    note_action(READ)
    if not call.arm.authorization.has_any_role(call.caller, scope):
        call.arm.authorize(call.caller, READ, scope)
    return answer(_render(document))


async def list_locations(call: Call) -> Response:
    """GET /subscriptions/{id}/locations."""
    subscription_id = _enter(call, "Microsoft.Resources/subscriptions/locations/read")
    return page(
        call,
        [
            {
                "id": f"/subscriptions/{subscription_id}/locations/{name}",
                "name": name,
                "type": "Region",
                "displayName": name,
                "regionalDisplayName": name,
                "metadata": {"regionType": "Physical", "regionCategory": "Recommended"},
            }
            for name in LOCATIONS
        ],
    )


async def list_providers(call: Call) -> Response:
    """GET /subscriptions/{id}/providers."""
    subscription_id = _enter(call, PROVIDER_READ)
    subscriptions = call.arm.subscriptions
    return page(call, [subscriptions.provider(subscription_id, name, LOCATIONS) for name in subscriptions.namespaces()])


async def get_provider(call: Call) -> Response:
    """GET /subscriptions/{id}/providers/{namespace}."""
    subscription_id = _enter(call, PROVIDER_READ)
    return answer(call.arm.subscriptions.provider(subscription_id, call.params["namespace"], LOCATIONS))


async def register_provider(call: Call) -> Response:
    """POST …/register: begins a registration, and tells the resource provider if the registration is its own."""
    namespace = call.arm.subscriptions.canonical(call.params["namespace"])
    subscription_id = _enter(call, f"{namespace}/register/action")
    call.arm.subscriptions.register(subscription_id, namespace)
    return _changed(call, subscription_id, namespace)


async def unregister_provider(call: Call) -> Response:
    """POST …/unregister."""
    namespace = call.arm.subscriptions.canonical(call.params["namespace"])
    subscription_id = _enter(call, f"{namespace}/unregister/action")
    call.arm.subscriptions.unregister(subscription_id, namespace)
    return _changed(call, subscription_id, namespace)


async def get_feature(call: Call) -> Response:
    """GET …/features/{name}."""
    subscription_id = _enter(call, "Microsoft.Features/providers/features/read")
    wanted = f"{call.params['namespace']}/{call.params['feature']}"
    known = {document["name"].lower(): document for document in call.arm.subscriptions.features(subscription_id)}
    return answer(_feature(subscription_id, known.get(wanted.lower(), {"name": wanted, "state": "NotRegistered"})))


async def set_feature(call: Call) -> Response:
    """POST …/features/{name}/register or /unregister."""
    verb = call.params["verb"].lower()
    subscription_id = _enter(call, f"Microsoft.Features/providers/features/{verb}/action")
    namespace = call.arm.subscriptions.canonical(call.params["namespace"])
    state = "Registered" if verb == "register" else "Unregistered"
    document = call.arm.subscriptions.set_feature(subscription_id, namespace, call.params["feature"], state)
    call.arm.front_door.announce()
    return answer(_feature(subscription_id, document))


def _changed(call: Call, subscription_id: str, namespace: str) -> Response:
    if namespace == SYSTEM_NAMESPACE:
        call.arm.front_door.announce()
    return answer(call.arm.subscriptions.provider(subscription_id, namespace, LOCATIONS))


def _enter(call: Call, action: str) -> str:
    """Check that the caller may perform an action on the subscription; return the subscription id."""
    document = call.arm.subscriptions.for_caller(call.params["subscription_id"], call.caller)
    subscription_id: str = document["subscriptionId"]
    call.arm.authorize(call.caller, action, f"/subscriptions/{subscription_id}")
    return subscription_id


def _render(document: Json) -> Json:
    tags = {"tags": document["tags"]} if document.get("tags") else {}
    return tags | {
        "id": f"/subscriptions/{document['subscriptionId']}",
        "authorizationSource": "RoleBased",
        "managedByTenants": [],
        "subscriptionId": document["subscriptionId"],
        "tenantId": document["tenantId"],
        "displayName": document["displayName"],
        "state": document["state"],
        "subscriptionPolicies": {
            "locationPlacementId": "Public_2014-09-01",
            "quotaId": "PayAsYouGo_2014-09-01",
            "spendingLimit": "Off",
        },
    }


def _feature(subscription_id: str, document: Json) -> Json:
    namespace, _, name = document["name"].partition("/")
    return {
        "id": f"/subscriptions/{subscription_id}/providers/Microsoft.Features/providers/{namespace}/features/{name}",
        "name": document["name"],
        "type": "Microsoft.Features/providers/features",
        "properties": {"state": document["state"]},
    }
