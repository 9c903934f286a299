"""The front door to the resource provider: checks access, then forwards the call with ARM's certificate."""

import asyncio
import json
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import httpx

from emulator.arm.forwarding.attached_identities import ASSIGN, AttachedIdentities
from emulator.arm.groups import normal_location
from emulator.arm.ids import ResourceId
from emulator.arm.policy import policies
from emulator.arm.provider import exceptions
from emulator.arm.provider.registration import DEFAULT_SECONDS, SYSTEM_NAMESPACE
from emulator.arm.resources import Checks, Writes
from emulator.core.certificate_authority import write_private
from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.entra.models import Principal
from emulator.json_object import Json

SUBSCRIPTION_VERSION = "2.0"
# How long an old client stays open after a rollover of the certificate, for the calls that it has in flight.
DRAIN_SECONDS = 60
RETRY_SECONDS = 2

_VERBS = {"GET": "read", "HEAD": "read", "PUT": "write", "PATCH": "write", "DELETE": "delete"}


@dataclass(frozen=True)
class Errand:
    """A call to the resource provider, from a client or from ARM itself."""

    caller: Principal
    method: str
    identifier: ResourceId
    target: str
    base_url: str
    correlation_id: str
    request_id: str
    headers: Sequence[tuple[str, str]] = ()
    content: bytes = b""


class Presents(Checks, Protocol):
    """A model that has a certificate to present to the resource provider."""

    def client_certificate(self) -> tuple[bytes, bytes]:
        """Return the certificate and key, as PEM."""


