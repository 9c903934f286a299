"""The service in one's own subscription: the app's identity does what the first-party application does elsewhere."""

import pytest

from activities.runtime.step import Step
from shared.azure import templates
from tests.product.unit.activities.calls import DONE, call, error_of, payload
from tests.product.unit.activities.checks.customer_network import ALL, lay, permit
from tests.product.unit.product_world import CUSTOMER, ENVIRONMENT, NETWORK, World

CHECK = "validate_resource_provider_permissions"
IDENTITY = ENVIRONMENT["RP_OBJECT_ID"]


def test_the_managed_identity_acts_in_the_customers_subscription_and_in_the_services_own(own: World) -> None:
    """Entra is asked for no token, and the service vault for no certificate."""
    own.vault("rp-svc").versions.clear()
    lay(own)
    permit(own, NETWORK, ALL)
    assert call(CHECK) == DONE
    call("decide_names")
    assert call("create_private_endpoint")["outcome"] == "wait"
    assert any(request.path.endswith("/permissions") for request in own.azure.calls)
    assert own.azure.changes() == ["PUT privateEndpoints/rp-pe-doc-1"]
    assert [request.path for request in own.azure.calls if request.host == "login.microsoftonline.com"] == []
    assert {request.host for request in own.azure.calls} == {"identity.local", "management.azure.com"}


def test_a_subscriptions_tenant_is_the_services_own(own: World) -> None:
    """ARM reports no subscriptions, and the service serves one tenant."""
    row = {"name": "x", "phase": "", "kind": "action", "message": "", "waitsFor": "", "deadlineSeconds": 60}
    assert Step(payload(row, "run"), own.cluster).tenant_id == ENVIRONMENT["AZURE_TENANT_ID"]


def test_a_missing_permission_names_the_managed_identity_and_what_to_assign_to_it(own: World) -> None:
    """The owner of the virtual network grants it there, and a role that is spreading is waited for."""
    lay(own)
    permit(own, NETWORK, ALL | {"notActions": ["Microsoft.Network/virtualNetworks/subnets/join/action"]})
    outcome = call(CHECK)
    message = error_of(outcome)["message"]
    assert outcome["retryClass"] == "authorization"
    assert f"The service's managed identity (object id {IDENTITY}) lacks" in message
    assert f"az role assignment create --assignee-object-id {IDENTITY} " in message
    assert f"--scope '{NETWORK}'" in message


def test_nobody_registers_the_service_where_arm_does_not_know_it(own: World) -> None:
    """The check asks for Azure's own providers only; any other is not found."""
    for name in ("Authorization", "Compute", "Network", "Storage"):
        path = f"/subscriptions/{CUSTOMER}/providers/Microsoft.{name}"
        own.azure.resources[path.lower()] = {"registrationState": "Registered"}
    assert call("validate_providers") == DONE


@pytest.mark.parametrize("verb", ["run", "status"])
def test_a_group_that_the_identity_may_not_read_stops_a_delete(own: World, verb: str) -> None:
    """Its role is on the subscription: somebody removed that, and the machines still cost money."""
    own.azure.fails("GET", "/resourcegroups/aro-c1$", 403, "AuthorizationFailed")
    outcome = call("delete_resource_group", verb)
    assert (outcome["outcome"], outcome["retryClass"]) == ("failed", "authorization")


def test_an_identity_endpoint_that_is_away_is_waited_for(own: World) -> None:
    """Like any other service that is away: it says nothing about the identity."""
    own.azure.on("GET", "^/token$", lambda _request: (500, {"error": "busy"}, {}))
    outcome = call(CHECK)
    assert outcome["retryClass"] == "transient"
    assert {"code": "Owner", "message": "azure"} in error_of(outcome)["details"]


@pytest.mark.parametrize("name", ["storage", "network", "machines"])
def test_no_template_but_one_needs_a_first_party_application(name: str) -> None:
    """Azure refuses a whole deployment that contains a deny assignment of anybody else."""
    types = {resource["type"] for resource in templates.load(name)["resources"]}
    assert "Microsoft.Authorization/denyAssignments" not in types
    assert {each["type"] for each in templates.load("deny")["resources"]} == {"Microsoft.Authorization/denyAssignments"}
