"""The cloud this process runs in, and the process's own identity there.

ARM's metadata document names the endpoints of the cloud. No code here or above composes a host name, except from a
setting and a suffix in that document. The app's managed identity opens Cosmos DB and Key Vault, and reads ARM during
requests. `shared/azure/credentials.py` says who works in customers' subscriptions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from azure.core import PipelineClient
from azure.core.exceptions import DecodeError
from azure.core.pipeline import PipelineRequest, PipelineResponse
from azure.core.pipeline.policies import CustomHookPolicy, HTTPPolicy, RetryPolicy, SansIOHTTPPolicy
from azure.core.pipeline.transport import RequestsTransport
from azure.core.rest import HttpRequest, HttpResponse
from azure.identity import ManagedIdentityCredential

from shared import answer_framing, bounded_answers, deadline, durations, settings, tracing
from shared.http_session import network

_CONNECTION_SECONDS = durations.ARM_CONNECTION.total_seconds()
_READ_SECONDS = durations.ARM_READ.total_seconds()
ANSWER_SECONDS = durations.ARM_ANSWER.total_seconds()


def _prepare(request: PipelineRequest[Any]) -> None:
    tracing.add_headers(request)
    deadline.before_sending(request)


def _judge(response: PipelineResponse[Any, Any]) -> None:
    answer_framing.expect_whole(response)
    deadline.before_sleeping(response)


# The dependencies of requests, which activities also call all the time: Cosmos DB, Key Vault, the identity endpoint,
# ARM's metadata. They answer in milliseconds. Retries cover a connection that was closed while idle, and a hiccup; the
# call's deadline limits them. The caller decides what to try again later, so no thread waits for it.
PROMPT: Mapping[str, Any] = {
    **deadline.TIMEOUTS,
    "retry_total": 3,
    "retry_connect": 1,
    "retry_read": 1,
    "retry_status": 3,
    "retry_backoff_factor": 0.2,
    "raw_request_hook": _prepare,
    "raw_response_hook": _judge,
}


@dataclass(frozen=True)
class CloudProfile:
    """The members of the metadata document that the product needs."""

    arm_endpoint: str
    arm_audience: str
    arm_audiences: tuple[str, ...]
    login_endpoint: str
    key_vault_suffix: str
    storage_suffix: str
    registry_suffix: str
    graph_endpoint: str

    @property
    def arm_scope(self) -> str:
        """The OAuth scope of a token for Azure Resource Manager."""
        return f"{self.arm_audience.rstrip('/')}/.default"


class Transport(RequestsTransport):  # type: ignore[misc]  # the package loads it lazily, without a type
    """Azure, as this process calls it over the network: no answer is longer or later than the limits above."""

    def __init__(self, read_timeout: float = _READ_SECONDS, connection_timeout: float = _CONNECTION_SECONDS) -> None:
        """Use the connections of this process.

        Args:
            read_timeout: seconds; the longest pause of an answer.
            connection_timeout: seconds.
        """
        super().__init__(
            session=network().session,
            # A client that is closed leaves the connections to the others.
            session_owner=False,
            connection_timeout=connection_timeout,
            read_timeout=read_timeout,
        )

    def send(self, request: Any, **options: Any) -> Any:
        """Send one request and read its answer, unless the caller reads that piece by piece.

        Raises:
            azure.core.exceptions.DecodeError: if the answer is nested so deep that the SDK would break on it.
        """
        way = network()
        # The SDK of Cosmos DB says True.
        if options.get("connection_verify", True) is True:
            options["connection_verify"] = way.verify
        origin = "/".join(request.url.split("/", 3)[:3])
        options["proxies"] = options.get("proxies") or way.proxies(origin)
        with deadline.within(ANSWER_SECONDS):
            response = super().send(request, **options)
        # An answer with few brackets cannot be nested deep. Reading the others once more, only for that, costs as much
        # as the SDK's own reading.
        body = b"" if options.get("stream") else response.body()
        if body.count(b"[") + body.count(b"{") > bounded_answers.MAX_DEPTH:
            try:
                bounded_answers.parse(body)
            except bounded_answers.TooDeep as error:
                raise DecodeError(f"The answer is not read: {error}.", response=response) from error
            except ValueError:
                # Not every answer is JSON.
                pass
        return response


def short_transport() -> Transport:
    """Return the transport of blobs and Entra ID."""
    return Transport(durations.SHORT_READ.total_seconds())


def prompt_transport() -> Transport:
    """Return the transport of the dependencies of requests."""
    return Transport(PROMPT["read_timeout"], PROMPT["connection_timeout"])


def prompt_client(
    base_url: str, *policies: HTTPPolicy[Any, Any] | SansIOHTTPPolicy[Any, Any]
) -> PipelineClient[Any, Any]:
    """Return a client for plain HTTPS calls that requests wait for.

    Args:
        base_url: scheme and host.
        *policies: policies for every attempt, such as the one that adds a token.
    """
    return PipelineClient(
        base_url,
        policies=[RetryPolicy(**PROMPT), *policies, CustomHookPolicy(**PROMPT)],
        transport=prompt_transport(),
    )


def get_json(base_url: str, path: str) -> dict[str, Any]:
    """GET a JSON document that anybody may read, such as the cloud's endpoints.

    Raises:
        azure.core.exceptions.AzureError: if there is no answer, its status is not 200, or it is not JSON.
    """
    with prompt_client(base_url) as client, deadline.call():
        response = client.send_request(HttpRequest("GET", base_url + path))
        response.raise_for_status()
        document: dict[str, Any] = parsed(response)
        return document


def parsed(response: HttpResponse) -> Any:
    """Return the JSON of an answer of Azure.

    Raises:
        azure.core.exceptions.DecodeError: if it is none.
    """
    try:
        return bounded_answers.parse(response.content)
    except ValueError as error:
        raise DecodeError(f"The answer is not JSON: {error}.", response=response) from error


@cache
def cloud_profile() -> CloudProfile:
    """Return the cloud's endpoints, read once per process. A failure is not cached."""
    endpoint = settings.load().arm_endpoint
    metadata = get_json(endpoint, "/metadata/endpoints?api-version=2022-09-01")
    return CloudProfile(
        arm_endpoint=endpoint,
        # In the public cloud the first audience is the classic one; the one that equals the endpoint is current.
        arm_audience=next(
            (a for a in metadata["authentication"]["audiences"] if a.rstrip("/") == endpoint),
            metadata["authentication"]["audiences"][0],
        ),
        arm_audiences=tuple(metadata["authentication"]["audiences"]),
        login_endpoint=metadata["authentication"]["loginEndpoint"],
        key_vault_suffix=metadata["suffixes"]["keyVaultDns"],
        storage_suffix=metadata["suffixes"]["storage"],
        registry_suffix=metadata["suffixes"]["acrLoginServer"],
        graph_endpoint=metadata["microsoftGraphResourceId"].rstrip("/"),
    )


@cache
def managed_identity() -> ManagedIdentityCredential:
    """Return the credential of the app's managed identity, which caches its tokens for the whole process."""
    return _identity(settings.load().managed_identity_client_id)


@cache
def installer_identity() -> ManagedIdentityCredential:
    """Return the credential of the second managed identity, which can only read."""
    return _identity(settings.load().installer_client_id)


def _identity(client_id: str) -> ManagedIdentityCredential:
    return ManagedIdentityCredential(client_id=client_id or None, **PROMPT)
