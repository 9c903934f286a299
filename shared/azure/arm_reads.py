"""Reads of Azure Resource Manager during a request, over plain HTTPS.

The app's managed identity asks about callers, the provider's identity about a customer's resources.

A management SDK takes seconds to import, which a request has not got. What a request needs to know is little: groups,
locks, role assignments. All of its reads end two seconds after the first one began (`deadline.arm_reads`).

    AzureError
    └── HttpResponseError
        └── ArmRefused          ARM did not show what was asked for
            └── ArmNotFound     nothing exists at the scope of a list
"""

import logging
from collections.abc import Callable, Mapping
from functools import cache
from http import HTTPStatus
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from azure.core import PipelineClient
from azure.core.credentials import TokenCredential
from azure.core.exceptions import AzureError, DecodeError, HttpResponseError
from azure.core.pipeline.policies import BearerTokenCredentialPolicy
from azure.core.rest import HttpRequest, HttpResponse

from shared import cloud, deadline, settings, tracing
from shared.arm.errors import CloudError
from shared.azure import azure_errors, credentials, dependencies

# A page has hundreds of entries, and a subscription 4,000 role assignments at most.
MOST_PAGES = 20
# One more try, at once: a longer wait is the client's.
_RETRIES = 1
_NO_QUERY: Mapping[str, str] = MappingProxyType({})
_DOTS = frozenset({"", ".", ".."})

Document = dict[str, Any]
Documents = list[Document]

_log = logging.getLogger(__name__)


class ArmRefused(HttpResponseError):  # noqa: N818 - named by what ARM did
    """ARM did not show what was asked for: it refused, or its answer is cut or has another form than documented.

    What ARM would have shown is unknown, so whoever decides by it must decide against the caller. A refusal that nobody
    catches becomes 503, like all refusals of the app's own identity.
    """


class ArmNotFound(ArmRefused):
    """The scope of a list does not exist."""


class ArmReads:
    """Reads documents and lists. One instance serves all threads of the process."""

    def __init__(self, client: PipelineClient[Any, Any], endpoint: str) -> None:
        """Keep the client.

        Args:
            client: adds a token of the app's identity to each call.
            endpoint: ARM's address, `https://<host>`.
        """
        self._client = client
        self._endpoint = endpoint

    def get(self, path: str, api_version: str, query: Mapping[str, str] = _NO_QUERY) -> Document | None:
        """Read one document.

        Args:
            path: an id or a path below it, not encoded, such as `/subscriptions/<id>`.
            api_version: of the type.
            query: further parameters, not encoded.

        Returns:
            The document, or None if ARM answers 404.

        Raises:
            ArmRefused: if ARM refuses the read (401, 403 and the like), or the answer is not an object.
            CloudError: 503 `ServiceUnavailable` if ARM, or the app's identity, is away, throttles or takes too long.
        """
        return self._read(self._url(path, api_version, query))

    def list(self, path: str, api_version: str, query: Mapping[str, str] = _NO_QUERY) -> Documents:
        """Read a whole list, with all its pages.

        Args:
            path: as in `get`.
            api_version: of the type.
            query: further parameters, such as `{"$filter": "atScope()"}`.

        Raises:
            ArmNotFound: if ARM answers 404.
            ArmRefused: as in `get`; also if the list has too many pages, or a next page that is not on ARM's host.
            CloudError: as in `get`.
        """
        documents: Documents = []
        url = self._url(path, api_version, query)
        for _ in range(MOST_PAGES):
            page = self._read(url)
            if page is None:
                raise ArmNotFound(f"Nothing exists at '{path}'.")
            documents += _entries(page, path)
            following = page.get("nextLink")
            if not following:
                return documents
            url = self._on_arm(following, path)
        raise ArmRefused(f"The list '{path}' has more than {MOST_PAGES} pages.")

    def _url(self, path: str, api_version: str, query: Mapping[str, str]) -> str:
        """Return an address.

        Raises:
            ArmRefused: if the path means something else than it says.
        """
        if not is_plain(path):
            raise ArmRefused(f"'{path}' is not a path that ARM can read.")
        parameters = urlencode({"api-version": api_version, **query}, safe="$()',", quote_via=quote)
        return f"{self._endpoint}{quote(path)}?{parameters}"

    def _on_arm(self, link: Any, path: str) -> str:
        """Return the address of the next page.

        Raises:
            ArmRefused: if it is not on ARM's host, because the app's token goes there.
        """
        if not isinstance(link, str) or urlsplit(link)[:2] != urlsplit(self._endpoint)[:2]:
            raise ArmRefused(f"The next page of '{path}' is not on ARM's host.")
        return link

    def _read(self, url: str) -> Document | None:
        try:
            with deadline.arm_reads(), deadline.call():
                response = self._client.send_request(HttpRequest("GET", url), retry_total=_RETRIES)
        except AzureError as error:
            raise _away(error) from error
        if response.status_code == HTTPStatus.NOT_FOUND:
            return None
        return _document(response, urlsplit(url).path)


def is_plain(path: str) -> bool:
    """Tell whether a path means what it says: HTTP clients shorten those with dots or empty segments."""
    return path.startswith("/") and _DOTS.isdisjoint(path[1:].split("/"))


def _document(response: HttpResponse, path: str) -> Document:
    """Return the document of an answer.

    Raises:
        ArmRefused: as in `ArmReads.get`.
        CloudError: as there.
    """
    if response.status_code != HTTPStatus.OK:
        error = HttpResponseError(response=response)
        if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR or azure_errors.is_away(error):
            raise _away(error) from error
        raise ArmRefused(response=response)
    try:
        document = cloud.parsed(response)
    except DecodeError as error:
        _log.error("ARM's answer to '%s' broke off", path, extra=tracing.current.get().extra())
        raise dependencies.away(dependencies.ARM) from error
    if not isinstance(document, dict):
        raise ArmRefused(f"ARM's answer to '{path}' is not an object.")
    return document


def _away(error: AzureError) -> CloudError:
    """Return the error for the client, and log what is away."""
    service_settings = settings.load()
    _log.error("%s", dependencies.explain(error, service_settings), extra=tracing.current.get().extra())
    return dependencies.unavailable(error, service_settings) or dependencies.away(dependencies.ARM)


def _entries(page: Document, path: str) -> Documents:
    entries = page.get("value")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ArmRefused(f"ARM's answer to '{path}' is not a list of objects.")
    return entries


@cache
def arm_reads() -> ArmReads:
    """Return the reads of this process, built once. A failure to read the cloud's endpoints is not cached."""
    return _reads_of(cloud.managed_identity())


@cache
def provider_reads(tenant_id: str, read_secret: Callable[[str], str]) -> ArmReads:
    """Return reads of customers' resources with the identity that acts on them, built once for each tenant.

    Args:
        tenant_id: the customer's tenant.
        read_secret: as in `credentials.provider`.
    """
    return _reads_of(credentials.provider(tenant_id, read_secret))


def _reads_of(credential: TokenCredential) -> ArmReads:
    profile = cloud.cloud_profile()
    token = BearerTokenCredentialPolicy(credential, profile.arm_scope)
    return ArmReads(cloud.prompt_client(profile.arm_endpoint, token), profile.arm_endpoint)
