"""Keys, signatures, tokens and roles, tested with azure-storage-blob."""

import base64
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest
from azure.core.credentials import AccessToken
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError
from azure.storage.blob import (
    AccountSasPermissions,
    BlobSasPermissions,
    ContainerSasPermissions,
    ResourceTypes,
    Services,
    generate_account_sas,
    generate_blob_sas,
    generate_container_sas,
)

from emulator.entra import EntraModel
from tests.emulator.integration.blobs.conftest import LocalBlobs, Owner

NOW = datetime.now(UTC)
HOUR = timedelta(hours=1)
DATA = "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/"


def _account_sas(owner: Owner, **options: Any) -> str:
    defaults: dict[str, Any] = {
        "services": Services(blob=True),
        "resource_types": ResourceTypes(service=True, container=True, object=True),
        "permission": AccountSasPermissions(read=True, write=True, list=True),
        "expiry": NOW + HOUR,
    }
    return generate_account_sas(owner[0], account_key=owner[1], **(defaults | options))


def _code(error: HttpResponseError) -> str:
    code = getattr(error, "error_code", "")
    return str(getattr(code, "value", code))


def _error(call: Callable[[], Any]) -> tuple[int, str, str]:
    with pytest.raises(HttpResponseError) as caught:
        call()
    error = caught.value
    return int(error.status_code or 0), _code(error), str(error)


def test_an_account_sas_does_what_it_says(local_blobs: LocalBlobs, owner: Owner) -> None:
    """The newest SDK makes the SAS with the account's key; the journal names the SAS but not its signature."""
    client = local_blobs.client(owner[0], _account_sas(owner))
    client.create_container("ignition").upload_blob("bootstrap.ign", b"{}")
    assert [blob.name for blob in client.get_container_client("ignition").list_blobs()] == ["bootstrap.ign"]
    entry = list(local_blobs.platform.journal.entries(service="blobs"))[-1]
    assert (entry.operation, entry.caller) == ("list blobs ignition", f"SAS of {owner[0]}")
    assert "sig=***" in entry.path


def test_an_answer_carries_the_headers_that_a_sas_sets(local_blobs: LocalBlobs, owner: Owner) -> None:
    """A blob's SAS may set the content type of the answer."""
    owner[2].create_container("aro").upload_blob("one", b"1")
    sas = generate_blob_sas(
        owner[0], "aro", "one", account_key=owner[1], permission="r", expiry=NOW + HOUR, content_type="text/x-own"
    )
    blob = local_blobs.client(owner[0], sas).get_blob_client("aro", "one")
    assert blob.download_blob().properties.content_settings.content_type == "text/x-own"


@pytest.mark.parametrize(
    ("options", "want_code", "want_text"),
    [
        ({"expiry": NOW - HOUR}, "AuthenticationFailed", "Signature not valid in the specified time frame"),
        ({"start": NOW + HOUR, "expiry": NOW + 2 * HOUR}, "AuthenticationFailed", "Start ["),
        ({"permission": AccountSasPermissions(write=True)}, "AuthorizationPermissionMismatch", "permission"),
        ({"resource_types": ResourceTypes(container=True)}, "AuthorizationResourceTypeMismatch", "resource type"),
        ({"services": Services(queue=True)}, "AuthorizationServiceMismatch", "service"),
        ({"ip": "10.0.0.1-10.0.0.9"}, "AuthorizationSourceIPMismatch", "127.0.0.1"),
    ],
)
def test_a_sas_that_does_not_fit_is_refused(
    local_blobs: LocalBlobs, owner: Owner, options: dict[str, Any], want_code: str, want_text: str
) -> None:
    """The answer is a 403 that names the part that does not fit."""
    owner[2].create_container("aro").upload_blob("one", b"1")
    client = local_blobs.client(owner[0], _account_sas(owner, **options))
    status, code, text = _error(lambda: client.get_blob_client("aro", "one").download_blob())
    assert (status, code) == (403, want_code)
    assert want_text in text


