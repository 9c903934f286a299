"""Vaults as resources: names, soft delete, and what cannot be undone."""

from typing import Any

import pytest

from emulator.core.service_error import ServiceError
from emulator.keyvault import KeyVaultModel
from emulator.keyvault.vault_requests import authorize
from emulator.vaults.deleted_vaults import DeletedVaults
from tests.emulator.unit.providers import WORLD, Azure

VERSION = "2023-07-01"
PATH = "Microsoft.KeyVault/vaults/"
NAME = "a-vault"
READ = "secrets/getSecret/action"


def _body(**properties: Any) -> dict[str, Any]:
    sku = {"family": "A", "name": "standard"}
    given = {"tenantId": WORLD.tenant_id, "sku": sku, "enableRbacAuthorization": True} | properties
    return {"location": "eastus", "properties": given}


def test_a_vault_registers_its_name_and_shows_its_address(azure: Azure) -> None:
    """A PUT answers 201, and the state is final after some seconds; a repeated PUT changes nothing."""
    created = azure.put(PATH + NAME, VERSION, _body())
    assert (created.status_code, created.body["properties"]["provisioningState"]) == (201, "RegisteringDns")
    azure.pass_(60)
    shown = azure.get(PATH + NAME)["properties"]
    assert (shown["provisioningState"], shown["vaultUri"]) == ("Succeeded", f"https://{NAME}.vault.azure.net/")
    assert (shown["softDeleteRetentionInDays"], shown["enableSoftDelete"]) == (90, True)
    assert azure.put(PATH + NAME, VERSION, _body()).status_code == 200
    assert azure.get(PATH + NAME)["properties"] == shown


def test_a_deleted_vault_keeps_its_name_until_it_is_purged_with_its_contents(azure: Azure) -> None:
    """The host name is gone meanwhile, even after a restart."""
    azure.make(PATH + NAME, VERSION, _body(softDeleteRetentionInDays=7))
    vaults = azure.platform.model(KeyVaultModel)
    vaults.set_secret(NAME, "secret", {"value": "value"})
    azure.delete(PATH + NAME, VERSION)
    azure = azure.reopen()
    vaults = azure.platform.model(KeyVaultModel)
    assert vaults.vault(NAME) is None
    with pytest.raises(ServiceError, match="ConflictError"):
        azure.put(PATH + NAME, VERSION, _body())
    azure.platform.model(DeletedVaults).purge_by_hand(NAME)
    azure.make(PATH + NAME, VERSION, _body())
    with pytest.raises(ServiceError, match="SecretNotFound"):
        vaults.get_secret(NAME, "secret")
    azure.close()


def test_a_vault_is_purged_when_its_retention_is_over(azure: Azure) -> None:
    """After that its name is free, and its contents are gone."""
    azure.make(PATH + NAME, VERSION, _body(softDeleteRetentionInDays=7))
    azure.platform.model(KeyVaultModel).set_secret(NAME, "secret", {"value": "value"})
    azure.delete(PATH + NAME, VERSION)
    azure.pass_(7 * 86_400)
    azure.make(PATH + NAME, VERSION, _body())
    with pytest.raises(ServiceError, match="SecretNotFound"):
        azure.platform.model(KeyVaultModel).get_secret(NAME, "secret")


def test_a_name_is_unique_in_all_of_azure(azure: Azure) -> None:
    """A vault of somebody else, seen only in the data plane, has its name."""
    azure.platform.model(KeyVaultModel).ensure_vault(NAME, WORLD.rp_tenant_id)
    with pytest.raises(ServiceError, match="VaultAlreadyExists"):
        azure.put(PATH + NAME, VERSION, _body())
    with pytest.raises(ServiceError, match="VaultNameNotValid"):
        azure.put(f"{PATH}two--hyphens", VERSION, _body())


@pytest.mark.parametrize(
    ("properties", "want_message"),
    [
        ({"enablePurgeProtection": False}, "Enabling the purge protection for a vault is an irreversible action"),
        ({"enableSoftDelete": False}, '"enableSoftDelete" cannot be set to false'),
        ({"softDeleteRetentionInDays": 30}, "has been set already"),
        ({"color": "blue"}, "Could not find member 'color'"),
    ],
)
def test_what_cannot_be_changed_is_refused(azure: Azure, properties: dict[str, Any], want_message: str) -> None:
    """Protection cannot be switched off, and the retention cannot be changed."""
    azure.make(PATH + NAME, VERSION, _body(enablePurgeProtection=True))
    with pytest.raises(ServiceError, match=want_message):
        azure.put(PATH + NAME, VERSION, _body(**properties))
    assert azure.make(PATH + NAME, VERSION, _body())["properties"]["enablePurgeProtection"] is True


def test_the_api_version_decides_whether_a_vault_goes_by_roles(azure: Azure) -> None:
    """Access policies, the default of old versions, are refused."""
    body = _body()
    del body["properties"]["enableRbacAuthorization"]
    with pytest.raises(ServiceError, match="has no access policies"):
        azure.put(PATH + NAME, VERSION, body)
    assert azure.make(PATH + NAME, "2026-02-01", body)["properties"]["enableRbacAuthorization"] is True


def test_a_role_on_a_secret_opens_this_secret_only(azure: Azure) -> None:
    """The error of a vault that goes by roles names the action and the missing assignment."""
    stored = azure.make(PATH + NAME, VERSION, _body())
    who, vault = azure.principal(), azure.platform.model(KeyVaultModel).vault(NAME)
    assert vault is not None
    check = azure.arm.authorization.data_allowed
    with pytest.raises(ServiceError, match=r"Assignment: \(not found\)") as caught:
        authorize(check, who, READ, vault, "one")
    assert caught.value.extra == {"innererror": {"code": "ForbiddenByRbac"}}
    assert "Microsoft.KeyVault/vaults/secrets/getSecret/action" in caught.value.message
    azure.allow_data(who, f"{stored['id']}/secrets/one", "Microsoft.KeyVault/vaults/secrets/*")
    authorize(check, who, READ, vault, "one")
    with pytest.raises(ServiceError, match="not authorized to perform action"):
        authorize(check, who, READ, vault, "two")
