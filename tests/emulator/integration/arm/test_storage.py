"""Microsoft.Storage with `azure-mgmt-storage`."""

import base64
import hashlib
import hmac
from collections.abc import Iterator
from typing import Any
from unittest.mock import AsyncMock
from urllib.parse import parse_qs
from uuid import uuid4

import pytest
from azure.core.exceptions import HttpResponseError
from azure.mgmt.storage import StorageManagementClient

from emulator.storage.models import StorageModel
from tests.emulator.integration.arm.stage import Stage

PARAMETERS = {"location": "eastus", "sku": {"name": "Standard_LRS"}, "kind": "StorageV2"}


@pytest.fixture
def storage(stage: Stage) -> Iterator[Any]:
    """Yield the owner's client."""
    with StorageManagementClient(stage.owner, stage.world.subscription_id) as client:
        yield client


@pytest.fixture
def account(storage: Any, group: str) -> str:
    """Create a storage account; return its name."""
    name = f"acc{uuid4().hex[:12]}"
    created = storage.storage_accounts.begin_create(group, name, PARAMETERS).result()
    assert created.provisioning_state == "Succeeded"
    assert created.primary_endpoints.blob == f"https://{name}.blob.core.windows.net/"
    return name


def test_names_are_unique_in_all_of_azure(storage: Any, resources: Any, group: str, account: str) -> None:
    """A name that is in use is not available and cannot be taken again."""
    check = {"name": account, "type": "Microsoft.Storage/storageAccounts"}
    assert storage.storage_accounts.check_name_availability(check).reason == "AlreadyExists"
    assert storage.storage_accounts.check_name_availability(check | {"name": "free0"}).name_available
    resources.resource_groups.create_or_update(f"{group}-2", {"location": "eastus"})
    with pytest.raises(HttpResponseError, match="StorageAccountInAnotherResourceGroup"):
        storage.storage_accounts.begin_create(f"{group}-2", account, PARAMETERS)
    with pytest.raises(HttpResponseError, match="AccountNameInvalid"):
        storage.storage_accounts.begin_create(group, "Not-A-Name", PARAMETERS)


def test_keys_are_listed_and_renewed(stage: Stage, storage: Any, group: str, account: str) -> None:
    """The blob front end knows the keys that ARM lists, and no longer knows one that was renewed."""
    listed = storage.storage_accounts.list_keys(group, account).keys_property
    model = stage.platform.model(StorageModel)
    assert [base64.b64decode(key.value) for key in listed] == model.keys(account)
    renewed = storage.storage_accounts.regenerate_key(group, account, {"keyName": "key1"}).keys_property
    assert renewed[0].value != listed[0].value
    assert renewed[1].value == listed[1].value
    assert model.keys(account)[0] == base64.b64decode(renewed[0].value)


def test_an_account_sas_is_signed_with_the_key(stage: Stage, storage: Any, group: str, account: str) -> None:
    """Anybody with the key computes the same signature."""
    token = storage.storage_accounts.list_account_sas(
        group,
        account,
        {
            "signedServices": "b",
            "signedResourceTypes": "o",
            "signedPermission": "rl",
            "signedProtocol": "https",
            "signedStart": "2026-01-01T00:00:00Z",
            "signedExpiry": "2026-01-02T00:00:00Z",
        },
    ).account_sas_token
    values = {name: found[0] for name, found in parse_qs(token).items()}
    text = f"{account}\nrl\nb\no\n2026-01-01T00:00:00Z\n2026-01-02T00:00:00Z\n\nhttps\n2015-04-05\n"
    key = stage.platform.model(StorageModel).keys(account)[0]
    assert values["sig"] == base64.b64encode(hmac.digest(key, text.encode(), hashlib.sha256)).decode()


def test_containers_are_made_where_blobs_are_kept(stage: Stage, storage: Any, group: str, account: str) -> None:
    """A container created through ARM exists in the data plane, and is deleted with its account."""
    storage.blob_containers.create(group, account, "ignition", {})
    assert storage.blob_containers.get(group, account, "ignition").public_access == "None"
    assert (account, "ignition") in stage.containers.names
    assert [found.name for found in storage.blob_containers.list(group, account)] == ["ignition"]
    storage.storage_accounts.delete(group, account)
    assert (account, "ignition") not in stage.containers.names
    assert not stage.platform.model(StorageModel).exists(account)


def test_an_account_goes_with_its_group(stage: Stage, storage: Any, resources: Any, group: str, account: str) -> None:
    """Deleting a group deletes the account in it and frees its name."""
    storage.blob_containers.create(group, account, "aro", {})
    resources.resource_groups.begin_delete(group).result()
    assert (account, "aro") not in stage.containers.names
    check = {"name": account, "type": "Microsoft.Storage/storageAccounts"}
    assert storage.storage_accounts.check_name_availability(check).name_available


def test_a_deletion_of_a_group_that_is_killed_begins_again(
    stage: Stage, resources: Any, group: str, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group that is gone while its blobs stay would never lose them."""
    stage.containers.names.add((account, "aro"))
    with monkeypatch.context() as killed:
        killed.setattr(stage.containers, "delete_account", AsyncMock(side_effect=RuntimeError("killed")))
        with pytest.raises(RuntimeError, match="killed"):
            stage.local.run(stage.arm.delete_group(stage.world.subscription_id, group))
    assert resources.resource_groups.get(group).properties.provisioning_state == "Succeeded"
    resources.resource_groups.begin_delete(group).result()
    assert (account, "aro") not in stage.containers.names
