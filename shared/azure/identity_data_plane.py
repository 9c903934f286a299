"""The data plane of managed identities: it hands out the certificate with which a first party acts as an identity.

ARM tells a resource provider the address for each resource that a customer has assigned an identity to.

Source: https://github.com/Azure/msi-dataplane, `pkg/dataplane`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from azure.core import PipelineClient
from azure.core.credentials import TokenCredential
from azure.core.exceptions import HttpResponseError
from azure.core.pipeline.policies import CustomHookPolicy, RetryPolicy
from azure.core.rest import HttpRequest, HttpResponse

from shared import cloud
from shared.azure import credentials
from shared.fence import FencePolicy

_API_VERSION = "2024-01-01"
_TENANT = re.compile(r'authorization="https://[^/"]+/([0-9A-Za-z.-]+)/?"', re.IGNORECASE)

Reply = dict[str, Any]


class BadReply(Exception):  # noqa: N818 - an answer more than an error
    """The reply does not have what the API promises. The message is a sentence, without any secret."""


@dataclass(frozen=True)
class IssuedIdentity:
    """What was issued for one identity.

    Attributes:
        resource_id: the identity.
        client_id: its application id.
        object_id: its object id.
        tenant_id: its tenant.
        certificate: certificate and key, PEM or base64 of PKCS#12.
        authority: where it logs in.
        not_before: when the certificate begins to be valid.
        not_after: when it ends.
        renew_after: from when another one is issued.
        cannot_renew_after: until when.
    """

    resource_id: str
    client_id: str
    object_id: str
    tenant_id: str
    certificate: str
    authority: str
    not_before: datetime
    not_after: datetime
    renew_after: datetime
    cannot_renew_after: datetime


def parse(reply: Reply) -> IssuedIdentity:
    """Return what a reply has issued.

    Raises:
        BadReply: if it has issued nothing, or not all of it.
    """
    explicit = reply.get("explicit_identities")
    found = explicit[0] if isinstance(explicit, list) and explicit and isinstance(explicit[0], dict) else None
    if found is None:
        raise BadReply("The identity data plane has issued nothing for the identity.")
    return IssuedIdentity(
        resource_id=_text(found, "resource_id"),
        client_id=_text(found, "client_id"),
        object_id=_text(found, "object_id"),
        tenant_id=_text(found, "tenant_id"),
        certificate=_text(found, "client_secret"),
        authority=_text(found, "authentication_endpoint"),
        not_before=_time(found, "not_before"),
        not_after=_time(found, "not_after"),
        renew_after=_time(found, "renew_after"),
        cannot_renew_after=_time(found, "cannot_renew_after"),
    )


def _text(found: Reply, name: str) -> str:
    value = found.get(name)
    if not isinstance(value, str) or not value:
        raise BadReply(f"The reply of the identity data plane has no '{name}'.")
    return value


def _time(found: Reply, name: str) -> datetime:
    try:
        time = datetime.fromisoformat(_text(found, name))
    except ValueError:
        raise BadReply(f"The member '{name}' in the reply of the identity data plane is not a time.") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def issue(url: str, identity: str, audience: str, credential_of: Callable[[str], TokenCredential]) -> Reply:
    """Let the data plane issue a certificate for an identity.

    Args:
        url: the address that ARM has told for the resource, with its query.
        identity: resource id of the identity.
        audience: audience of the data plane's tokens.
        credential_of: returns the first party's credential in a tenant.

    Raises:
        azure.core.exceptions.HttpResponseError: the data plane refuses.
        BadReply: it does not say in which tenant the first party has to log in.
    """
    with _client(url) as client:
        wanted = {"identityIds": [identity]}
        response = client.send_request(HttpRequest("POST", _address(url), json=wanted))
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            token = credential_of(_tenant(response)).get_token(f"{audience}/.default").token
            authorization = {"Authorization": f"Bearer {token}"}
            response = client.send_request(HttpRequest("POST", _address(url), json=wanted, headers=authorization))
        if response.status_code != HTTPStatus.OK:
            raise HttpResponseError(response=response)
        reply = cloud.parsed(response)
    if not isinstance(reply, dict):
        raise BadReply("The reply of the identity data plane is not an object.")
    return reply


def _client(url: str) -> PipelineClient[Any, Any]:
    parts = urlsplit(url)
    if parts.scheme != "https":
        raise BadReply("The address of the identity data plane is not an https URL.")
    return PipelineClient(
        f"https://{parts.netloc}",
        policies=[RetryPolicy(**credentials.IMPATIENT), FencePolicy(), CustomHookPolicy(**credentials.IMPATIENT)],
        transport=cloud.short_transport(),
    )


def _address(url: str) -> str:
    """Return the address with the API version and all parameters that ARM has told, which the data plane wants back."""
    parts = urlsplit(url)
    told = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name != "api-version"]
    return urlunsplit(parts._replace(query=urlencode([*told, ("api-version", _API_VERSION)]), fragment=""))


def _tenant(response: HttpResponse) -> str:
    """Return the tenant that the challenge names. The host in it does not count: our cloud has its own."""
    found = _TENANT.search(response.headers.get("WWW-Authenticate", ""))
    if found is None:
        raise BadReply("The identity data plane refuses the call, and does not say for which tenant.")
    return found[1]
