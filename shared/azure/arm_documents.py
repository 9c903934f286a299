"""Documents of Azure Resource Manager as they are: for the few types whose SDK would be a package of its own.

In activities alone; requests have `arm_reads.py`.
"""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Self
from urllib.parse import quote, urlsplit

from azure.core import PipelineClient
from azure.core.credentials import TokenCredential
from azure.core.exceptions import DecodeError, HttpResponseError, ResourceNotFoundError
from azure.core.pipeline.policies import BearerTokenCredentialPolicy, CustomHookPolicy, RetryPolicy
from azure.core.pipeline.transport import HttpTransport
from azure.core.rest import HttpRequest, HttpResponse

from shared import cloud
from shared.azure.arm_reads import MOST_PAGES, is_plain

Document = dict[str, Any]


class ArmDocuments:
    """Reads and writes documents by their ids. Errors are those of the SDKs.

    `shared/azure/clients.py` builds it as it builds the clients of azure-mgmt.
    """

    def __init__(
        self,
        credential: TokenCredential,
        _subscription_id: str,
        *,
        base_url: str,
        credential_scopes: Sequence[str],
        per_call_policies: Sequence[Any],
        per_retry_policies: Sequence[Any],
        transport: HttpTransport[Any, Any],
        **options: Any,
    ) -> None:
        """Build the pipeline.

        Args:
            credential: the identity that acts.
            base_url: ARM's address.
            credential_scopes: scopes of its tokens.
            per_call_policies: run once for each call.
            per_retry_policies: run before each attempt.
            transport: sends.
            options: of the retries and hooks.
        """
        self._endpoint = base_url.rstrip("/")
        self._client: PipelineClient[Any, Any] = PipelineClient(
            base_url,
            policies=[
                *per_call_policies,
                RetryPolicy(**options),
                BearerTokenCredentialPolicy(credential, *credential_scopes),
                *per_retry_policies,
                CustomHookPolicy(**options),
            ],
            transport=transport,
        )

    def __enter__(self) -> Self:
        """Open the pipeline."""
        self._client.__enter__()
        return self

    def __exit__(self, *details: object) -> None:
        """Close the pipeline."""
        self._client.__exit__(*details)

    def get(self, path: str, api_version: str) -> Document:
        """Read one document.

        Args:
            path: its id, not encoded.
            api_version: of its type.

        Raises:
            azure.core.exceptions.ResourceNotFoundError: there is none.
            azure.core.exceptions.HttpResponseError: ARM refuses.
        """
        return self._send("GET", self._url(path, api_version))

    def list(self, path: str, api_version: str) -> list[Document]:
        """Read a whole list, with all its pages.

        Args:
            path: its path, not encoded.
            api_version: of its type.

        Raises:
            azure.core.exceptions.ResourceNotFoundError: what it is a list of does not exist.
            azure.core.exceptions.HttpResponseError: ARM refuses, or answers without end.
        """
        found: list[Document] = []
        url = self._url(path, api_version)
        for _ in range(MOST_PAGES):
            page = self._send("GET", url)
            found += page.get("value") or []
            following = str(page.get("nextLink") or "")
            if not following:
                return found
            # The token goes there.
            if urlsplit(following)[:2] != urlsplit(self._endpoint)[:2]:
                raise HttpResponseError(f"The next page of '{path}' is not on ARM's host.")
            url = following
        raise HttpResponseError(f"The list '{path}' has more than {MOST_PAGES} pages.")

    def put(self, path: str, api_version: str, body: Mapping[str, Any]) -> Document:
        """Write a document whose type ARM makes at once, and return it.

        Args:
            path: its id, not encoded.
            api_version: of its type.
            body: its content.

        Raises:
            azure.core.exceptions.HttpResponseError: ARM refuses.
        """
        return self._send("PUT", self._url(path, api_version), body)

    def delete(self, path: str, api_version: str) -> None:
        """Delete a document, if there is one.

        Args:
            path: its id, not encoded.
            api_version: of its type.

        Raises:
            azure.core.exceptions.HttpResponseError: ARM refuses.
        """
        try:
            self._send("DELETE", self._url(path, api_version))
        except ResourceNotFoundError:
            return

    def _url(self, path: str, api_version: str) -> str:
        if not is_plain(path):
            raise HttpResponseError(f"'{path}' is not a path that ARM can read.")
        return f"{self._endpoint}{quote(path)}?api-version={api_version}"

    def _send(self, method: str, url: str, body: Mapping[str, Any] | None = None) -> Document:
        request = HttpRequest(method, url, json=body) if body is not None else HttpRequest(method, url)
        response = self._client.send_request(request)
        if response.status_code == HTTPStatus.NOT_FOUND:
            raise ResourceNotFoundError(response=response)
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            raise HttpResponseError(response=response)
        return {} if method == "DELETE" else _document(response)


def _document(response: HttpResponse) -> Document:
    document = cloud.parsed(response)
    if not isinstance(document, dict):
        raise DecodeError("ARM's answer is not an object.", response=response)
    return document
