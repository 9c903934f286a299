"""The page in a browser, with the frontend in this process behind it: no network, no local Azure.

The browser's requests become calls of the frontend on stores in memory. Only the library that signs in is another one,
which has signed in already.
"""

import json
import uuid
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from bench.page import SIGNS_IN
from tests.api_versions import VERSIONS
from tests.e2e.portal.browser import AXE, complaints
from tests.product.unit.frontend.callers_world import CallersWorld, user_token
from tests.product.unit.frontend.world import CLUSTERS, NOW, SUBSCRIPTION, World, admin_certificate, body

HOST = "clusters.example.com"
ADDRESS = f"https://{HOST}"
# Answers a request: method, path, body, and the other arguments of the world.
Ask = Callable[..., Any]
NEWEST = VERSIONS[-1]


@dataclass
class Stand:
    """A page and the frontend behind it.

    Args:
        page: Playwright's page.
        world: the frontend.
        ask: sends a request to it in the name of who looks at the page.
        signs_in: whether the page has a sign-in.
        roles: the app roles of who signs in.
        held: requests that get no answer, by method and the end of their path.
        waiting: those that wait for one.
        asked: what the browser has asked and was not held, as method and path.
        failing: statuses of the next answers of the API, instead of its own; 0 for none at all.
        complaints: what the browser has complained about, such as what its policy forbids.
    """

    page: Any
    world: Any
    ask: Ask
    signs_in: bool = True
    roles: tuple[str, ...] = ()
    held: set[tuple[str, str]] = field(default_factory=set)
    waiting: list[Any] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    failing: list[int] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, fragment: str = "") -> None:
        """Open the page, and sign in."""
        self.page.add_init_script(path=AXE)
        self.page.route("**/*", self._answer)
        self.complaints = complaints(self.page)
        self.page.goto(f"{ADDRESS}/portal{fragment}")
        if self.signs_in:
            self.page.get_by_role("button", name="Sign in").click()

    def _answer(self, route: Any) -> None:
        request = route.request
        url = urlsplit(request.url)
        if url.path == "/portal/msal-browser.js":
            script = SIGNS_IN.replace("TOKEN", user_token()).replace("ROLES", json.dumps(self.roles))
            route.fulfill(status=200, content_type="text/javascript", body=script)
            return
        if any(request.method == method and url.path.endswith(end) for method, end in self.held):
            self.waiting.append(route)
            return
        self.asked.append((request.method, url.path))
        if self.failing and not url.path.startswith("/portal"):
            status = self.failing.pop(0)
            if status:
                route.fulfill(status=status, headers={"Retry-After": "1"}, body="")
            else:
                route.abort()
            return
        # The host passes names in lower case.
        query = {name.lower(): value for name, value in parse_qsl(url.query)}
        sent = {name.lower(): value for name, value in request.headers.items()}
        content = json.loads(request.post_data) if request.post_data else None
        version = query.pop("api-version", "")
        reply = self.ask(request.method, url.path, content, api_version=version, query=query, headers=sent)
        headers = {"Content-Type": "application/json", **reply.headers}
        route.fulfill(status=reply.status, headers=headers, body=reply.content or reply.text())

    def release(self) -> None:
        """Answer what was held."""
        self.held.clear()
        while self.waiting:
            self._answer(self.waiting.pop())

    def create(self, name: str = "C1", **changes: Any) -> None:
        """Create a cluster, which then waits for its first step."""
        world = self.world
        put = world.call if isinstance(world, CallersWorld) else world.send
        client_id = str(uuid.uuid5(uuid.NAMESPACE_URL, name))
        content = body(name=name.lower(), client_id=client_id) | changes
        reply = put("PUT", f"{CLUSTERS}/{name}", content, api_version=NEWEST)
        assert reply.status == 201, reply.body

    def fail(self, message: str) -> None:
        """Let the one create fail in its first step, with a remedy."""
        document = self.world.document
        operation_id, details = document["asyncOperationId"], [{"code": "Remedy", "message": "Give the role back."}]
        error = {"code": "InvalidLinkedVNet", "message": message, "details": details}
        self.step("validate_network", "Failed", endTime=NOW.isoformat(), error=error)
        self.world.finish(failed=True)
        self.world.operation(operation_id)["asyncOperation"]["error"] = error

    def step(self, name: str, status: str, **more: Any) -> None:
        """Store the progress of a step of the running operation."""
        operation_id = self.world.document["asyncOperationId"]
        about = {"id": f"{name}-1", "operationId": operation_id, "step": name, "attempt": 1, "status": status}
        times = {"startTime": NOW.isoformat(), "lastProgressTime": NOW.isoformat()}
        self.world.cosmos["OperationProgress"].upsert_item({**about, **times, **more})

    def condition(self, kind: str, status: str, message: str) -> None:
        """Store another condition of the one cluster, as the timer does."""
        document, since = self.world.document, NOW.isoformat()
        found = {"type": kind, "status": status, "reason": "A", "message": message, "lastTransitionTime": since}
        self._observe(document, lambda former: {"conditions": [*former["conditions"], found]})

    def ends(self, *names: str, **ends: timedelta) -> None:
        """Store when something of these clusters, or of all, ends from now: by the calendar's names in snake case."""
        now = datetime.now(UTC)
        found = [{"name": name.replace("_", "-"), "end": (now + left).isoformat()} for name, left in ends.items()]
        for document in self.world.cosmos["OpenShiftClusters"].documents.values():
            if not names or document["openShiftCluster"]["name"] in names:
                self._observe(document, lambda _: {"expirationsReadAt": now.isoformat(), "expirations": found})

    def _observe(self, document: Any, changes: Callable[[Any], Any]) -> None:
        container = self.world.cosmos["ClusterConditions"]
        former = container.documents.get((document["partitionKey"], document["id"]), {"conditions": []})
        stored = {name: document[name] for name in ("id", "partitionKey", "key")} | {"observedAt": NOW.isoformat()}
        container.upsert_item({**former, **stored, **changes(former)})

    def copies(self, number: int) -> None:
        """Put copies of the one cluster beside it."""
        original = self.world.document
        for index in range(number):
            copy = deepcopy(original)
            name = f"copy-{index}"
            copy |= {"id": str(uuid.uuid4()), "key": f"{CLUSTERS}/{name}".lower()}
            copy["openShiftCluster"] |= {"id": f"{CLUSTERS}/{name}", "name": name}
            self.world.cosmos["OpenShiftClusters"].documents[copy["partitionKey"], copy["id"]] = copy


def stand_of(page: Any) -> Stand:
    """Return a stand with a frontend of its own, which serves the subscription of its clusters."""
    world = CallersWorld()
    settings = replace(world.services.settings, subscription_id=SUBSCRIPTION)
    world.services = replace(world.services, settings=settings)

    def ask(*request: Any, headers: dict[str, str], **more: Any) -> Any:
        token = headers.pop("authorization", "").removeprefix("Bearer ")
        return world.call(*request, token=token, headers=headers, **more)

    return Stand(page, world, ask)


def hosted_stand_of(page: Any) -> Stand:
    """Return the stand of a hosted service, in front of a browser with an operator's certificate."""
    world = World()
    return Stand(page, world, with_certificate(world, admin_certificate()), signs_in=False)


def with_certificate(world: World, certificate: bytes) -> Ask:
    """Return what asks a hosted service with a certificate; `b""` for none."""

    def ask(*request: Any, headers: dict[str, str], **more: Any) -> Any:
        return world.send(*request, headers={**headers, "host": HOST}, certificate=certificate, **more)

    return ask
