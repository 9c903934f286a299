"""What ties the emulated services of one process together."""

import asyncio
import fnmatch
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from emulator.core.certificates import CertificateAuthority
from emulator.core.clock import Clock
from emulator.core.errors import ServiceError
from emulator.core.faults import Faults
from emulator.core.journal import Journal
from emulator.core.store import Store
from emulator.core.world import World

logger = logging.getLogger(__name__)

Model = TypeVar("Model")


def route_name(_request: Request, route: Route) -> str:
    """Name an operation after its route: the default for a service."""
    return route.name


async def nothing() -> None:
    """Do nothing at start: the default for a service without work in flight."""


@dataclass(frozen=True)
class Service:
    """One emulated service, as the server sees it.

    Args:
        name: what faults and the journal call it.
        hosts: host names it answers for, lower case, `*` for any text (`*.vault.azure.net`).
        routes: what it answers; the first route that fits path and method is taken. Endpoints are
            `async def endpoint(request) -> Response` and raise `ServiceError`.
        render: writes an error in the service's wire format.
        operation: names the operation of a request, before its work.
        start: resumes what was in flight when the process last ended.
        not_found: answers when no route fits; a `ServiceError` of the service's own.
        request_id_header: the header in which each answer gets an id.
    """

    name: str
    hosts: tuple[str, ...]
    routes: Sequence[Route]
    render: Callable[[Request, ServiceError], Response]
    operation: Callable[[Request, Route], str] = route_name
    start: Callable[[], Awaitable[None]] = nothing
    not_found: Callable[[Request], ServiceError] = field(
        default=lambda request: ServiceError(404, "NotFound", f"{request.method} {request.url.path} is not emulated.")
    )
    request_id_header: str = "x-ms-request-id"

    def answers(self, host: str) -> bool:
        """Tell whether the service answers for a host name (with its port, when it is local)."""
        return any(fnmatch.fnmatchcase(host, pattern) for pattern in self.hosts)


class Platform:
    """The services of one process, and what they share.

    A service's package has `create(platform) -> Service`. It registers its model here, so that another service
    can ask for it: ARM asks Entra ID who a token belongs to, blobs ask ARM for an account's keys.
    """

    def __init__(self, root: Path, *, clock: Clock, world: World, store: Store | None = None) -> None:
        """Open the state folder.

        Args:
            root: the state folder; holds `emulator.sqlite`, `ca.pem`, `logs/journal.jsonl`.
            clock: the process's clock.
            world: who and what exists: tenants, subscriptions, names of the resource provider's own resources.
            store: another store than the folder's, for tests.
        """
        self.root = root
        self.clock = clock
        self.world = world
        (root / "logs").mkdir(parents=True, exist_ok=True)
        self.store = store or Store(root / "emulator.sqlite")
        self.authority = CertificateAuthority(root / "ca")
        self.faults = Faults()
        self.journal = Journal(root / "logs" / "journal.jsonl")
        self.services: list[Service] = []
        self.ports: dict[str, int] = {}
        self._models: dict[type, object] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._access_listeners: list[Callable[[str], None]] = []

    def register(self, model: object) -> None:
        """Make a service's model known to the others."""
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
        """Have told whose access changes: a client id, an object id, or a scope whose rules change for everybody."""
        self._access_listeners.append(callback)

    def access_changed(self, whose: str) -> None:
        """Tell whoever uses credentials that some may have begun, or ceased, to open what they did."""
        for callback in self._access_listeners:
            callback(whose.lower())

    def service_for(self, host: str) -> Service | None:
        """Return the service that answers for a host name, or None."""
        return next((service for service in self.services if service.answers(host)), None)

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run work in the background until it ends or the platform stops; a crash of it is logged."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.error("background work %s crashed", task.get_name(), exc_info=task.exception())

    async def start(self) -> None:
        """Let each service resume what was in flight."""
        for service in self.services:
            await service.start()

    async def stop(self) -> None:
        """Stop background work and close the files. What was in flight resumes at the next start."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.journal.close()
        self.store.close()