class FrontDoor:
    """Forwards calls to the resource provider that is registered."""

    def __init__(self, platform: Platform, arm: Presents) -> None:
        self._platform, self._arm = platform, arm
        self._known = platform.store.table("arm_forwarded")
        self.identities = AttachedIdentities(platform)
        self._client: httpx.AsyncClient | None = None
        self._certificate = b""
        self._replaced = asyncio.Event()

    def serves(self, identifier: ResourceId) -> bool:
        """Tell whether a path belongs to the resource provider, if one is registered."""
        return self._arm.registration.serves(identifier.namespace)

    async def known(self, prefix: str) -> list[Json]:
        """Return the id, name, type, location and tags of each resource that the provider has under a prefix.

        If a deletion has begun, ask the provider whether the resource still exists: only the provider knows.
        """
        found = []
        for key, document in list(self._known.scan(prefix.lower())):
            versions = self._arm.registration.types().get(document["resource"]["type"].partition("/")[2])
            if document["deleting"] and versions:
                target = f"{document['resource']['id']}?api-version={versions[-1]}"
                headers = [("Referer", f"https://management.azure.com{target}")]
                reply = await self._send("GET", target, headers, b"")
                if reply.status_code == 404:  # noqa: PLR2004 - HTTP
                    self._known.delete(key)
                    continue
            found.append(document["resource"])
        return found

    def forget(self, resource_id: str) -> None:
        """Forget a resource of the provider that is gone, with everything below it."""
        for key, _ in list(self._known.scan(resource_id.lower())):
            if f"{key}/".startswith(f"{resource_id}/".lower()):
                self._known.delete(key)

    async def ask(self, errand: Errand) -> httpx.Response:
        """Check a call and forward it.

        Raises:
            ServiceError: the caller lacks access, the group or the registration is missing, or the provider does not
                answer.
        """
        self._check(errand)
        self._check_policies(errand)
        reply = await self.exchange(errand)
        self.remember(errand, reply)
        return reply

    async def exchange(self, errand: Errand) -> httpx.Response:
        """Send a call of ARM itself, which no client asked for and which needs no rights.

        Raises:
            ServiceError: the provider does not answer.
        """
        headers = [*errand.headers, *self._own_headers(errand)]
        seconds = self._arm.registration.timeout_seconds(errand.identifier)
        reply = await self._send(errand.method, errand.target, headers, errand.content, seconds)
        if reply.status_code >= 500 and not _is_arm_error(reply):  # noqa: PLR2004 - HTTP
            raise exceptions.BAD_GATEWAY(namespace=SYSTEM_NAMESPACE, status_code=reply.status_code)
        return reply

    def announce(self) -> None:
        """Tell the provider, in the background, which subscriptions have changed their registration."""
        self._platform.spawn(self._announce(), "announce subscriptions")

    def _check(self, errand: Errand) -> None:
        arm, method, identifier = self._arm, errand.method, errand.identifier
        if not identifier.subscription_id:
            if method != "GET":
                raise exceptions.NOT_OUTSIDE_SUBSCRIPTIONS(method=method, identifier=identifier)
            return
        arm.subscriptions.for_caller(identifier.subscription_id, errand.caller)
        is_resource = len(identifier.types) == len(identifier.names)
        kind = f"{SYSTEM_NAMESPACE}/{'/'.join(arm.registration.canonical(identifier.types))}"
        scope = str(identifier) if is_resource else str(identifier.parent or identifier.scope)
        asked = f"{kind}/action" if method == "POST" else f"{kind}/{_VERBS.get(method, 'read')}"
        action = arm.registration.desired(asked)
        located = identifier.types[0].lower() == "locations"
        subscription = f"/subscriptions/{identifier.subscription_id}"
        if not (located and arm.authorization.allowed_below(errand.caller, action, subscription)):
            arm.authorize(errand.caller, action, subscription if located else scope)
        identities = arm.registration.identities(identifier, _body(errand))
        named = arm.registration.linked(asked, _body(errand)) + [(ASSIGN, name) for name in identities]
        # What is in a subscription that does not exist, the provider refuses.
        linked = [(need, resource) for need, resource in named if arm.subscriptions.exists(resource.split("/")[2])]
        arm.authorization.authorize_linked(errand.caller, action, str(identifier), linked)
        self._attach(errand, identities)
        if identifier.resource_group:
            if method in ("PUT", "PATCH"):
                arm.groups.require_writable(identifier.subscription_id, identifier.resource_group)
            else:
                arm.groups.get(identifier.subscription_id, identifier.resource_group)
        arm.subscriptions.require_registered(identifier.subscription_id, SYSTEM_NAMESPACE)

    def _attach(self, errand: Errand, names: Sequence[str]) -> None:
        """Attach the identities that a write names to its resource; they must exist."""
        for name in names:
            if self._arm.load(name) is None:
                raise exceptions.IDENTITY_NOT_FOUND(resource=errand.identifier, identity=name)
        if names:
            self.identities.attach(str(errand.identifier), names)

    def _check_policies(self, errand: Errand) -> None:
        """Check that no policy refuses the PUT of a resource.

        Raises:
            ServiceError: 403 `RequestDisallowedByPolicy`.
        """
        identifier = errand.identifier
        if errand.method != "PUT" or len(identifier.types) != len(identifier.names):
            return
        body = _body(errand)
        tags = body.get("tags") or {}
        if not isinstance(tags, dict):
            return  # The provider refuses it.
        kind = "/".join((SYSTEM_NAMESPACE, *self._arm.registration.canonical(identifier.types)))
        location = normal_location(str(body.get("location") or ""))
        tracked = len(identifier.types) == 1
        policies.check(self._arm, policies.Write(kind, str(identifier), location, tags, tracked, body))

    def _own_headers(self, errand: Errand) -> list[tuple[str, str]]:
        caller = errand.caller
        headers = [
            ("Referer", f"{errand.base_url}{errand.target}"),
            ("x-ms-correlation-request-id", errand.correlation_id),
            ("x-ms-client-tenant-id", caller.tenant_id),
            ("x-ms-home-tenant-id", caller.tenant_id),
            ("x-ms-client-object-id", caller.object_id),
            ("x-ms-client-app-id", caller.client_id),
            *([("x-ms-client-principal-id", caller.object_id)] if caller.is_user else []),
            ("x-ms-client-principal-name", caller.name),
            ("x-ms-arm-network-source", "PublicNetwork"),
            ("x-ms-arm-request-tracking-id", errand.request_id),
        ]
        if errand.method in ("PUT", "PATCH"):
            headers.append(("x-ms-arm-resource-system-data", json.dumps(self._system_data(errand))))
            if self._arm.registration.has_identity(errand.identifier) and (
                errand.method == "PUT" or "identity" in _body(errand)
            ):
                headers.append(("x-ms-identity-url", self.identities.url(str(errand.identifier))))
        return headers

    def _system_data(self, errand: Errand) -> Json:
        kind = "User" if errand.caller.is_user else "Application"
        by = {"By": errand.caller.shown, "ByType": kind, "At": rfc3339(self._arm.clock.now())}
        created = {f"created{part}": value for part, value in by.items()}
        known = self._known.get(errand.identifier.key)
        return (created if known is None else known["created"]) | {
            f"lastModified{part}": value for part, value in by.items()
        }

    def remember(self, errand: Errand, reply: httpx.Response) -> None:
        """Record which resources the provider has, as ARM does for its own lists."""
        method, identifier = errand.method, errand.identifier
        if len(identifier.types) != len(identifier.names) or not self._arm.registration.is_tracked(identifier):
            return
        known = self._known.get(identifier.key)
        if reply.status_code == 404 and method == "GET":  # noqa: PLR2004 - HTTP
            self._known.delete(identifier.key)
        if reply.is_success and method == "DELETE" and known is not None:
            self._known.put(identifier.key, known | {"deleting": True})
        if not reply.is_success or method not in ("PUT", "PATCH", "GET"):
            return
        try:
            body = reply.json()
        except ValueError:
            return
        system_data = self._system_data(errand) if known is None else known["created"]
        created = {name: value for name, value in system_data.items() if name.startswith("created")}
        resource = {name: body[name] for name in ("id", "name", "type", "location", "tags") if name in body}
        if "id" in resource:
            deleting = method == "GET" and known is not None and known["deleting"]
            self._known.put(identifier.key, {"created": created, "resource": resource, "deleting": deleting})

    async def _announce(self) -> None:
        while waiting := self._arm.subscriptions.to_notify(SYSTEM_NAMESPACE):
            for registration in waiting:
                if await self._tell(registration):
                    self._arm.subscriptions.notified(registration)
            if self._arm.subscriptions.to_notify(SYSTEM_NAMESPACE):
                await self._platform.clock.sleep(RETRY_SECONDS)

    async def _tell(self, registration: Json) -> bool:
        """PUT a subscription to the provider; return whether the provider accepted it."""
        subscription_id = registration["subscriptionId"]
        body = {
            "state": "Registered" if registration["registered"] else "Unregistered",
            "registrationDate": registration["readyAt"],
            "properties": {
                "tenantId": self._arm.subscriptions.get(subscription_id)["tenantId"],
                "accountOwner": {"email": "owner@localazure.example"},
                "registeredFeatures": self._arm.subscriptions.features(subscription_id),
            },
        }
        path = f"/subscriptions/{subscription_id}?api-version={SUBSCRIPTION_VERSION}"
        headers = [("Content-Type", "application/json"), ("Referer", f"https://management.azure.com{path}")]
        try:
            reply = await self._send("PUT", path, headers, json.dumps(body).encode())
        except ServiceError:
            return False
        return reply.is_success

    async def _send(
        self, method: str, target: str, headers: list[tuple[str, str]], content: bytes, seconds: int = DEFAULT_SECONDS
    ) -> httpx.Response:
        """Send a request to the registered endpoint: to the local port of its site, under its public name."""
        host = self._arm.registration.host
        port = self._platform.sites.get(host)
        if port is None:
            raise exceptions.UNREACHABLE(SYSTEM_NAMESPACE)
        request = self._connected().build_request(
            method,
            f"https://127.0.0.1:{port}{target}",
            headers=[("Host", host), *headers],
            content=content,
            timeout=seconds,
            # The TLS client asks for this name, and checks the certificate against it.
            extensions={"sni_hostname": host},
        )
        try:
            return await self._connected().send(request)
        except httpx.TimeoutException as error:
            raise exceptions.GATEWAY_TIMEOUT(SYSTEM_NAMESPACE) from error
        except httpx.TransportError as error:
            raise exceptions.UNREACHABLE(SYSTEM_NAMESPACE) from error

    def _connected(self) -> httpx.AsyncClient:
        """Return the HTTP client that presents ARM's certificate, and replace it after a rollover."""
        certificate, key = self._arm.client_certificate()
        if self._client is None or certificate != self._certificate:
            self._replaced.set()
            self._replaced = asyncio.Event()
            # The ssl module reads a chain only from a file.
            chain = write_private(self._platform.root / "arm-client.pem", certificate + key)
            context = ssl.create_default_context(cadata=self._platform.authority.pem().decode())
            context.load_cert_chain(chain)
            self._client = httpx.AsyncClient(verify=context, trust_env=False)
            self._certificate = certificate
            self._platform.spawn(_close_at_end(self._client, self._replaced), "connections to the resource provider")
        return self._client


async def _close_at_end(client: httpx.AsyncClient, replaced: asyncio.Event) -> None:
    """Close a client when the platform stops, or once the calls that it had in flight at a rollover have ended."""
    try:
        await replaced.wait()
        await asyncio.sleep(DRAIN_SECONDS)
    finally:
        await client.aclose()


def _body(errand: Errand) -> Json:
    """Return the body of a call; an empty one if it is not an object, which the provider refuses."""
    try:
        body = json.loads(errand.content)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _is_arm_error(reply: httpx.Response) -> bool:
    try:
        return isinstance(reply.json().get("error"), dict)
    except (ValueError, AttributeError):
        return False


class Forwards(Writes, Protocol):
    """A model with a front door."""

    front_door: FrontDoor
