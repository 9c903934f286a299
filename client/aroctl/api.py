"""Requests to the service, and to Azure Resource Manager: with a token, in one's own name, and with patience.

What passes by itself (a service that is away, busy or too slow) is asked again, and the caller is told why it takes
longer. A request that changes something gives up after a few tries; one that only waits for an end does not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypedDict, Unpack
from urllib.parse import quote, urlsplit

from azure.core import PipelineClient
from azure.core.credentials import TokenCredential
from azure.core.exceptions import AzureError, ClientAuthenticationError
from azure.core.pipeline.policies import BearerTokenCredentialPolicy, HeadersPolicy, RetryPolicy, UserAgentPolicy
from azure.core.pipeline.transport import HttpTransport, RequestsTransport
from azure.core.rest import HttpRequest, HttpResponse

from aroctl import credentials
from aroctl.problems import Exit, Problem, wrong
from aroctl.progress import Progress, Spinner

Json = dict[str, Any]

# The first version with operations, dry runs and ETags.
VERSION = "2026-12-01-preview"
ARM = "https://management.azure.com"
AGENT = "aroctl"
# What may be different a little later, without anybody doing anything.
PASSING = (408, 429, 500, 502, 503, 504)
# A request that changes something is tried this often again; for a second, two, four, and so on, half a minute at most.
_TRIES, _FACTOR, _LONGEST_SECONDS = 4, 1.0, 30
_FOREVER = 10**9
# An answer of the service takes seconds; a dry run is answered after a minute at most.
_READ_SECONDS, _CONNECT_SECONDS = 120, 20
_WORDS = {
    401: "does not accept your token any more",
    403: "refuses it",
    408: "was too slow",
    429: "is throttling",
}


@dataclass(frozen=True)
class Answer:
    """What came back: the status, the headers, and the body, {} if there is none."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Json = field(default_factory=dict)

    @property
    def refused(self) -> bool:
        """Whether it is an error."""
        return self.status >= HTTPStatus.BAD_REQUEST

    @property
    def seconds(self) -> int:
        """How long to wait before asking again: `Retry-After`, and 10 without."""
        seconds = self.headers.get("Retry-After", "")
        return int(seconds) if seconds.isdigit() else 10


class More(TypedDict, total=False):
    """What a request may have beside its path and body.

    Attributes:
        version: the api-version, if it is not the usual one.
        query: the whole query, instead of a version.
        headers: further headers.
        forever: whether to ask until there is an answer.
    """

    version: str
    query: str
    headers: Mapping[str, str]
    forever: bool


class _Patience(RetryPolicy[HttpRequest, HttpResponse]):
    """Asks again what passes by itself, and says so."""

    def __init__(self, api: "Api") -> None:
        super().__init__(
            retry_total=_TRIES,
            retry_connect=_TRIES,
            retry_read=_TRIES,
            retry_status=_TRIES,
            retry_backoff_factor=_FACTOR,
            retry_backoff_max=_LONGEST_SECONDS,
        )
        self._api = api

    def is_retry(self, settings: Json, response: Any) -> bool:
        """Tell whether to ask again. A refusal has `Retry-After`, too, if it is because of a running operation."""
        return response.http_response.status_code in PASSING and super().is_retry(settings, response)

    def sleep(self, settings: Json, transport: Any, response: Any = None) -> None:
        """Say what was met, and wait."""
        seconds = (self.get_retry_after(response) if response else None) or self.get_backoff_time(settings)
        met = describe(response.http_response.status_code) if response else "does not answer"
        self._api.progress.note(f"{self._api.name} {met}; asking again in {seconds:.0f} s.")
        transport.sleep(seconds)


def describe(status: int) -> str:
    """Return a status as the end of a sentence that begins with the service."""
    otherwise = "has a problem" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "answers"
    return f"{_WORDS.get(status, otherwise)} ({status})"