def test_a_sas_of_another_key_is_refused(local_blobs: LocalBlobs, owner: Owner) -> None:
    """The error quotes the string to sign."""
    wrong = (owner[0], local_blobs.account()[1], owner[2])
    status, code, text = _error(lambda: local_blobs.client(owner[0], _account_sas(wrong)).create_container("aro"))
    assert (status, code) == (403, "AuthenticationFailed")
    assert "String to sign used was" in text


def test_both_keys_sign(local_blobs: LocalBlobs, owner: Owner) -> None:
    """Either key can sign requests and SAS tokens."""
    second = base64.b64encode(local_blobs.accounts.keys(owner[0])[1]).decode()
    client = local_blobs.client(owner[0], second)
    client.create_container("aro").upload_blob("one", b"1")
    signed = local_blobs.client(owner[0], _account_sas((owner[0], second, client)))
    assert signed.get_blob_client("aro", "one").exists()


def test_a_wrong_key_is_refused(local_blobs: LocalBlobs, owner: Owner) -> None:
    """The answer is a 403 with the reason."""
    client = local_blobs.client(owner[0], local_blobs.account()[1])
    status, code, text = _error(lambda: client.create_container("aro"))
    assert (status, code) == (403, "AuthenticationFailed")
    assert "Signature did not match" in text


def test_nobody_reads_without_a_credential(local_blobs: LocalBlobs, owner: Owner) -> None:
    """An anonymous read gets a 401, and no container can be made public."""
    owner[2].create_container("aro").upload_blob("one", b"1")
    blob = local_blobs.client(owner[0], None).get_blob_client("aro", "one")
    assert _error(blob.download_blob)[:2] == (401, "NoAuthenticationInformation")
    public = _error(lambda: owner[2].create_container("public", public_access="blob"))
    assert public[:2] == (409, "PublicAccessNotPermitted")


@pytest.mark.parametrize(
    ("sent", "want"),
    [
        pytest.param(
            ("GET", {"sig": None}, {}),
            (403, "AuthenticationFailed", "AuthenticationErrorDetail", "sig is mandatory. Cannot be empty"),
            id="a SAS without its signature",
        ),
        pytest.param(
            ("GET", dict.fromkeys(["sig", "sv", "se", "sp", "ss", "srt"]), {}),
            (409, "PublicAccessNotPermitted", "Code", "PublicAccessNotPermitted"),
            id="a browser",
        ),
        pytest.param(
            ("GET", {}, {"authorization": "Bearer x"}),
            (
                403,
                "AuthenticationFailed",
                "AuthenticationErrorDetail",
                "Authentication scheme Bearer is not supported in this version.",
            ),
            id="a token without a version",
        ),
    ],
)
def test_a_refusal_has_azures_form(
    local_blobs: LocalBlobs,
    owner: Owner,
    sent: tuple[str, dict[str, None], dict[str, str]],
    want: tuple[int, str, str, str],
) -> None:
    """The XML names what is wrong; these requests come from other clients than the SDK."""
    method, query, headers = sent
    owner[2].create_container("aro").upload_blob("one", b"1")
    sas = {name: values[0] for name, values in parse_qs(_account_sas(owner)).items()} | query
    authority = ssl.create_default_context(cafile=local_blobs.platform.authority.certificate_path)
    with httpx.Client(proxy=local_blobs.listening.proxy, verify=authority) as http:
        reply = http.request(
            method,
            f"https://{owner[0]}.blob.core.windows.net/aro/one",
            params={name: value for name, value in sas.items() if value is not None},
            headers=headers,
            content=b"1" if method == "PUT" else None,
        )
    assert (reply.status_code, reply.headers["x-ms-error-code"]) == want[:2]
    assert f"<{want[2]}>{want[3]}</{want[2]}>" in reply.text


def test_a_blobs_sas_is_for_that_blob(local_blobs: LocalBlobs, owner: Owner) -> None:
    """The signature covers the blob's name, so the SAS fails for another blob."""
    container = owner[2].create_container("aro")
    container.upload_blob("one", b"1")
    container.upload_blob("two", b"2")
    sas = generate_blob_sas(
        owner[0], "aro", "one", account_key=owner[1], permission=BlobSasPermissions(read=True), expiry=NOW + HOUR
    )
    client = local_blobs.client(owner[0], sas)
    assert client.get_blob_client("aro", "one").download_blob().readall() == b"1"
    assert _error(client.get_blob_client("aro", "two").download_blob)[:2] == (403, "AuthenticationFailed")


