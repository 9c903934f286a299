"""The parts that the emulated services of one process share, and the services' access to each other."""

import asyncio
import fnmatch
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextvars import Context
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from emulator.core.certificate_authority import CertificateAuthority
from emulator.core.clock import Clock
from emulator.core.exceptions import UNKNOWN_PATH
from emulator.core.faults import Faults
from emulator.core.journal import Journal, observer_from_environment
from emulator.core.service_error import ServiceError
from emulator.core.store import Store
from emulator.core.world import World

if TYPE_CHECKING:
    from emulator.core.proxy import Ends

logger = logging.getLogger(__name__)

Model = TypeVar("Model")


def route_name(_request: Request, route: Route) -> str:
    """Return the name of the route: the default `operation` of a service."""
    return route.name


def always(_host: str) -> bool:
    """Tell that a name exists: the default `resolves`, for services whose names always exist."""
    return True


async def nothing() -> None:
    """Do nothing: the default `start`, for services that have no work to resume."""


@dataclass(frozen=True)
class Service:
    """One emulated service, as the server sees it.

    Args:
        name: its name in faults and in the journal.
        hosts: the host names for which it answers, in lower case; `*` stands for any text (`*.vault.azure.net`).
        resolves: tells whether Azure's DNS knows one of these host names: a service with a name for each account has no
            other names.
        routes: its routes; the first one that matches path and method is used. Endpoints are
            `async def endpoint(request) -> Response` and raise `ServiceError`.
        render: renders an error in the service's wire format.
        operation: returns the name of a request's operation, before the endpoint runs.
        start: resumes the work that was in progress when the process last ended.
        not_found: builds the error for a request that matches no route.
        request_id_header: the header with the id that each answer gets.
    """

    name: str
    hosts: tuple[str, ...]
    routes: Sequence[Route]
    render: Callable[[Request, ServiceError], Response]
    resolves: Callable[[str], bool] = always
    operation: Callable[[Request, Route], str] = route_name
    start: Callable[[], Awaitable[None]] = nothing
    not_found: Callable[[Request], ServiceError] = field(
        default=lambda request: UNKNOWN_PATH(method=request.method, path=request.url.path)
    )
    request_id_header: str = "x-ms-request-id"

    def answers(self, host: str) -> bool:
        """Tell whether the service answers for a host name (with its port, if the name is local)."""
        return any(fnmatch.fnmatchcase(host, pattern) for pattern in self.hosts)


class Platform:
    """The services of one process, and what they share.

    A service's package has `create(platform) -> Service`. It registers its model here, so that other services can use
    the model: ARM asks Entra ID to whom a token belongs, for example.
    """

    def __init__(self, root: Path, *, clock: Clock, world: World, store: Store | None = None) -> None:
        """Open the state folder.

        Args:
            root: the state folder, with `emulator.sqlite`, `ca/ca.pem` and `logs/journal.jsonl`.
            clock: the process's clock.
            world: the fixed names: tenants, subscriptions, the resource provider's own resources.
            store: a store for tests, instead of the one in the folder.
        """
        self.root = root
        self.clock = clock
        self.world = world
        (root / "logs").mkdir(parents=True, exist_ok=True)
        self.store = store or Store(root / "emulator.sqlite")
        self.authority = CertificateAuthority(root / "ca")
        self.faults = Faults()
        self.journal = Journal(root / "logs" / "journal.jsonl", observer_from_environment())
        self.services: list[Service] = []
        self.ports: dict[str, int] = {}
        # The sites that run: public host name, in lower case, to the port of the site's TLS front end on 127.0.0.1.
        self.sites: dict[str, int] = {}
        # The subnet, by resource id, from which each connection through the proxy comes, by the proxy's and the server's
        # end of it. Connections from the internet are not here.
        self.sources: dict[Ends, str] = {}
        self._models: dict[type, object] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._access_listeners: list[Callable[[str], None]] = []

    def register(self, model: object) -> None:
        """Make a service's model available to the other services."""
        self._models[type(model)] = model

    def model(self, kind: type[Model]) -> Model:
        """Return the model of this class.

        Raises:
            LookupError: no service has registered it.
        """
        found = self._models.get(kind)
        if not isinstance(found, kind):
            raise LookupError(f"no service registered a {kind.__name__}")  # noqa: TRY004 - absent, not of a wrong type
        return found

    def on_access_change(self, callback: Callable[[str], None]) -> None:
        """Call back when access changes, with a client id, an object id, or a scope whose rules change for all."""
        self._access_listeners.append(callback)

    def access_changed(self, whose: str) -> None:
        """Tell the listeners that the access of a principal, or the access to a scope, may have changed."""
        for callback in self._access_listeners:
            callback(whose.lower())

    def service_for(self, host: str) -> Service | None:
        """Return the service that answers for a host name, or None."""
        return next((service for service in self.services if service.answers(host)), None)

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run work in the background until it ends or the platform stops; log it if it crashes."""
        # The work belongs to no call, even if one began it, so it gets none of that call's context variables.
        task = asyncio.get_running_loop().create_task(work, name=name, context=Context())
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.error("background work %s crashed", task.get_name(), exc_info=task.exception())

    async def start(self) -> None:
        """Let each service resume the work that was in progress."""
        for service in self.services:
            await service.start()

    async def stop(self) -> None:
        """Stop background work and close the files. The next start resumes the work."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.journal.close()
        self.store.close()
