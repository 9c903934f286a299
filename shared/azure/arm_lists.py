"""Long lists of Azure as plain JSON. The SDK's model of an entry costs ten times its JSON, and few are used."""

from collections.abc import Iterator
from typing import Any, Protocol

from azure.core.rest import HttpRequest, HttpResponse

from shared import cloud


class Client(Protocol):
    """A management client of the SDK."""

    def send_request(self, request: HttpRequest) -> HttpResponse:
        """Send a request through the client's pipeline; a path is taken on the client's endpoint."""


def entries(client: Client, path: str, **parameters: str) -> Iterator[dict[str, Any]]:
    """Yield the entries of a list of Azure as plain JSON, page after page.

    Args:
        client: a management client.
        path: path of the list.
        **parameters: its query; `api_version` is needed.

    Raises:
        azure.core.exceptions.HttpResponseError: if Azure refuses.
    """
    query = {name.replace("_", "-"): value for name, value in parameters.items()}
    request: HttpRequest | None = HttpRequest("GET", path, params=query)
    while request is not None:
        response = client.send_request(request)
        response.raise_for_status()
        page = cloud.parsed(response)
        yield from page["value"]
        request = HttpRequest("GET", page["nextLink"]) if page.get("nextLink") else None
