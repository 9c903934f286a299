"""ARM and blobs together: the blob service follows the accounts, keys and roles that ARM manages."""

import base64
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import uuid4

import httpx
import pytest
from azure.core.credentials import AccessToken
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.resource.resources import ResourceManagementClient
from azure.mgmt.storage import StorageManagementClient
from azure.storage.blob import (
    AccountSasPermissions,
    BlobSasPermissions,
    BlobServiceClient,
    ContentSettings,
    ResourceTypes,
    generate_account_sas,
    generate_blob_sas,
)

from emulator import blobs, entra
from emulator.arm.access.roles import OWNER
from emulator.arm.models import ArmModel
from emulator.arm.seeding import ensure_role
from emulator.blobs import websites
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


@dataclass(frozen=True)
class Account:
    """An account that an owner of the subscription made through ARM.

    Args:
        management: the client of the management plane.
        group: the account's resource group.
        name: its name.
        id: its resource id.
    """

    management: Any
    group: str
    name: str
    id: str

    def sas(self, key: str) -> str:
        """Sign a SAS for reading and writing the blobs of the account."""
        return generate_account_sas(
            self.name,
            account_key=key,
            resource_types=ResourceTypes(object=True),
            permission=AccountSasPermissions(read=True, write=True),
            expiry=datetime.now(UTC) + timedelta(hours=24),
        )

    def key(self) -> str:
        """Return the first key, as ARM lists it."""
        return str(self.management.storage_accounts.list_keys(self.group, self.name).keys_property[0].value)


def _services(platform: Platform) -> list[Service]:
    # Nothing listens there: this test reaches everything by its public name and needs no resource provider.
    platform.ports |= {"arm": 1, "token": 2, "front_end": 3}
    services, world = [entra.create(platform), arm.create(platform)], platform.world
    model = platform.model(ArmModel)
    services.append(blobs.create(platform, platform.model(StorageModel), model.authorization))
    services.append(websites.create(platform))
    model.subscriptions.ensure(world.subscription_id, world.tenant_id, "Customer")
    return services


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStorage]:
    """Run ARM and blobs, with their own Azurite."""
    azurite = Azurite(tmp_path_factory.mktemp("azurite"))
    with running(tmp_path_factory.mktemp("local-azure"), azurite, _services) as local:
        yield LocalStorage(local)


def make_account(storage: LocalStorage, properties: dict[str, Any]) -> Account:
    """Make an account in a new group."""
    subscription_id, owner = storage.platform.world.subscription_id, storage.principal("owner")
    model = storage.platform.model(ArmModel)
    ensure_role(model, f"/subscriptions/{subscription_id}", storage.object_id(owner), OWNER)
    group, name, credential = f"group-{uuid4().hex[:8]}", f"cluster{uuid4().hex[:8]}", storage.credential(owner)
    resources = ResourceManagementClient(credential, subscription_id, **storage.options)
    resources.resource_groups.create_or_update(group, {"location": "eastus"})
    management: Any = StorageManagementClient(credential, subscription_id, **storage.options)
    body = {"location": "eastus", "sku": {"name": "Standard_LRS"}, "kind": "StorageV2", "properties": properties}
    made = management.storage_accounts.begin_create(group, name, body, polling_interval=0.1).result()
    return Account(management, group, name, made.id)


def test_the_blob_service_follows_an_account_from_its_creation_to_its_deletion(storage: LocalStorage) -> None:
    """It heeds the keys, containers and roles that ARM has at the moment."""
    model = storage.platform.model(ArmModel)
    assert not storage.model.resolves(f"absent{uuid4().hex[:8]}.blob.core.windows.net")
    account = make_account(storage, {})
    management, group, name = account.management, account.group, account.name
    management.blob_containers.create(group, name, "ignition", {})

    key = account.key()
    blob = storage.client(name, account.sas(key)).get_blob_client("ignition", "bootstrap.ign")
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


