"""The checks of the principals: the token of the cluster's own, and what each may do on the customer's resources."""

import base64
import json
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs

import pytest
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError

from activities.azure import cluster_principal
from shared import settings
from shared.azure.azure_errors import translate
from shared.clusters.identities.cluster_credential import ServicePrincipal
from tests.product.unit.activities.calls import call, error_of, twice
from tests.product.unit.activities.checks.customer_network import (
    ALL,
    ENCRYPTION_SET,
    GATEWAY,
    ROUTES,
    SECURITY_GROUP,
    lay,
    permit,
)
from tests.product.unit.azure_fake import Reply, Request
from tests.product.unit.product_world import ENVIRONMENT, NETWORK, World

PERMISSIONS = {
    "validate_service_principal_permissions": "InvalidServicePrincipalPermissions",
    "validate_resource_provider_permissions": "InvalidResourceProviderPermissions",
}
both = pytest.mark.parametrize("step", PERMISSIONS)
CLUSTER_PRINCIPAL, SERVICE = "client-1", settings.parse(ENVIRONMENT).first_party_client_id
either = pytest.mark.parametrize("reader", [CLUSTER_PRINCIPAL, SERVICE], ids=["the cluster", "the service"])


def found(outcome: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the entries of the problems, without what every failed step adds."""
    details: list[dict[str, Any]] = error_of(outcome)["details"]
    return details[: [detail["code"] for detail in details].index("Step")]


def test_the_token_of_the_service_principal_gives_its_object_id(accepted: World) -> None:
    """It is stored once and not written again."""
    twice("validate_service_principal")
    assert accepted.properties["servicePrincipalProfile"]["objectId"] == "object-1"
    assert len(accepted.cosmos["OpenShiftClusters"].writes) == 2


@pytest.mark.parametrize(
    ("text", "want_class"),
    [
        ("AADSTS700016: Application was not found.", "principal"),
        ("AADSTS7000215: Invalid client secret provided.", "principal"),
        ("AADSTS90002: Tenant not found.", "none"),
    ],
    ids=["new application", "new secret", "wrong tenant"],
)
def test_refused_credentials_are_the_customers_and_tried_while_they_spread(
    accepted: World, text: str, want_class: str
) -> None:
    """Entra ID's own words are in the message."""
    accepted.azure.token_error = {"error": "invalid_client", "error_description": text}
    outcome = call("validate_service_principal")
    assert outcome["retryClass"] == want_class
    assert error_of(outcome)["code"] == "InvalidServicePrincipalCredentials"
    assert error_of(outcome)["target"] == "properties.servicePrincipalProfile"
    assert text in error_of(outcome)["message"]
    assert {"code": "Owner", "message": "customer"} in error_of(outcome)["details"]
    assert "s3cret" not in json.dumps(outcome)


@pytest.mark.parametrize(
    "text",
    ["AADSTS700024: Client assertion is not within its valid time range.", "AADSTS700027: The key was not found."],
    ids=["a clock that is off", "a key that was just rotated"],
)
def test_while_entra_id_refuses_the_service_itself_it_is_waited_for(accepted: World, text: str) -> None:
    """It is an outage of the platform, whatever step meets it, and no fault of the customer's principal."""
    accepted.azure.token_error = {"error": "invalid_client", "error_description": text}
    outcome = call("ensure_resource_group")
    assert outcome["retryClass"] == "transient"
    assert text in error_of(outcome)["message"]
    assert {"code": "Owner", "message": "platform"} in error_of(outcome)["details"]
    accepted.azure.token_error = {}
    assert call("ensure_resource_group") == {"outcome": "done"}


@pytest.mark.parametrize(
    ("error", "want"),
    [
        (ClientAuthenticationError("AADSTS7000215: Invalid client secret provided."), "principal"),
        (ClientAuthenticationError("AADSTS90055: There are too many incoming requests."), "transient"),
    ],
    ids=["refused", "busy"],
)
def test_a_refusal_of_the_clusters_principal_stays_the_customers(error: ClientAuthenticationError, want: str) -> None:
    """Wherever its credentials are used; a directory that is busy refuses nobody."""
    with pytest.raises(ClientAuthenticationError) as caught, cluster_principal.customers_own():
        raise error
    failure = translate(caught.value)
    assert (failure.retry_class, failure.error.owner) == (want, "customer" if want == "principal" else "azure")


@pytest.mark.parametrize(
    ("error", "want"),
    [
        (ClientAuthenticationError("AADSTS7000215: Invalid client secret provided."), HttpResponseError),
        (ClientAuthenticationError("AADSTS90055: There are too many incoming requests."), ClientAuthenticationError),
    ],
    ids=["refused", "busy"],
)
def test_only_a_refused_principal_leaves_the_services_own_refusal_as_the_answer(
    monkeypatch: pytest.MonkeyPatch, error: Exception, want: type[Exception]
) -> None:
    """What the service may not read is read as the cluster; a directory that is busy says nothing about that."""
    step: Any = SimpleNamespace(customer=object(), credential=ServicePrincipal("client-1"))
    monkeypatch.setattr(cluster_principal, "token_source", lambda _step, _principal: None)
    forbidden = HttpResponseError("forbidden")
    forbidden.status_code = 403

    def read(connect: Any) -> None:
        raise forbidden if connect is step.customer else error

    with pytest.raises(want) as caught:
        cluster_principal.read_as_either(step, read)
    assert type(caught.value) is want


@pytest.mark.parametrize(
    ("status", "text"),
    [(429, "AADSTS90055: There are too many incoming requests."), (503, "Come back later.")],
    ids=["throttled", "unavailable"],
)
def test_a_directory_that_puts_off_is_asked_again_and_the_credentials_are_not_blamed(
    accepted: World, status: int, text: str
) -> None:
    """Nothing is wrong with the customer's credentials."""
    accepted.azure.token_status = status
    accepted.azure.token_error = {"error": "temporarily_unavailable", "error_description": text}
    outcome = call("validate_service_principal")
    assert outcome["retryClass"] == "transient"
    assert error_of(outcome)["code"] != "InvalidServicePrincipalCredentials"
    assert {"code": "Owner", "message": "azure"} in error_of(outcome)["details"]


def test_a_token_without_an_identity_is_refused(accepted: World) -> None:
    """One of altsecid, oid, puid has to be there."""
    accepted.azure.token_claims = {"aud": "x"}
    assert error_of(call("validate_service_principal"))["code"] == "InvalidServicePrincipalClaims"


def test_a_principal_that_may_change_applications_is_refused(accepted: World) -> None:
    """A cluster must not hold that power over the tenant; the permission is named."""
    accepted.azure.token_claims = {"oid": "object-1", "roles": ["X.Read", "Application.ReadWrite.OwnedBy"]}
    error = error_of(call("validate_service_principal"))
    assert (error["code"], error["target"]) == (
        "InvalidServicePrincipalCredentials",
        "properties.servicePrincipalProfile",
    )
    assert "Application.ReadWrite.OwnedBy" in error["message"]
    assert "objectId" not in accepted.properties["servicePrincipalProfile"]


def test_both_faults_of_a_token_are_told(accepted: World) -> None:
    """Reporting one after the other would cost another create."""
    accepted.azure.token_claims = {"aud": "x", "roles": ["Application.ReadWrite.OwnedBy"]}
    codes = [entry["code"] for entry in found(call("validate_service_principal"))]
    assert codes == ["InvalidServicePrincipalClaims", "InvalidServicePrincipalCredentials"]


@both
def test_a_role_with_wildcards_is_enough(accepted: World, step: str) -> None:
    """Network Contributor is defined with a wildcard."""
    call("validate_service_principal")
    lay(accepted)
    permit(accepted, NETWORK, {"actions": ["microsoft.network/*"], "notActions": []})
    twice(step)


@both
def test_a_missing_permission_names_actions_principal_scope_and_remedy(accepted: World, step: str) -> None:
    """A person can paste the command that grants it. A role that is spreading is waited for."""
    call("validate_service_principal")
    lay(accepted)
    permit(accepted, NETWORK, ALL | {"notActions": ["Microsoft.Network/virtualNetworks/subnets/write"]})
    outcome = call(step)
    error = error_of(outcome)
    assert outcome["retryClass"] == "authorization"
    assert error["code"] == PERMISSIONS[step]
    assert "subnets/write" in error["message"]
    assert "subnets/read" not in error["message"]
    assert "az role assignment create --assignee-object-id object-1 " in error["message"]
    assert f"--scope '{NETWORK}'" in error["message"]
    assert [entry["message"] in error["message"] for entry in found(outcome)] == [True]


@both
def test_every_action_that_is_missing_on_any_resource_is_told_at_once(accepted: World, step: str) -> None:
    """Network, route tables, NAT gateways and disk encryption sets: each has its entry and its own command."""
    call("validate_service_principal")
    subnets = lay(accepted)
    subnets["master"]["routeTable"] = {"id": ROUTES}
    subnets["worker"] |= {"routeTable": {"id": f"{ROUTES}-2"}, "natGateway": {"id": GATEWAY}}
    accepted.properties["masterProfile"]["diskEncryptionSetId"] = ENCRYPTION_SET
    accepted.properties["workerProfiles"][0]["diskEncryptionSetId"] = ENCRYPTION_SET.upper()
    permit(accepted, NETWORK, {"actions": ["Microsoft.Network/virtualNetworks/*"], "notActions": ["*/join/action"]})
    for resource_id in (ROUTES, f"{ROUTES}-2", ENCRYPTION_SET):
        permit(accepted, resource_id)
    permit(accepted, GATEWAY, {"actions": ["Microsoft.Network/natGateways/read"], "notActions": []})
    entries = found(call(step))
    assert {entry["code"] for entry in entries} == {PERMISSIONS[step]}
    scopes = [entry["message"].split("--scope ")[1].strip("'") for entry in entries]
    assert scopes == [NETWORK, ENCRYPTION_SET, ROUTES, f"{ROUTES}-2", GATEWAY]
    texts = dict(zip(scopes, (entry["message"] for entry in entries), strict=True))
    assert "virtualNetworks/subnets/join/action" in texts[NETWORK]
    assert "--role 'Reader'" in texts[ENCRYPTION_SET]
    assert "diskEncryptionSets/read" in texts[ENCRYPTION_SET]
    assert "routeTables/join/action" in texts[ROUTES]
    assert "natGateways/join/action" in texts[GATEWAY]
    assert "natGateways/read" not in texts[GATEWAY]
    assert ("routeTables/write" in texts[ROUTES]) == (step == "validate_service_principal_permissions")


@both
@pytest.mark.parametrize("brings", ["Enabled", "Disabled"])
def test_a_security_group_that_a_customer_brings_has_to_let_the_principals_join(
    accepted: World, step: str, brings: str
) -> None:
    """A group that is none of the cluster's business needs no role; another check reports it."""
    call("validate_service_principal")
    subnets = lay(accepted)
    accepted.properties["networkProfile"]["preconfiguredNSG"] = brings
    for subnet in subnets.values():
        subnet["networkSecurityGroup"] = {"id": SECURITY_GROUP}
    permit(accepted, NETWORK, ALL)
    permit(accepted, SECURITY_GROUP, {"actions": ["*/read"], "notActions": []})
    outcome = call(step)
    if brings == "Disabled":
        assert outcome == {"outcome": "done"}
        return
    (entry,) = found(outcome)
    assert (entry["code"], entry["target"]) == (PERMISSIONS[step], "properties.masterProfile.subnetId")
    assert "networkSecurityGroups/join/action" in entry["message"]
    assert f"--role 'Network Contributor' --scope '{SECURITY_GROUP}'" in entry["message"]


@both
def test_linked_resources_that_are_gone_are_named_and_not_waited_for(accepted: World, step: str) -> None:
    """No role assignment brings them back."""
    call("validate_service_principal")
    lay(accepted)["worker"] |= {"routeTable": {"id": ROUTES}, "natGateway": {"id": GATEWAY}}
    accepted.properties["masterProfile"]["diskEncryptionSetId"] = ENCRYPTION_SET
    permit(accepted, NETWORK, ALL)
    outcome = call(step)
    assert outcome["retryClass"] == "none"
    assert [(entry["code"], entry["target"]) for entry in found(outcome)] == [
        ("InvalidLinkedDiskEncryptionSet", "properties.masterProfile.diskEncryptionSetId"),
        ("InvalidLinkedRouteTable", 'properties.workerProfiles["worker"].subnetId'),
        ("InvalidLinkedNatGateway", 'properties.workerProfiles["worker"].subnetId'),
    ]


@both
def test_a_principal_that_may_not_even_ask_lacks_everything(accepted: World, step: str) -> None:
    """Without any role the permissions API itself answers 403."""
    call("validate_service_principal")
    accepted.azure.fails("GET", f"{NETWORK}$", 403, "AuthorizationFailed")
    accepted.azure.fails("GET", "/permissions$", 403, "AuthorizationFailed")
    outcome = call(step)
    assert outcome["retryClass"] == "authorization"
    assert error_of(outcome)["code"] == PERMISSIONS[step]
    assert "subnets/read" in error_of(outcome)["message"]


@both
def test_a_network_that_cannot_be_read_yet_is_waited_for(accepted: World, step: str) -> None:
    """The role is assigned, but not in force everywhere, so what is attached to the subnets is not known yet."""
    call("validate_service_principal")
    accepted.azure.fails("GET", f"{NETWORK}$", 403, "AuthorizationFailed")
    permit(accepted, NETWORK, ALL)
    outcome = call(step)
    assert outcome["retryClass"] == "authorization"
    assert "Microsoft.Network/virtualNetworks/read" in error_of(outcome)["message"]


@both
def test_what_is_gone_waits_until_the_network_can_be_read(accepted: World, step: str) -> None:
    """An earlier error would leave out the problems of the subnets' route tables and gateways."""
    call("validate_service_principal")
    accepted.properties["masterProfile"]["diskEncryptionSetId"] = ENCRYPTION_SET
    accepted.azure.fails("GET", f"{NETWORK}$", 403, "AuthorizationFailed")
    permit(accepted, NETWORK, ALL)
    outcome = call(step)
    assert outcome["retryClass"] == "authorization"
    assert {entry["code"] for entry in found(outcome)} == {"InvalidLinkedDiskEncryptionSet", PERMISSIONS[step]}


@both
def test_a_network_that_does_not_exist_is_the_customers(accepted: World, step: str) -> None:
    """Its id is in the message."""
    call("validate_service_principal")
    assert NETWORK.lower() not in accepted.azure.resources
    outcome = call(step)
    assert outcome["retryClass"] == "none"
    assert error_of(outcome)["code"] == "InvalidLinkedVNet"
    assert NETWORK in error_of(outcome)["message"]


def only_reader(world: World, reader: str) -> None:
    """Give rights on the customer's resources to one application only; ARM answers the other one 403."""

    def token_of(client_id: str) -> str:
        claims = json.dumps({"oid": f"object of {client_id}"}).encode()
        return f"e30.{base64.urlsafe_b64encode(claims).decode().rstrip('=')}.c2ln"

    def login(request: Request) -> Reply:
        (client_id,) = parse_qs(request.text)["client_id"]
        return 200, {"access_token": token_of(client_id), "expires_in": 3600, "token_type": "Bearer"}, {}

    def read(request: Request) -> Reply:
        if request.headers["authorization"].endswith(token_of(reader)):
            return world.azure._resource(request)
        return 403, {"error": {"code": "AuthorizationFailed", "message": "It may not."}}, {}

    world.azure.on("POST", "/token$", login)
    world.azure.on("GET", "^/subscriptions/.*/resourceGroups/customer/", read)


@both
@either
def test_a_missing_network_is_told_when_either_may_look(accepted: World, step: str, reader: str) -> None:
    """No assignment can be missing on a network that does not exist."""
    only_reader(accepted, reader)
    call("validate_service_principal")
    outcome = call(step)
    assert outcome["retryClass"] == "none"
    assert [entry["code"] for entry in found(outcome)] == ["InvalidLinkedVNet"]
    assert NETWORK in error_of(outcome)["message"]
    assert "role assignment" not in error_of(outcome)["message"]


@both
@either
def test_a_network_that_is_there_shows_who_lacks_permissions_on_it(accepted: World, step: str, reader: str) -> None:
    """Only that one lacks them; the other one can see what is attached to its subnets."""
    only_reader(accepted, reader)
    call("validate_service_principal")
    lay(accepted)["worker"]["routeTable"] = {"id": ROUTES}
    for resource_id in (NETWORK, ROUTES):
        permit(accepted, resource_id, ALL)
    outcome = call(step)
    if (reader == SERVICE) == (step == "validate_resource_provider_permissions"):
        assert outcome == {"outcome": "done"}
        return
    assert outcome["retryClass"] == "authorization"
    assert [entry["code"] for entry in found(outcome)] == [PERMISSIONS[step]] * 2
    assert [ROUTES in entry["message"] for entry in found(outcome)] == [False, True]


@both
@either
def test_a_missing_encryption_set_is_told_when_either_may_look(accepted: World, step: str, reader: str) -> None:
    """Like a missing network."""
    only_reader(accepted, reader)
    call("validate_service_principal")
    lay(accepted)
    permit(accepted, NETWORK, ALL)
    accepted.properties["masterProfile"]["diskEncryptionSetId"] = ENCRYPTION_SET
    codes = {entry["code"] for entry in found(call(step))}
    assert "InvalidLinkedDiskEncryptionSet" in codes


@both
def test_what_is_gone_is_told_at_once_beside_what_is_not_permitted(accepted: World, step: str) -> None:
    """No role brings it back, so there is nothing to wait for. The outer error has its code."""
    call("validate_service_principal")
    accepted.properties["masterProfile"]["diskEncryptionSetId"] = ENCRYPTION_SET
    permit(accepted, ENCRYPTION_SET)
    outcome = call(step)
    assert outcome["retryClass"] == "none"
    assert [entry["code"] for entry in found(outcome)] == ["InvalidLinkedVNet", PERMISSIONS[step]]
    assert error_of(outcome)["code"] == "InvalidLinkedVNet"
