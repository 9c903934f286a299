"""ARM and blobs together: the blob service follows the accounts, keys and roles that ARM manages."""

import base64
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from azure.core.credentials import AccessToken
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.resource.resources import ResourceManagementClient
from azure.mgmt.storage import StorageManagementClient
from azure.storage.blob import AccountSasPermissions, ResourceTypes, generate_account_sas

from emulator import blobs, entra
from emulator.arm.access.roles import OWNER
from emulator.arm.models import ArmModel
from emulator.arm.seeding import ensure_role
from emulator.core.platform import Platform, Service
from emulator.run import arm
from emulator.storage.models import StorageModel
from tests.emulator.integration.blobs.conftest import Azurite, LocalBlobs, running

BLOB_DATA_CONTRIBUTOR = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"


class LocalStorage(LocalBlobs):
    """The blob service with ARM behind it."""

    def principal(self, name: str) -> str:
        """Create a principal; return its client id."""
        directory, client_id = self.platform.model(entra.EntraModel), str(uuid4())
        directory.ensure_application(client_id, name)
        directory.ensure_service_principal(self.platform.world.tenant_id, client_id)
        return client_id

    def object_id(self, client_id: str) -> str:
        """Return a principal's object id."""
        return self.platform.model(entra.EntraModel).ensure_service_principal(self.platform.world.tenant_id, client_id)

    def credential(self, client_id: str) -> Any:
        """Return a credential that issues a principal's token for any audience."""
        local = self

        class Credential:
            def get_token(self, *scopes: str, **_options: object) -> AccessToken:
                audience = scopes[0].removesuffix("/.default")
                directory = local.platform.model(entra.EntraModel)
                token = directory.issue_token(local.platform.world.tenant_id, client_id, audience)
                return AccessToken(token, int((datetime.now(UTC) + timedelta(hours=1)).timestamp()))

        return Credential()


def _services(platform: Platform) -> list[Service]:
    # Nothing listens there: this test reaches everything by its public name and needs no resource provider.
    platform.ports |= {"arm": 1, "token": 2, "front_end": 3}
    services, world = [entra.create(platform), arm.create(platform)], platform.world
    model = platform.model(ArmModel)
    services.append(blobs.create(platform, platform.model(StorageModel), model.authorization.permissions))
    model.subscriptions.ensure(world.subscription_id, world.tenant_id, "Customer")
    return services


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStorage]:
    """Run ARM and blobs, with their own Azurite."""
    azurite = Azurite(tmp_path_factory.mktemp("azurite"))
    with running(tmp_path_factory.mktemp("local-azure"), azurite, _services) as local:
        yield LocalStorage(local)


def test_what_arm_makes_the_blob_service_heeds(storage: LocalStorage, tmp_path: Path) -> None:
    """The blob service follows an account from its creation through keys, containers and roles to its deletion."""
    world, model = storage.platform.world, storage.platform.model(ArmModel)
    owner = storage.principal("owner")
    ensure_role(model, f"/subscriptions/{world.subscription_id}", storage.object_id(owner), OWNER)
    group, name = f"group-{tmp_path.name}"[:60], f"cluster{uuid4().hex[:8]}"
    credential = storage.credential(owner)
    resources = ResourceManagementClient(credential, world.subscription_id, **storage.options)
    resources.resource_groups.create_or_update(group, {"location": "eastus"})
    management: Any = StorageManagementClient(credential, world.subscription_id, **storage.options)
    assert not storage.model.resolves(f"{name}.blob.core.windows.net")
    parameters = {"location": "eastus", "sku": {"name": "Standard_LRS"}, "kind": "StorageV2"}
    account = management.storage_accounts.begin_create(group, name, parameters, polling_interval=0.1).result()
    management.blob_containers.create(group, name, "ignition", {})

    key = management.storage_accounts.list_keys(group, name).keys_property[0].value
    sas = generate_account_sas(
        name,
        account_key=key,
        resource_types=ResourceTypes(object=True),
        permission=AccountSasPermissions(read=True, write=True),
        expiry=datetime.now(UTC) + timedelta(hours=24),
    )
    blob = storage.client(name, sas).get_blob_client("ignition", "bootstrap.ign")
    blob.upload_blob(b"{}")
    assert blob.download_blob().readall() == b"{}"

    reader = storage.principal("reader")
    by_role = storage.client(name, storage.credential(reader)).get_blob_client("ignition", "bootstrap.ign")
    with pytest.raises(HttpResponseError, match="AuthorizationPermissionMismatch"):
        by_role.download_blob()
    ensure_role(model, account.id, storage.object_id(reader), BLOB_DATA_CONTRIBUTOR)
    assert by_role.download_blob().readall() == b"{}"

    management.storage_accounts.regenerate_key(group, name, {"keyName": "key1"})
    with pytest.raises(HttpResponseError, match="Signature did not match"):
        blob.download_blob()
    assert base64.b64decode(key) not in storage.model.accounts.keys(name)

    storage.client(name, storage.credential(reader)).delete_container("ignition")
    assert list(management.blob_containers.list(group, name)) == []
    with pytest.raises(ResourceNotFoundError):
        management.blob_containers.get(group, name, "ignition")

    management.storage_accounts.delete(group, name)
    assert not storage.model.resolves(f"{name}.blob.core.windows.net")