def test_an_account_without_shared_keys_refuses_its_keys_and_what_they_signed(storage: LocalStorage) -> None:
    """ARM still lists the keys."""
    account = make_account(storage, {"allowSharedKeyAccess": False})
    account.management.blob_containers.create(account.group, account.name, "packages", {})
    key = account.key()
    for secret in (key, account.sas(key)):
        with pytest.raises(HttpResponseError, match="KeyBasedAuthenticationNotPermitted") as caught:
            storage.client(account.name, secret).get_blob_client("packages", "one").upload_blob(b"1")
        assert caught.value.status_code == 403


def test_a_role_on_a_container_opens_only_that_container(storage: LocalStorage) -> None:
    """It holds where the account does not allow its keys."""
    account = make_account(storage, {"allowSharedKeyAccess": False})
    container = account.management.blob_containers.create(account.group, account.name, "packages", {})
    account.management.blob_containers.create(account.group, account.name, "others", {})
    publisher = storage.principal("publisher")
    ensure_role(storage.platform.model(ArmModel), container.id, storage.object_id(publisher), BLOB_DATA_CONTRIBUTOR)
    client = storage.client(account.name, storage.credential(publisher))
    client.get_blob_client("packages", "one").upload_blob(b"1")
    with pytest.raises(HttpResponseError, match="AuthorizationPermissionMismatch"):
        client.get_blob_client("others", "one").upload_blob(b"1")


ENDPOINT = [{"service": "Microsoft.Storage"}]
REFUSED, NO_CONTAINER = "AuthorizationFailure", "ContainerNotFound"


def _network(storage: LocalStorage, subnets: dict[str, list[dict[str, str]]]) -> tuple[Any, str, str]:
    """Make a virtual network whose subnets have these service endpoints; return its client, its group and its id."""
    subscription_id, owner = storage.platform.world.subscription_id, storage.principal("network owner")
    ensure_role(storage.platform.model(ArmModel), f"/subscriptions/{subscription_id}", storage.object_id(owner), OWNER)
    group, credential = f"group-{uuid4().hex[:8]}", storage.credential(owner)
    resources = ResourceManagementClient(credential, subscription_id, **storage.options)
    resources.resource_groups.create_or_update(group, {"location": "eastus"})
    client: Any = NetworkManagementClient(credential, subscription_id, **storage.options)
    body = {
        "location": "eastus",
        "properties": {
            "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
            "subnets": [
                {"name": name, "properties": {"addressPrefix": f"10.0.{number}.0/24", "serviceEndpoints": endpoints}}
                for number, (name, endpoints) in enumerate(subnets.items())
            ],
        },
    }
    made = client.virtual_networks.begin_create_or_update(group, "vnet", body, polling_interval=0.1).result()
    return client, group, made.id


def _answer_to(storage: LocalStorage, account: Account, subnet: str) -> str:
    """Return the code with which a client in a subnet, "" for the internet, is told of a blob that does not exist."""
    proxy = storage.listening.proxy.replace("//", f"//{quote(subnet, safe='')}:@")
    options = storage.options | {"proxies": {"https": proxy}}
    client = BlobServiceClient(f"https://{account.name}.blob.core.windows.net", account.sas(account.key()), **options)
    with pytest.raises(HttpResponseError) as caught:
        client.get_blob_client("ignition", "bootstrap.ign").get_blob_properties()
    answer: Any = caught.value.response
    return str(answer.headers["x-ms-error-code"])


