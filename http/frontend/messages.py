"""What goes through the frontend: a request, the call it becomes on its way, and the reply."""

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from posixpath import normpath
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, unquote, urlsplit

from frontend.services import Services
from shared.arm.errors import CloudError
from shared.clusters.api_versions import NEWEST, ApiVersion
from shared.clusters.documents import CorrelationData

if TYPE_CHECKING:
    from frontend.routes import Route


@dataclass(frozen=True)
class Request:
    """A request as the host hands it over. Header and query names are in lower case."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def path(self) -> str:
        """The path with its casing, without escapes, and as the host matches it: without `.` and `..`."""
        return normpath(unquote(urlsplit(self.url).path) or "/")


@dataclass(frozen=True)
class Start:
    """An orchestration that the wrapper starts after the documents are written."""

    instance_id: str
    input: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What the client gets, and what has to be done with the durable client on the way.

    Args:
        status: the HTTP status.
        body: any JSON, or None for an empty reply.
        headers: beside those that every reply has.
        start: an orchestration to start; the reply stands even if that fails.
        durable_instance: the instance whose management addresses are the body.
        error: the error behind the reply, for the log.
    """

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    start: Start | None = None
    durable_instance: str = ""
    error: CloudError | None = None

    def text(self) -> str:
        """Return the body as it is sent."""
        return "" if self.body is None else json.dumps(self.body, indent=4) + "\n"


@dataclass(frozen=True)
class Call:
    """A request on its way through the chain; each middleware hands on a copy that knows more."""

    request: Request
    route: "Route"
    get_services: Callable[[], Services]
    parameters: Mapping[str, str] = field(default_factory=dict)
    correlation: CorrelationData = field(default_factory=CorrelationData)
    public_url: SplitResult = field(default_factory=lambda: urlsplit(""))
    version: ApiVersion = NEWEST
    content: Any = None
    system_data: Mapping[str, str] = field(default_factory=dict)

    @property
    def services(self) -> Services:
        """What handlers work with."""
        return self.get_services()

    @property
    def resource_id(self) -> str:
        """The path as the caller typed it: the id of a new resource."""
        return self.request.path

    @property
    def key(self) -> str:
        """The path in lower case: what documents are found by."""
        return self.request.path.lower()

    @property
    def subscription_id(self) -> str:
        """The subscription of the path, in lower case."""
        return self.parameters["subscriptionId"]


Handler = Callable[[Call], Reply]
Middleware = Callable[[Call, Handler], Reply]


def error_reply(error: CloudError, headers: Mapping[str, str] | None = None) -> Reply:
    """Return the reply that shows an error."""
    return Reply(error.status_code, error.to_body(), headers or {}, error=error)


def new_id() -> str:
    """Return a random id for a document, an operation or a request."""
    return str(uuid.uuid4())