class Api:
    """An API of ARM's shape.

    Args:
        url: its address.
        scope: scope of its tokens; "" to send none.
        credential: who calls; None to send no token.
        name: what it is called in sentences.
        version: the version of requests that name none.
        certificate: PEM file of a client certificate and key, for operators of a hosted service; "" for none.
    """

    def __init__(
        self,
        url: str,
        scope: str,
        credential: TokenCredential | None,
        *,
        name: str = "The service",
        version: str = VERSION,
        certificate: str = "",
    ) -> None:
        self.url = url.rstrip("/")
        self.name = name
        self.progress: Progress = Spinner()
        self._version = version
        self._options = {"connection_cert": certificate} if certificate else {}
        self._transport = new_transport()
        signs_in = [BearerTokenCredentialPolicy(credential, scope)] if credential else []
        policies = [HeadersPolicy(), UserAgentPolicy(AGENT, user_agent_use_env=False), _Patience(self), *signs_in]
        self._client: PipelineClient[HttpRequest, HttpResponse] = PipelineClient(
            self.url, policies=policies, transport=self._transport
        )

    def get(self, path: str, version: str = "") -> Json:
        """Return what a path holds.

        Raises:
            Problem: it is not there, or refused; nobody is signed in; the API does not answer.
        """
        return self.call("GET", path, version=version).body

    def values(self, path: str, version: str = "") -> list[Json]:
        """Return the entries of a list, of all its pages."""
        found: list[Json] = []
        page = self.get(path, version)
        while True:
            found += page.get("value") or []
            following = page.get("nextLink")
            if not following:
                return found
            link = urlsplit(following)
            page = self.call("GET", link.path, query=link.query).body

    def call(self, method: str, path: str, body: Any = None, **more: Unpack[More]) -> Answer:
        """Send a request; return its answer.

        Args:
            method: HTTP method.
            path: the path.
            body: the body, sent as JSON; None for none.
            more: see `More`.

        Raises:
            Problem: the request is refused; nobody is signed in; the API does not answer.
        """
        answer = self.send(method, path, body, **more)
        if answer.refused:
            raise self.problem(answer)
        return answer

    def send(self, method: str, path: str, body: Any = None, **more: Unpack[More]) -> Answer:
        """Send a request; return its answer, also if it is an error. For the rest see `call`."""
        query = more.get("query") or f"api-version={more.get('version') or self._version}"
        address = f"{self.url}{quote(path, safe='/%')}?{query}"
        request = HttpRequest(method, address, json=body, headers=dict(more.get("headers", {})))
        tries = dict.fromkeys(("retry_total", "retry_connect", "retry_read", "retry_status"), _FOREVER)
        options: Json = {**self._options, **(tries | {"timeout": _FOREVER} if more.get("forever") else {})}
        try:
            with self.progress.busy(f"Asking {urlsplit(self.url).netloc}"):
                response = self._client.send_request(request, **options)
                response.read()
        except ClientAuthenticationError as error:
            raise Problem(
                Exit.SIGNED_OUT, f"Nobody is signed in: {first_line(str(error))}", credentials.SIGN_IN
            ) from error
        except AzureError as error:
            raise Problem(
                Exit.AWAY,
                f"{self.name} does not answer at {self.url}: {first_line(str(error))}",
                "Check the address and your network, then repeat the command.",
            ) from error
        return Answer(response.status_code, response.headers, _parse(response))

    def pause(self, seconds: float) -> None:
        """Wait."""
        self._transport.sleep(seconds)

    def problem(self, answer: Answer) -> Problem:
        """Return the problem that an answer is."""
        error = answer.body.get("error") or {}
        code, message = error.get("code", ""), error.get("message") or f"{self.name} {describe(answer.status)}."
        details = [each.get("message", "") for each in error.get("details") or []]
        cause = f"{code}: {message}" if code else message
        exit_code, remedy = _MEANINGS.get(answer.status, (Exit.REFUSED, ""))
        if answer.status in PASSING:
            exit_code, remedy = Exit.AWAY, "Repeat the command in some minutes."
        return Problem(exit_code, cause, remedy, [each for each in details if each and each not in message])


_MEANINGS = {
    401: (Exit.SIGNED_OUT, credentials.SIGN_IN),
    403: (
        Exit.REFUSED,
        (
            "Ask an owner of the subscription for a role that includes this action, such as Contributor, or Reader "
            "for what only reads. A new role counts after a minute."
        ),
    ),
    404: (Exit.NOT_FOUND, ""),
}


def new_transport() -> HttpTransport[HttpRequest, Any]:
    """Return what sends requests: by the proxy and with the certificate authorities of the environment."""
    transport: HttpTransport[HttpRequest, Any] = RequestsTransport(
        connection_timeout=_CONNECT_SECONDS, read_timeout=_READ_SECONDS
    )
    return transport


def of_arm(credential: TokenCredential) -> Api:
    """Return Azure Resource Manager."""
    return Api(ARM, f"{ARM}/.default", credential, name="Azure Resource Manager", version="")


def first_line(text: str) -> str:
    """Return the first line of a message that libraries have made of several."""
    return text.strip().splitlines()[0] if text.strip() else ""


def checked_address(address: str) -> str:
    """Return the address of a service, without anything after its host.

    Raises:
        Problem: it is not an https URL.
    """
    parts = urlsplit(address if "://" in address else f"https://{address}")
    if parts.scheme != "https" or not parts.hostname:
        raise wrong(f"'{address}' is not an https URL.", "Give the address of the service, such as https://HOST.")
    return f"https://{parts.netloc}"


def _parse(response: HttpResponse) -> Json:
    try:
        found = response.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {"value": found}