def test_an_account_that_denies_lets_in_only_the_subnets_of_its_rules(storage: LocalStorage) -> None:
    """Others are refused, the internet too, until the rules let everybody in."""
    _, _, network = _network(storage, {"master": ENDPOINT, "worker": ENDPOINT, "other": ENDPOINT, "plain": []})
    rules = [{"id": f"{network}/subnets/{name}"} for name in ("master", "worker")]
    account = make_account(storage, {"networkAcls": {"defaultAction": "Deny", "virtualNetworkRules": rules}})
    places = {name: f"{network}/subnets/{name}" for name in ("master", "worker", "other", "plain")} | {"internet": ""}
    found = {name: _answer_to(storage, account, place) for name, place in places.items()}
    assert found == dict.fromkeys(places, REFUSED) | {"master": NO_CONTAINER, "worker": NO_CONTAINER}

    allowed = {"properties": {"networkAcls": {"defaultAction": "Allow"}}}
    account.management.storage_accounts.update(account.group, account.name, allowed)
    assert {_answer_to(storage, account, place) for place in places.values()} == {NO_CONTAINER}


def test_a_rule_ends_with_the_service_endpoint_of_its_subnet(storage: LocalStorage) -> None:
    """Without the endpoint a call comes from a public address, which no rule lets in."""
    client, group, network = _network(storage, {"master": ENDPOINT})
    master = f"{network}/subnets/master"
    acls = {"defaultAction": "Deny", "virtualNetworkRules": [{"id": master}]}
    account = make_account(storage, {"networkAcls": acls})
    assert _answer_to(storage, account, master) == NO_CONTAINER
    subnet = client.subnets.get(group, "vnet", "master")
    subnet.service_endpoints = []
    client.subnets.begin_create_or_update(group, "vnet", "master", subnet, polling_interval=0.1).result()
    assert _answer_to(storage, account, master) == REFUSED


def test_a_rule_needs_the_right_to_join_its_subnet_by_the_endpoint(storage: LocalStorage) -> None:
    """Who may write accounts, but not join the subnet, is refused in Azure's words."""
    _, _, network = _network(storage, {"master": ENDPOINT})
    account = make_account(storage, {})
    model, writer = storage.platform.model(ArmModel), storage.principal("writer")
    ensure_role(model, account.id, storage.object_id(writer), OWNER)
    management: Any = StorageManagementClient(
        storage.credential(writer), storage.platform.world.subscription_id, **storage.options
    )
    rules = {"defaultAction": "Deny", "virtualNetworkRules": [{"id": f"{network}/subnets/master"}]}
    with pytest.raises(HttpResponseError, match="joinViaServiceEndpoint/action") as caught:
        management.storage_accounts.update(account.group, account.name, {"properties": {"networkAcls": rules}})
    assert caught.value.error is not None
    assert caught.value.error.code == "LinkedAuthorizationFailed"


def _visit(storage: LocalStorage, account: Account, path: str, method: str = "GET") -> httpx.Response:
    context = ssl.create_default_context(cafile=storage.platform.authority.certificate_path)
    with httpx.Client(proxy=storage.listening.proxy, verify=context, trust_env=False) as client:
        return client.request(method, f"https://{account.name}.z1.web.core.windows.net/{path}")


def test_a_static_website_shows_its_blobs_to_everybody(storage: LocalStorage) -> None:
    """The blob service itself still shows them to nobody without a role; an account without a website has none."""
    account = make_account(storage, {"allowBlobPublicAccess": False, "allowSharedKeyAccess": False})
    endpoints = account.management.storage_accounts.get_properties(account.group, account.name).primary_endpoints
    assert endpoints.web == f"https://{account.name}.z1.web.core.windows.net/"
    assert _visit(storage, account, "tenant/doc/keys").status_code == 404
    website = {"properties": {"staticWebsite": {"enabled": True}}}
    account.management.blob_services.set_service_properties(account.group, account.name, parameters=website)
    writer = storage.principal("writer")
    ensure_role(storage.platform.model(ArmModel), account.id, storage.object_id(writer), BLOB_DATA_CONTRIBUTOR)
    client = storage.client(account.name, storage.credential(writer))
    assert [found.name for found in client.list_containers()] == ["$web"]
    blob = client.get_blob_client("$web", "tenant/doc/keys")
    blob.upload_blob(b'{"keys":[]}', content_settings=ContentSettings(content_type="application/json"))
    assert [found.name for found in client.get_container_client("$web").list_blobs()] == ["tenant/doc/keys"]
    shown = _visit(storage, account, "tenant/doc/keys")
    assert (shown.status_code, shown.json(), shown.headers["content-type"]) == (200, {"keys": []}, "application/json")
    assert (_visit(storage, account, "tenant/doc/keys", "HEAD").status_code, shown.headers["etag"]) == (
        200,
        blob.get_blob_properties().etag,
    )
    for path in ("", "tenant/doc", "tenant/doc/keys/"):
        missing = _visit(storage, account, path)
        assert (missing.status_code, missing.headers["x-ms-error-code"]) == (404, "WebContentNotFound")
    anonymous = storage.client(account.name, None).get_blob_client("$web", "tenant/doc/keys")
    with pytest.raises(HttpResponseError, match="NoAuthenticationInformation"):
        anonymous.download_blob()
    account.management.storage_accounts.delete(account.group, account.name)
    with pytest.raises(httpx.ProxyError):
        _visit(storage, account, "tenant/doc/keys")


