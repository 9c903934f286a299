"""The types that pass through the frontend: a request, the call made from it, the reply, and a row of `ROUTES`."""

import json
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any
from urllib.parse import SplitResult, urlsplit

from frontend.bodies import Body
from frontend.callers.caller import Caller
from frontend.callers.rights import Need
from frontend.callers.tokens import Principal
from frontend.services import Services
from shared import deadline
from shared.arm.errors import CloudError, path_not_found, unauthorized
from shared.arm.resource_id import ResourceId
from shared.clusters.member_types import ApiVersion
from shared.documents import ClusterDocument, CorrelationData
from shared.settings import Callers
from shared.steps import DryRunInput, DryRunResult, StartInput

_NO_VERSION = ApiVersion("")
_PARAMETER = re.compile(r"\{\*?(\w+)\}")


@dataclass(frozen=True)
class Request:
    """A request as the host passes it. Header and query names are in lower case.

    It does not contain the URL, because the host builds that with the caller's `Host`, which may contain a path and a
    query. The parameters of the route say what the request is for.
    """

    method: str
    scheme: str = "https"
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True)
class Start:
    """An orchestration that the wrapper starts after the documents are written."""

    instance_id: str
    input: StartInput


@dataclass(frozen=True)
class Trial:
    """A dry run that the wrapper waits for, before it replies.

    Args:
        instance_id: id of its orchestration.
        answer: makes the reply from the result; from None, if there is none; the second argument tells whether the dry
            run still works on it.
        input: what to start it with; None if it runs already.
        seconds: how long to wait at most.
    """

    instance_id: str
    answer: "Callable[[DryRunResult | None, bool], Reply]"
    input: DryRunInput | None
    seconds: float


@dataclass(frozen=True)
class Reply:
    """The reply to the client, and what to do with the durable client before it is sent.

    Args:
        status: the HTTP status.
        body: any JSON, or None for an empty reply.
        headers: headers in addition to those of every reply.
        start: an orchestration to start; the reply stands even if that fails.
        trial: a dry run whose result makes another reply, which replaces this one.
        durable_instance: the instance whose management addresses are the body.
        content: bytes to send instead of JSON; the headers name their type.
        error: the error behind the reply, for the log.
    """

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    start: Start | None = None
    trial: Trial | None = None
    durable_instance: str = ""
    content: bytes = b""
    error: CloudError | None = None

    def text(self) -> str:
        """Return the body as text to send."""
        return "" if self.body is None else json.dumps(self.body, indent=4) + "\n"


@dataclass
class Identity:
    """Whose request it is, for the log. All copies of a call share it, so the outermost middleware learns it, too."""

    text: str = ""


@dataclass(frozen=True)
class Call:
    """A request on its way through the chain; each middleware passes on a copy with more information.

    Args:
        request: the request as it came.
        route: the route that the host has matched.
        get_services: returns the collaborators of this process.
        parameters: those of the path, in lower case.
        correlation: the ids of the request.
        identity: whose request it is, as far as that is known.
        public_url: the address of the request as the caller knows it.
        version: the row of its api-version, on routes that have one.
        content: the parsed body.
        system_data: members of `systemData` that a write sets.
        first_system_data: members that it sets if they are not set yet.
        signed_in: the caller, if callers have tokens.
        visible: returns those of some clusters that a list shows to the caller.
    """

    request: Request
    route: "Route"
    get_services: Callable[[], Services]
    parameters: Mapping[str, str] = field(default_factory=dict)
    correlation: CorrelationData = field(default_factory=CorrelationData)
    identity: Identity = field(default_factory=Identity)
    public_url: SplitResult = field(default_factory=lambda: urlsplit(""))
    version: ApiVersion = _NO_VERSION
    content: Any = None
    system_data: Mapping[str, str] = field(default_factory=dict)
    first_system_data: Mapping[str, str] = field(default_factory=dict)
    signed_in: Principal | None = None
    visible: Callable[[list[ClusterDocument]], list[ClusterDocument]] = list

    @property
    def principal(self) -> Principal:
        """The caller, where callers have tokens.

        Raises:
            CloudError: 401 `Unauthorized` if nobody has signed in.
        """
        if self.signed_in is None:
            raise unauthorized("Nobody has signed in.")
        return self.signed_in

    @property
    def services(self) -> Services:
        """The collaborators of handlers."""
        return self.get_services()

    @property
    def path(self) -> str:
        """The path that the host has matched: the route's template, with the parameters as the caller typed them."""
        given = self.request.parameters
        return "/" + _PARAMETER.sub(lambda match: given.get(match[1], ""), self.route.template)

    @property
    def resource_id(self) -> str:
        """The id of the cluster in the path, with names as the caller typed them. A new cluster gets this id."""
        given = self.request.parameters
        return str(
            ResourceId(
                given["subscriptionId"],
                given["resourceGroupName"],
                given["resourceProviderNamespace"],
                (given["resourceType"],),
                (given["resourceName"],),
            )
        )

    @property
    def key(self) -> str:
        """The id of the cluster in lower case, by which documents are found."""
        return self.resource_id.lower()

    @property
    def subscription_id(self) -> str:
        """The subscription of the path, in lower case."""
        return self.parameters["subscriptionId"]


