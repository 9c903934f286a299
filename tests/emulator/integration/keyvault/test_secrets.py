"""Key Vault's secrets, tested with azure-keyvault-secrets under the vaults' public names."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
import requests
from azure.core.exceptions import (
    ClientAuthenticationError,
    HttpResponseError,
    ResourceExistsError,
    ResourceNotFoundError,
    ServiceRequestError,
)
from azure.identity import ClientSecretCredential, ManagedIdentityCredential
from azure.keyvault.secrets import SecretClient

from emulator.core.faults import Fault
from emulator.keyvault.vaults import RETENTION_DAYS
from tests.emulator.integration.entra.stage import Stage

Connect = Callable[..., SecretClient]


@pytest.fixture
def connect(stage: Stage) -> Iterator[Connect]:
    """Return a function that opens a client of the managed identity for a new vault."""
    with ExitStack() as opened:

        def client(name: str = "", api_version: str = "") -> SecretClient:
            vault = name or f"v{uuid4().hex[:12]}"
            stage.ensure_vault(vault)
            version = {"api_version": api_version} if api_version else {}
            credential = opened.enter_context(ManagedIdentityCredential())
            url = f"https://{vault}.vault.azure.net"
            return opened.enter_context(SecretClient(url, credential, retry_total=1, **version))

        yield client


def _name(client: SecretClient) -> str:
    return client.vault_url.removeprefix("https://").partition(".")[0]


@pytest.mark.parametrize(
    "api_version",
    ["2016-10-01", "7.0", "7.4", "7.6-preview.2", ""],
    ids=["2016-10-01", "7.0", "7.4", "a preview", "the client's own"],
)
def test_a_secret_keeps_its_versions(connect: Connect, api_version: str) -> None:
    """A read without a version gets the newest one; an older version keeps its id and can be read by it."""
    client = connect(api_version=api_version)
    first = client.set_secret("c1-request", '{"pullSecret": "one"}', content_type="application/json", tags={"a": "b"})
    second = client.set_secret("c1-request", "two")
    assert client.get_secret("c1-request").value == "two"
    old = client.get_secret("c1-request", first.properties.version)
    assert (old.value, old.properties.content_type, old.properties.tags) == (
        '{"pullSecret": "one"}',
        "application/json",
        {"a": "b"},
    )
    assert old.id == f"{client.vault_url}/secrets/c1-request/{first.properties.version}"
    assert old.properties.recovery_level == "Recoverable+Purgeable"
    assert old.properties.recoverable_days == RETENTION_DAYS
    assert first.properties.version != second.properties.version
    every = client.list_properties_of_secret_versions("c1-request", max_page_size=1)
    assert [found.version for found in every] == sorted(str(one.properties.version) for one in (first, second))


def test_names_differ_in_more_than_case(connect: Connect) -> None:
    """Key Vault finds a secret under its name in any case, and keeps the spelling of the first write."""
    client = connect()
    client.set_secret("Rp-FirstParty", "one")
    assert client.get_secret("rp-firstparty").name == "Rp-FirstParty"


def test_a_list_comes_in_pages_without_values(connect: Connect) -> None:
    """The link to the next page works even if the last secret seen has been deleted in the meantime."""
    client = connect()
    for index in range(7):
        client.set_secret(f"s{index}", "x")
    pages = client.list_properties_of_secrets(max_page_size=3).by_page()
    names = [item.name for item in next(pages)]
    client.begin_delete_secret("s2").wait()
    names += [item.name for page in pages for item in page]
    assert names == [f"s{index}" for index in range(7)]


def test_attributes_change_and_the_value_does_not(connect: Connect) -> None:
    """A disabled version cannot be read but is still listed."""
    client = connect()
    made = client.set_secret("s", "value")
    expires = datetime(2030, 1, 1, tzinfo=UTC)
    updated = client.update_secret_properties("s", enabled=False, expires_on=expires, tags={"a": "b"})
    assert (updated.enabled, updated.expires_on, updated.tags) == (False, expires, {"a": "b"})
    assert updated.version == made.properties.version
    with pytest.raises(HttpResponseError, match="not allowed on a disabled secret") as refused:
        client.get_secret("s")
    assert (refused.value.status_code, _inner(refused.value)) == (403, "SecretDisabled")
    assert [item.enabled for item in client.list_properties_of_secrets()] == [False]
    client.update_secret_properties("s", made.properties.version, enabled=True)
    assert client.get_secret("s").value == "value"


def test_a_deleted_secret_holds_its_name(connect: Connect) -> None:
    """It is read as deleted, and a new one of its name gets a 409."""
    client = connect()
    first = client.set_secret("s", "one")
    client.set_secret("s", "two")
    deleted = client.begin_delete_secret("s").result()
    assert deleted.recovery_id == f"{client.vault_url}/deletedsecrets/s"
    assert deleted.deleted_date is not None
    assert deleted.scheduled_purge_date == deleted.deleted_date + timedelta(days=RETENTION_DAYS)
    with pytest.raises(ResourceNotFoundError) as gone:
        client.get_secret("s", first.properties.version)
    assert gone.value.error is not None
    assert gone.value.error.code == "SecretNotFound"
    with pytest.raises(ResourceExistsError) as conflict:
        client.set_secret("s", "three")
    assert (conflict.value.status_code, _inner(conflict.value)) == (409, "ObjectIsDeletedButRecoverable")
    assert client.get_deleted_secret("s").name == "s"


@pytest.mark.parametrize(
    ("action", "call"),
    [
        ("secrets/getSecret/action", lambda client: client.get_secret("s")),
        ("secrets/setSecret/action", lambda client: client.set_secret("s", "x")),
        ("secrets/readMetadata/action", lambda client: list(client.list_properties_of_secrets())),
        ("secrets/delete", lambda client: client.begin_delete_secret("s")),
    ],
    ids=["get", "set", "list", "delete"],
)
def test_each_operation_needs_its_data_action(
    stage: Stage, connect: Connect, action: str, call: Callable[[SecretClient], object]
) -> None:
    """All others together give a 403 that names the caller, the missing action and the vault."""
    client = connect()
    stage.withheld.add(action)
    try:
        with pytest.raises(HttpResponseError, match=f"Action: 'Microsoft.KeyVault/vaults/{action}'") as no:
            call(client)
    finally:
        stage.withheld.clear()
    assert (no.value.status_code, _inner(no.value)) == (403, "ForbiddenByRbac")
    assert stage.identity.object_id in str(no.value)
    assert f"Vault: {_name(client)};" in str(no.value)


def test_a_principal_of_another_tenant_is_challenged_and_refused(stage: Stage, connect: Connect) -> None:
    """The challenge names the vault's tenant; a token of another tenant is refused."""
    client, world = connect(), stage.platform.world
    client_id = str(uuid4())
    stage.entra.ensure_application(client_id, "customer", tenant_id=world.tenant_id, secrets=["x"])
    stage.entra.ensure_service_principal(world.tenant_id, client_id)
    url = f"{client.vault_url}/secrets/s?api-version=7.4"
    challenge = requests.get(url, timeout=60)
    assert challenge.status_code == 401
    assert challenge.headers["WWW-Authenticate"] == (
        f'Bearer authorization="https://login.microsoftonline.com/{world.rp_tenant_id}", '
        'resource="https://vault.azure.net"'
    )
    token = stage.entra.issue_token(world.tenant_id, client_id, "https://vault.azure.net")
    answer = requests.get(url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
    assert (answer.status_code, "AKV10032" in answer.json()["error"]["message"]) == (401, True)
    with (
        ClientSecretCredential(world.tenant_id, client_id, "x", additionally_allowed_tenants=["*"]) as credential,
        SecretClient(client.vault_url, credential) as stranger,
        pytest.raises(ClientAuthenticationError, match="AADSTS700016"),
    ):
        stranger.get_secret("s")


def test_a_token_for_another_service_is_named_in_the_refusal(stage: Stage, connect: Connect) -> None:
    """Whoever asked for a token of Resource Manager reads which audience Key Vault wants."""
    client = connect()
    token = stage.entra.issue_token(
        stage.platform.world.rp_tenant_id, stage.identity.client_id, "https://management.azure.com/"
    )
    url = f"{client.vault_url}/secrets/s?api-version=7.4"
    answer = requests.get(url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
    assert (answer.status_code, answer.json()["error"]) == (
        401,
        {
            "code": "Unauthorized",
            "message": "AKV10022: Invalid audience. Expected https://vault.azure.net, found: "
            "https://management.azure.com/.",
        },
    )
    assert "resource=" in answer.headers["WWW-Authenticate"]


def test_bad_requests_say_what_is_wrong(stage: Stage, connect: Connect) -> None:
    """A bad name, value, page size or version gets BadParameter, and a backup is refused explicitly."""
    client = connect()
    for name, value, said in (("a_b", "x", "invalid name: a_b"), ("s", "x" * 25601, "25600 bytes at most")):
        with pytest.raises(HttpResponseError, match=said) as refused:
            client.set_secret(name, value)
        assert refused.value.error is not None
        assert (refused.value.status_code, refused.value.error.code) == (400, "BadParameter")
    client.set_secret("s", "x" * 25600)
    with pytest.raises(HttpResponseError, match="maxresults has the value 26"):
        list(client.list_properties_of_secrets(max_page_size=26))
    with pytest.raises(HttpResponseError, match="does not have POST /secrets/s/backup"):
        client.backup_secret("s")
    token = stage.entra.issue_token(
        stage.platform.world.rp_tenant_id, stage.identity.client_id, "https://vault.azure.net"
    )
    answer = requests.get(
        f"{client.vault_url}/secrets?api-version=9.9", headers={"Authorization": f"Bearer {token}"}, timeout=60
    )
    assert (answer.status_code, "(9.9) is not recognized" in answer.json()["error"]["message"]) == (400, True)
    assert answer.headers["x-ms-request-id"]


@pytest.mark.parametrize(
    ("call", "body", "want"),
    [
        ("PUT secrets/s?api-version=7.4", b"[", (400, "BadParameter")),
        ("PUT secrets/s?api-version=7.4", b"5", (400, "BadParameter")),
        ("PUT secrets/s?api-version=7.4", b'{"value": "\\ud800"}', (400, "BadParameter")),
        ("PUT secrets/s?api-version=7.4", b"", (400, "BadParameter")),
        ("GET secrets?api-version=7.4&$skiptoken=%%%", None, (400, "BadParameter")),
        ("GET secrets?api-version=7.4&maxresults=x", None, (400, "BadParameter")),
        ("GET secrets/a%2Fb?api-version=7.4", None, (404, "SecretNotFound")),
        ("GET keys?api-version=7.4", None, (400, "NotSupportedByLocalAzure")),
        ("POST secrets/s/backup?api-version=7.4", None, (400, "NotSupportedByLocalAzure")),
        ("POST secrets/s?api-version=7.4", b"{}", (400, "NotSupportedByLocalAzure")),
        ("PUT secrets/a_b?api-version=7.4", b'{"value": "x"}', (400, "BadParameter")),
        ("GET secrets/s", None, (400, "BadParameter")),
    ],
)
def test_malformed_requests_never_crash(
    stage: Stage, connect: Connect, call: str, body: bytes | None, want: tuple[int, str]
) -> None:
    """Every malformed request gets an error in Key Vault's own format."""
    client = connect()
    token = stage.entra.issue_token(
        stage.platform.world.rp_tenant_id, stage.identity.client_id, "https://vault.azure.net"
    )
    method, _, path = call.partition(" ")
    headers = {"Authorization": f"Bearer {token}"}
    answer = requests.request(method, f"{client.vault_url}/{path}", data=body, headers=headers, timeout=60)
    assert (answer.status_code, answer.json()["error"]["code"]) == want


def test_a_vault_that_does_not_exist_is_not_found(connect: Connect, stage: Stage) -> None:
    """The proxy opens no connection to it. One that is open already outlives the name, and the error says so."""
    client = connect()
    with pytest.raises(ResourceNotFoundError, match="SecretNotFound"):
        client.get_secret("s")
    stage.vaults.delete_vault(_name(client))
    with pytest.raises(ResourceNotFoundError, match="does not resolve"):
        client.get_secret("s")
    with (
        ManagedIdentityCredential() as credential,
        SecretClient(client.vault_url, credential, retry_total=0) as new,
        pytest.raises(ServiceRequestError, match="Tunnel connection failed: 403"),
    ):
        new.get_secret("s")


def test_an_injected_failure_is_retried_by_the_client(stage: Stage, connect: Connect) -> None:
    """A fault selects operations by their names; the client retries the 503."""
    client = connect()
    client.set_secret("s", "x")
    stage.platform.faults.add(Fault("keyvault", "GET secrets/{name}.*", status_code=503, retry_after=1))
    assert client.get_secret("s").value == "x"
    assert stage.platform.faults.list() == []


def _inner(error: HttpResponseError) -> str:
    """Return the code of the error's `innererror`."""
    assert error.error is not None
    inner = error.error.innererror
    assert inner is not None
    return str(inner["code"])