def test_a_containers_sas_is_for_its_blobs(local_blobs: LocalBlobs, owner: Owner) -> None:
    """A container's SAS lists and reads its blobs, but cannot delete the container itself."""
    owner[2].create_container("aro").upload_blob("one", b"1")
    sas = generate_container_sas(
        owner[0],
        "aro",
        account_key=owner[1],
        permission=ContainerSasPermissions(read=True, list=True, delete=True),
        expiry=NOW + HOUR,
    )
    container = local_blobs.client(owner[0], sas).get_container_client("aro")
    assert list(container.list_blob_names()) == ["one"]
    assert container.download_blob("one").readall() == b"1"
    assert _error(container.delete_container)[:2] == (403, "AuthorizationResourceTypeMismatch")
    assert _error(lambda: container.upload_blob("two", b"2"))[:2] == (403, "AuthorizationPermissionMismatch")


def test_a_sas_that_creates_does_not_replace(local_blobs: LocalBlobs, owner: Owner) -> None:
    """The permission to create is not the permission to write."""
    owner[2].create_container("aro")
    sas = _account_sas(owner, permission=AccountSasPermissions(create=True))
    blob = local_blobs.client(owner[0], sas).get_blob_client("aro", "one")
    blob.upload_blob(b"1")
    assert _error(lambda: blob.upload_blob(b"2", overwrite=True))[:2] == (403, "AuthorizationPermissionMismatch")


class _Credential:
    """A credential with tokens of the subscription's owner."""

    def __init__(self, local: LocalBlobs, audience: str) -> None:
        self._local, self._audience = local, audience

    def get_token(self, *_scopes: str, **_options: object) -> AccessToken:
        """Return a token for the audience."""
        world = self._local.platform.world
        token = self._local.platform.model(EntraModel).issue_token(
            world.tenant_id, world.owner_client_id, self._audience
        )
        return AccessToken(token, int((NOW + HOUR).timestamp()))


def test_a_role_decides_what_a_token_may_do(local_blobs: LocalBlobs, owner: Owner) -> None:
    """Blobs need data actions and containers need actions; an Owner's `*` does not include data actions."""
    world, directory = local_blobs.platform.world, local_blobs.platform.model(EntraModel)
    directory.ensure_application(world.owner_client_id, "owner")
    object_id = directory.ensure_service_principal(world.tenant_id, world.owner_client_id)
    client = local_blobs.client(owner[0], _Credential(local_blobs, "https://storage.azure.com"))
    owner[2].create_container("aro").upload_blob("one", b"1")
    blob = client.get_blob_client("aro", "one")
    scope = (object_id, local_blobs.accounts.resource_id(owner[0]))

    assert _error(blob.download_blob)[:2] == (403, "AuthorizationPermissionMismatch")
    everything = {"actions": ["*"], "notActions": [], "dataActions": [], "notDataActions": []}
    local_blobs.roles[scope] = [everything]
    client.create_container("ignition")
    assert _error(blob.download_blob)[:2] == (403, "AuthorizationPermissionMismatch")
    local_blobs.roles[scope] = [everything | {"dataActions": [f"{DATA}*"], "notDataActions": [f"{DATA}delete"]}]
    assert blob.download_blob().readall() == b"1"
    assert _error(blob.delete_blob)[:2] == (403, "AuthorizationPermissionMismatch")


def test_a_token_for_another_audience_is_401(local_blobs: LocalBlobs, owner: Owner) -> None:
    """A token for ARM gives no access to blobs."""
    world, directory = local_blobs.platform.world, local_blobs.platform.model(EntraModel)
    directory.ensure_application(world.owner_client_id, "owner")
    directory.ensure_service_principal(world.tenant_id, world.owner_client_id)
    client = local_blobs.client(owner[0], _Credential(local_blobs, "https://management.azure.com"))
    with pytest.raises(ClientAuthenticationError) as caught:
        client.create_container("aro")
    assert caught.value.status_code == 401
    assert "Audience validation failed. Audience did not match." in str(caught.value)