Handler = Callable[[Call], Reply]
Middleware = Callable[[Call, Handler], Reply]


@dataclass(frozen=True)
class Verb:
    """The handler of a verb, and what it needs.

    Args:
        handler: answers the request. One as `module:function` is imported with its first call, because a cold start
            must not wait for what reads bundles.
        subscription_states: the subscription states that allow it; all, if none is named.
        begins: whether it begins an operation.
        conditional: whether it heeds `If-Match` and `If-None-Match`.
        needs: what a caller with a token needs. ARM has asked Azure RBAC before it calls. Without it, the verb is
            refused to all who have tokens.
        answers: the status of each answer that is not an error, and its body. Without it, the verb is not in the
            documents for clients.
        takes: the body that it takes, and requires; one that is missing may have been lost on the way. Without it, the
            handler gets no content.
        most_bytes: the size up to which it takes an archive instead of JSON; 0 for JSON.
        unreadable: answers a body that cannot be read, where that is not an error of HTTP.
    """

    handler: Handler | str
    subscription_states: frozenset[str] = frozenset()
    begins: bool = False
    conditional: bool = False
    needs: Need | None = None
    answers: Mapping[int, Body] = field(default_factory=dict)
    takes: Body = Body.NONE
    most_bytes: int = 0
    unreadable: Callable[[CloudError], Reply] | None = None


def load(handler: Handler | str) -> Handler:
    """Return a handler, imported if it is named as `module:function`."""
    if not isinstance(handler, str):
        return handler
    module, _, name = handler.partition(":")
    function: Handler = getattr(import_module(module), name)
    return function


def not_found(call: Call) -> Reply:
    """Answer a path that is not served.

    Raises:
        CloudError: 404 `NotFound`.
    """
    raise path_not_found(call.path)


@dataclass(frozen=True)
class Route:
    """One path, one function.

    Args:
        name: the function's name.
        template: the path, as the host matches it.
        verbs: verb to handler; empty for the routes of unknown paths, which take all of them.
        caller: the caller that it requires.
        versioned: whether it requires an `api-version`.
        feature: the feature that a version must have for this route; "" for clusters, which all versions serve.
        durable: whether it needs the durable client.
        otherwise: the handler of verbs that are not listed.
        only: the deployments that serve it, by who calls them; all, if there is none.
    """

    name: str
    template: str
    verbs: Mapping[str, Verb] = field(default_factory=dict)
    caller: Caller = Caller.ARM
    versioned: bool = True
    feature: str = ""
    durable: bool = False
    otherwise: Handler = not_found
    only: Callers | None = None

    @property
    def seconds(self) -> float:
        """The time that a request has. One about a site may have to render its bundle."""
        return deadline.RENDERING_SECONDS if "{siteName}" in self.template else deadline.REQUEST_SECONDS


def error_reply(error: CloudError, headers: Mapping[str, str] | None = None) -> Reply:
    """Return the reply that renders an error."""
    return Reply(error.status_code, error.to_body(), headers or {}, error=error)


def new_id() -> str:
    """Return a random id for a document, an operation or a request."""
    return str(uuid.uuid4())