def _delegated(storage: LocalStorage, account: Account, signer: str, life: timedelta) -> BlobServiceClient:
    """Return a client with a SAS for reading `box/one`, which a principal signed with a key of its own."""
    now = datetime.now(UTC)
    client = storage.client(account.name, storage.credential(signer))
    key = client.get_user_delegation_key(now - timedelta(minutes=5), now + life)
    assert (key.signed_oid, key.signed_tid) == (storage.object_id(signer), storage.platform.world.tenant_id)
    sas = generate_blob_sas(
        account.name,
        "box",
        "one",
        user_delegation_key=key,
        permission=BlobSasPermissions(read=True),
        expiry=now + timedelta(hours=1),
        protocol="https",
    )
    return storage.client(account.name, sas)


def test_who_has_a_role_signs_links_without_the_accounts_key(storage: LocalStorage) -> None:
    """The link allows what it says, as long as its key lasts and its signer has the role; keys need not be allowed."""
    model, account = storage.platform.model(ArmModel), make_account(storage, {"allowSharedKeyAccess": False})
    account.management.blob_containers.create(account.group, account.name, "box", {})
    signer = storage.principal("signer")
    with pytest.raises(HttpResponseError, match="AuthorizationPermissionMismatch"):
        storage.client(account.name, storage.credential(signer)).get_user_delegation_key(
            datetime.now(UTC), datetime.now(UTC) + timedelta(hours=1)
        )
    assignment = ensure_role(model, account.id, storage.object_id(signer), BLOB_DATA_CONTRIBUTOR)
    storage.client(account.name, storage.credential(signer)).get_blob_client("box", "one").upload_blob(b"1")
    blob = _delegated(storage, account, signer, timedelta(hours=1)).get_blob_client("box", "one")
    assert blob.download_blob().readall() == b"1"
    with pytest.raises(HttpResponseError, match="AuthorizationPermissionMismatch"):
        blob.delete_blob()
    expired = _delegated(storage, account, signer, timedelta(minutes=-1)).get_blob_client("box", "one")
    with pytest.raises(HttpResponseError, match="AuthenticationFailed"):
        expired.download_blob()
    forged = storage.client(account.name, str(urlsplit(blob.url).query).replace("sp=r", "sp=d"))
    with pytest.raises(HttpResponseError, match="AuthenticationFailed"):
        forged.get_blob_client("box", "one").delete_blob()
    model.documents.drop(model.load(assignment) or {})
    with pytest.raises(HttpResponseError, match="AuthorizationPermissionMismatch"):
        blob.download_blob()


def test_keys_of_the_account_give_no_delegation_key(storage: LocalStorage) -> None:
    """Only a principal's token does."""
    account, now = make_account(storage, {}), datetime.now(UTC)
    with pytest.raises(HttpResponseError, match="AuthenticationFailed"):
        storage.client(account.name, account.key()).get_user_delegation_key(now, now + timedelta(hours=1))
