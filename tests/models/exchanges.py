"""What the local Azure has written about the calls of a test run, and which models these must fit."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from tests.api_versions import OWN_VERSION
from tests.models.description import Kind, Library, Model, Named, page_of
from tests.models.operations import Page
from tests.models.own_models import OwnModels
from tests.models.packages import KEY_VAULT, Package, find, kubernetes, packages_of
from tests.models.validation import Direction, Place, Violation, of_model, violations

OWN = OwnModels()
# The last segments but one of the paths at which clients poll operations: those that answer their state, and those
# that answer the result, whose type the path does not tell.
STATES = frozenset({"operations", "operationstatuses", "operationsstatus"})
RESULTS = frozenset({"operationresults", "asyncoperations"})


@dataclass(frozen=True)
class Exchange:
    """A call, as `samples.py` writes it.

    Args:
        service: name of the emulated service.
        operation: name of the operation in the journal.
        method: HTTP method.
        path: path and query.
        status: HTTP status of the answer.
        step: the step of the product that made the call, or "".
        caller: who made it.
        correlation_id: id with which `python -m emulator logs` finds it.
        request: sample of the body, or None.
        reply: sample of the answer, or None.
    """

    service: str
    operation: str
    method: str
    path: str
    status: int
    step: str = ""
    caller: str = ""
    correlation_id: str = ""
    fault: str = ""
    request: Any = None
    reply: Any = None

    @property
    def succeeded(self) -> bool:
        """Whether the call was accepted."""
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES


@dataclass(frozen=True)
class Unknown:
    """A call that no SDK can make."""

    exchange: Exchange

    def __str__(self) -> str:
        return f"no SDK knows {self.exchange.method} {self.exchange.path.partition('?')[0]}"


@dataclass(frozen=True)
class OtherStatus:
    """An answer that the SDK does not take for success."""

    exchange: Exchange
    known: frozenset[int]

    def __str__(self) -> str:
        return f"status {self.exchange.status}: the SDK takes {', '.join(map(str, sorted(self.known)))}"


def read(folder: Path) -> list[Exchange]:
    """Return the exchanges in the files of a folder, each once."""
    names = Exchange.__dataclass_fields__
    found: dict[str, Exchange] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            document = json.loads(line)
            call = [document[name] for name in ("service", "operation", "status", "request", "reply")]
            found.setdefault(
                json.dumps([*call, bool(document["step"])]), Exchange(**{name: document[name] for name in names})
            )
    return list(found.values())


Finding = Violation | Unknown | OtherStatus


def check(exchange: Exchange, *, sent_by_product: bool) -> Iterator[Finding]:
    """Yield what is wrong with an exchange.

    Args:
        exchange: the exchange.
        sent_by_product: whether the product made the call, so that its body is checked too.
    """
    match exchange.service:
        case "arm":
            yield from _of_azure(exchange, packages_of(_path(exchange)), sent_by_product=sent_by_product)
        case "keyvault":
            yield from _of_azure(exchange, KEY_VAULT, sent_by_product=sent_by_product)
        case "kubernetes":
            yield from _of_kubernetes(exchange.reply, "reply")
            if sent_by_product and exchange.succeeded:
                yield from _of_kubernetes(exchange.request, "request")


def _of_azure(exchange: Exchange, packages: tuple[Package, ...], *, sent_by_product: bool) -> Iterator[Finding]:
    if not exchange.succeeded:
        yield from _of_own("Error", exchange)
        return
    if OWN_VERSION in parse_qs(exchange.path.partition("?")[2]).get("api-version", ()):
        return  # no SDK knows this provider's own version
    path = _path(exchange)
    known = find(packages, exchange.method, path)
    if known is None:
        *_, within, _, polled, _ = ("", "", *path.lower().split("/"))
        # Those below a location are polled; those below a resource are resources themselves.
        polled = "" if polled == "operations" and within != "locations" else polled
        if polled in STATES:
            yield from _of_own("OperationStatus", exchange)
        elif polled not in RESULTS and (exchange.reply or exchange.request):
            yield Unknown(exchange)
        return
    library, bodies = known.package.library, known.operation.bodies
    if exchange.status not in bodies.statuses:
        yield OtherStatus(exchange, bodies.statuses)
    if exchange.reply and exchange.method != "DELETE":
        yield from _of_reply(library, bodies.reply, exchange.reply)
    if sent_by_product and exchange.request and bodies.request is not None:
        yield from violations(bodies.request, exchange.request, _start(library, "request", bodies.request))


def _of_reply(library: Library, kind: Kind | Page | None, reply: Any) -> Iterator[Violation]:
    if kind is None:
        yield _start(library, "reply", None).violation("unknown member", reply, "no answer")
    elif isinstance(kind, Page):
        yield from of_model(page_of(kind.item), reply, _start(library, "reply", None))
    else:
        yield from violations(kind, reply, _start(library, "reply", kind))


def _of_own(name: str, exchange: Exchange) -> Iterator[Violation]:
    if exchange.reply:
        found = OWN.find(name)
        if isinstance(found, Model):
            yield from of_model(found, exchange.reply, Place(OWN, "reply", name))


def _of_kubernetes(document: Any, direction: Direction) -> Iterator[Violation]:
    if not isinstance(document, dict):
        return
    library = kubernetes()
    name = library.of(document.get("apiVersion", ""), document.get("kind", ""))
    if name:
        yield from violations(Named(name), document, Place(library, direction, name))
    else:
        metadata = document.get("metadata", {})
        kind = "V1ListMeta" if document.get("kind", "").endswith(("List", "Table")) else "V1ObjectMeta"
        yield from violations(Named(kind), metadata, Place(library, direction, kind, path="$.metadata"))


def _start(library: Library, direction: Direction, kind: Kind | Page | None) -> Place:
    return Place(library, direction, kind.name if isinstance(kind, Named) else "")


def _path(exchange: Exchange) -> str:
    return re.sub("//+", "/", exchange.path.partition("?")[0])
