"""User-assigned identities: their principals, and which app gets tokens for which."""

import pytest

from emulator.core.service_error import ServiceError
from emulator.entra.models import EntraModel
from emulator.managed_identity.models import Identity, ManagedIdentityModel
from tests.emulator.unit.providers import WORLD, Azure, caller

VERSION = "2024-11-30"
PATH = "Microsoft.ManagedIdentity/userAssignedIdentities/"
BODY = {"location": "eastus"}
SITE = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Web/sites/app"


def _make(azure: Azure, name: str) -> Identity:
    azure.make(PATH + name, VERSION, BODY)
    found = azure.platform.model(ManagedIdentityModel).find(azure.id(PATH + name))
    assert found is not None
    return found


def _chosen(azure: Azure, header: str, **named: str) -> Identity:
    model = azure.platform.model(ManagedIdentityModel)
    names = {"client_id": "", "object_id": "", "resource_id": ""} | named
    return model.choose(model.identities_of(header), **names)


@pytest.mark.parametrize("version", ["2023-01-31", "2024-11-30", "2025-05-31-preview"])
def test_a_new_identity_has_a_principal_in_the_subscriptions_tenant(azure: Azure, version: str) -> None:
    """ARM shows the ids that the directory has, and a repeated PUT keeps them."""
    first = azure.put(f"{PATH}one", version, BODY)
    assert first.status_code == 201
    shown = first.body["properties"]
    assert shown["tenantId"] == WORLD.tenant_id
    principal = azure.platform.model(EntraModel).find_principal(shown["principalId"])
    assert principal is not None
    assert (principal["clientId"], principal["managedIdentityOf"]) == (shown["clientId"], azure.id(f"{PATH}one"))
    assert azure.put(f"{PATH}one", version, BODY).body["properties"] == shown
    assert list(azure.platform.model(EntraModel).applications(WORLD.tenant_id)) == []


def test_the_id_of_an_identity_has_its_group_in_lower_case(azure: Azure) -> None:
    """Clients send it back like that, so whoever compares ids must not look at the case."""
    shown = azure.put(f"{PATH}one", VERSION, BODY).body["id"]
    assert shown == azure.id(f"{PATH}one").replace("resourceGroups", "resourcegroups")
    assert azure.get(f"{PATH}one")["id"] == shown


def test_roles_of_an_identity_take_effect_later_and_end_with_the_assignment(azure: Azure) -> None:
    """The principal exists at once, so no `principalType` is needed; the role is there after Azure's half minute."""
    identity, other = _make(azure, "one"), _make(azure, "two")
    federated = "ef318e2a-8334-4a05-9e4a-295a196c6a6e"
    name = f"{PATH}two/providers/Microsoft.Authorization/roleAssignments/11111111-1111-4111-8111-111111111112"
    role = f"/providers/Microsoft.Authorization/roleDefinitions/{federated}"
    action = "Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials/write"
    body = {"properties": {"roleDefinitionId": role, "principalId": identity.object_id}}

    def allowed(scope: str) -> bool:
        return azure.arm.authorization.allowed(caller(identity.object_id), action, scope)

    assert azure.put(name, "2022-04-01", body).body["properties"]["principalType"] == "ServicePrincipal"
    assert not allowed(other.resource_id)
    azure.pass_(31)
    assert allowed(other.resource_id)
    assert not allowed(identity.resource_id)
    azure.delete(name, "2022-04-01")
    assert not allowed(other.resource_id)


def test_a_deleted_identity_loses_its_principal_and_a_new_one_of_its_name_is_another(azure: Azure) -> None:
    """Role assignments of the old principal stay orphans, as in Azure."""
    before = _make(azure, "one")
    azure.delete(f"{PATH}one", VERSION)
    assert azure.platform.model(EntraModel).find_principal(before.object_id) is None
    assert _make(azure, "one").object_id != before.object_id


def test_a_header_gives_tokens_for_its_apps_identities_only(azure: Azure) -> None:
    """The header survives a restart; an identity is found by each of its ids."""
    one, two = _make(azure, "one"), _make(azure, "two")
    header = azure.platform.model(ManagedIdentityModel).header_of(SITE, [one.resource_id])
    azure = azure.reopen()
    model = azure.platform.model(ManagedIdentityModel)
    assert model.header_of(SITE.upper(), [one.resource_id]) == header
    assert _chosen(azure, header) == one
    for named in ({"client_id": one.client_id.upper()}, {"object_id": one.object_id}, {"resource_id": one.resource_id}):
        assert _chosen(azure, header, **named) == one
    with pytest.raises(ServiceError, match="No User Assigned"):
        _chosen(azure, header, client_id=two.client_id)
    with pytest.raises(ServiceError, match="X-IDENTITY-HEADER"):
        _chosen(azure, "guessed")
    model.forget(SITE)
    with pytest.raises(ServiceError, match="X-IDENTITY-HEADER"):
        _chosen(azure, header)
    azure.close()


def test_an_app_with_several_identities_has_to_name_one(azure: Azure) -> None:
    """A call that names none is refused, until only one is left."""
    one, two = _make(azure, "one"), _make(azure, "two")
    header = azure.platform.model(ManagedIdentityModel).header_of(SITE, [one.resource_id, two.resource_id])
    with pytest.raises(ServiceError, match="Unable to load the proper Managed Identity"):
        _chosen(azure, header)
    assert _chosen(azure, header, resource_id=two.resource_id.upper()) == two
    azure.delete(f"{PATH}one", VERSION)
    assert _chosen(azure, header) == two


def test_wrong_bodies_and_unregistered_subscriptions_are_refused(azure: Azure) -> None:
    """Names are 3 to 128 characters, unknown members are refused, and the namespace must be registered."""
    with pytest.raises(ServiceError, match="InvalidResourceName"):
        azure.put(f"{PATH}a", VERSION, BODY)
    with pytest.raises(ServiceError, match="Could not find member 'color'"):
        azure.put(f"{PATH}one", VERSION, BODY | {"properties": {"color": "blue"}})
    azure.arm.subscriptions.unregister(WORLD.subscription_id, "Microsoft.ManagedIdentity")
    with pytest.raises(ServiceError, match="MissingSubscriptionRegistration"):
        azure.put(f"{PATH}one", VERSION, BODY)
