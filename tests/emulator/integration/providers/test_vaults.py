"""Vaults from their creation, with what the Azure CLI sends, to their purge, with the SDKs for their contents."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest
from azure.core.exceptions import HttpResponseError, ServiceRequestError
from azure.keyvault.certificates import CertificateClient, CertificatePolicy
from azure.keyvault.secrets import SecretClient

from tests.emulator.integration.providers.stage import Stage

VERSION = "2026-02-01"
TYPE = "Microsoft.KeyVault/vaults"
OFFICER = (
    *("Microsoft.KeyVault/vaults/secrets/*", "Microsoft.KeyVault/vaults/certificates/*"),
    *("Microsoft.KeyVault/vaults/certificatecas/*", "Microsoft.KeyVault/vaults/certificatecontacts/write"),
)


def _name() -> str:
    return f"vault-{uuid4().hex[:8]}"


def _body(stage: Stage, **properties: Any) -> dict[str, Any]:
    """Return the body that `az keyvault create` sends."""
    given = {
        "tenantId": stage.world.tenant_id,
        "sku": {"name": "standard", "family": "A"},
        "accessPolicies": [],
        "enableRbacAuthorization": True,
        "enableSoftDelete": True,
        "softDeleteRetentionInDays": 90,
        "networkAcls": {"bypass": "AzureServices", "defaultAction": "Allow"},
    }
    return {"location": "eastus", "tags": {}, "properties": given | properties}


def _code(reply: httpx.Response) -> tuple[int, str]:
    return reply.status_code, reply.json()["error"]["code"]


def test_secrets_and_certificates_of_a_vault_go_by_roles(stage: Stage) -> None:
    """A caller without a role learns the missing data action; roles count as soon as they are effective."""
    name = _name()
    assert stage.call("GET", f"{TYPE}/{name}", VERSION).status_code == 404
    vault = stage.make(f"{TYPE}/{name}", VERSION, _body(stage))
    url, (credential, object_id) = vault["properties"]["vaultUri"], stage.principal()
    with (
        SecretClient(url, credential) as secrets,
        CertificateClient(url, credential) as certificates,
    ):
        with pytest.raises(HttpResponseError) as caught:
            secrets.set_secret("key", "value")
        assert caught.value.status_code == 403
        assert "Action: 'Microsoft.KeyVault/vaults/secrets/setSecret/action'" in str(caught.value)
        assert "ForbiddenByRbac" in str(caught.value)
        stage.allow_data(object_id, vault["id"], *OFFICER)
        secrets.set_secret("key", "value")
        assert secrets.get_secret("key").value == "value"
        made = certificates.begin_create_certificate("certificate", CertificatePolicy.get_default()).result()
        assert made.name == "certificate"
        policy = certificates.get_certificate("certificate").policy
        assert policy is not None
        assert policy.issuer_name == "Self"
        assert certificates.create_issuer("authority", provider="Test").name == "authority"


def test_a_deleted_vault_is_purged(stage: Stage) -> None:
    """Its host name does not resolve meanwhile, and its name stays taken."""
    name, subscription = _name(), f"/subscriptions/{stage.world.subscription_id}"
    deleted = f"{subscription}/providers/Microsoft.KeyVault/locations/eastus/deletedVaults/{name}"
    vault = stage.make(f"{TYPE}/{name}", VERSION, _body(stage))
    credential, object_id = stage.principal()
    stage.allow_data(object_id, vault["id"], *OFFICER)
    with SecretClient(vault["properties"]["vaultUri"], credential, retry_total=0) as secrets:
        secrets.set_secret("key", "value")
        listed = stage.call(
            "GET",
            f"{subscription}/resources",
            "2015-11-01",
            None,
            **{"$filter": f"resourceType eq '{TYPE}' and name eq '{name}'"},
        )
        assert [found["id"] for found in listed.json()["value"]] == [vault["id"]]
        assert stage.call("DELETE", f"{TYPE}/{name}", VERSION).status_code == 200
        with pytest.raises(ServiceRequestError):
            SecretClient(vault["properties"]["vaultUri"], credential, retry_total=0).get_secret("key")
        shown = stage.call("GET", deleted, VERSION).json()
        assert (shown["properties"]["vaultId"], shown["properties"]["location"]) == (vault["id"], "eastus")
        every = stage.call("GET", f"{subscription}/providers/Microsoft.KeyVault/deletedVaults", VERSION).json()
        assert deleted in [found["id"] for found in every["value"]]
        # The CLI asks for both kinds of what keeps keys.
        pools = stage.call("GET", f"{subscription}/providers/Microsoft.KeyVault/deletedManagedHSMs", VERSION).json()
        assert pools["value"] == []
        assert _code(stage.call("PUT", f"{TYPE}/{name}", VERSION, _body(stage))) == (409, "ConflictError")
        check = {"name": name, "type": TYPE}
        path = f"{subscription}/providers/Microsoft.KeyVault/checkNameAvailability"
        assert stage.call("POST", path, VERSION, check).json()["reason"] == "AlreadyExists"
    assert stage.ended(stage.call("POST", f"{deleted}/purge", VERSION)).status_code == 204
    assert _code(stage.call("GET", deleted, VERSION)) == (404, "DeletedVaultNotFound")
    assert stage.call("POST", path, VERSION, check).json() == {"nameAvailable": True}


def test_a_vault_with_purge_protection_cannot_be_purged(stage: Stage) -> None:
    """A PATCH cannot take the protection away."""
    name = _name()
    path = f"{TYPE}/{name}"
    vault = stage.make(path, VERSION, _body(stage, enablePurgeProtection=True, softDeleteRetentionInDays=7))
    patch = stage.call("PATCH", path, VERSION, {"properties": {"enablePurgeProtection": False}})
    assert _code(patch) == (400, "BadRequest")
    credential, object_id = stage.principal()
    stage.allow_data(object_id, vault["id"], *OFFICER)
    with SecretClient(vault["properties"]["vaultUri"], credential) as secrets:
        secrets.set_secret("key", "value")
        deleted = secrets.begin_delete_secret("key").result()
        assert deleted.properties.recovery_level == "CustomizedRecoverable"
        assert deleted.deleted_date is not None
        assert deleted.scheduled_purge_date == deleted.deleted_date + timedelta(days=7)
    stage.call("DELETE", path, VERSION)
    location = f"/subscriptions/{stage.world.subscription_id}/providers/Microsoft.KeyVault/locations/eastus"
    purge = stage.call("POST", f"{location}/deletedVaults/{name}/purge", VERSION)
    assert _code(purge) == (405, "MethodNotAllowed")
