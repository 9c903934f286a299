"""The HTTP endpoints: authentication, authorization, then one function for each verb."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus

from cryptography import x509
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from emulator.core.service_error import ServiceError
from emulator.json_object import Json
from emulator.openshift.kubernetes import api_errors, refusals, replies
from emulator.openshift.kubernetes.access import certificate_requests, reviews
from emulator.openshift.kubernetes.access.authentication import Authenticator, User
from emulator.openshift.kubernetes.access.authorization import Attributes, Authorizer
from emulator.openshift.kubernetes.api import (
    bodies,
    deletion_options,
    discovery,
    field_validation,
    lists,
    patch_requests,
    pod_waits,
    requests,
)
from emulator.openshift.kubernetes.api.requests import RequestInfo
from emulator.openshift.kubernetes.api.watches import LONGEST_SECONDS, Watch
from emulator.openshift.kubernetes.kinds import STATUS_VERBS, Kind
from emulator.openshift.kubernetes.objects import metadata, scale, types
from emulator.openshift.kubernetes.objects.fields import managers
from emulator.openshift.kubernetes.objects.objects import Objects, Track
from emulator.openshift.kubernetes.printing import Form, form_of

STATUS = "status"


@dataclass(frozen=True)
class Call:
    """One authorized request for a kind."""

    request: Request
    info: RequestInfo
    kind: Kind
    user: User
    form: Form

    def reply(self, body: Json, status_code: int = HTTPStatus.OK) -> Response:
        """Answer with an object or a list, in the form that the client asked for."""
        return replies.json_reply(self.form.of(body), status_code)


class Endpoints:
    """Answers the requests of one listener."""

    def __init__(self, objects: Objects, authorizer: Authorizer, authenticator: Authenticator) -> None:
        self._objects, self._authorizer, self._authenticator = objects, authorizer, authenticator
        self._verbs: Mapping[str, Callable[[Call], Awaitable[Response]]] = {
            "create": self._create,
            "delete": self._delete,
            "deletecollection": self._delete_collection,
            "get": self._get,
            "list": self._list,
            "patch": self._patch,
            "update": self._update,
            "watch": self._watch,
        }

    async def answer(self, request: Request) -> Response:
        """Answer one request.

        Raises:
            ServiceError: the error for the Status in the response.
        """
        user = self._authenticator.user(_certificate(request), request.headers)
        request.state.caller = user.name
        info = requests.read(request)
        if any(name.startswith("impersonate-") for name in request.headers):
            raise refusals.NOT_EMULATED("nobody can act as another user (headers Impersonate-…).")
        self._authorizer.check(user, _wanted(info))
        if not info.is_resource:
            return self._discover(request, info)
        kind = self._objects.kinds.at(info.group, info.version, info.plural)
        if kind is None:
            return self._nothing(info)
        form = form_of(request, kind, self._objects.clock)
        _check_shape(kind, info)
        call = Call(request, info, kind, user, form)
        if info.subresource in kind.unserved:
            return self._refuse(call)
        return await self._verbs[info.verb](call)

    def _discover(self, request: Request, info: RequestInfo) -> Response:
        address, accept = self._address(request), request.headers.get("accept", "")
        found = discovery.answer(self._objects.kinds, info.path, address, accept)
        if found is not None:
            return found
        if info.path.startswith(("/api/", "/apis/")):
            return self._nothing(info)
        return replies.json_reply(discovery.paths(self._objects.kinds), HTTPStatus.NOT_FOUND)

    def _address(self, request: Request) -> str:
        """Return the address of the server that answers. Each connection is to one of the masters, once there are any."""
        masters = [
            address["address"]
            for node in self._objects.list("Node", labels={"node-role.kubernetes.io/master": ""})
            for address in (node.get("status") or {}).get("addresses") or ()
            if address["type"] == "InternalIP"
        ]
        if not masters or request.client is None:
            return request.headers.get("host", "")
        return f"{sorted(masters)[request.client.port % len(masters)]}:6443"

    def _nothing(self, info: RequestInfo) -> Response:
        """Answer a path below `/api` or `/apis` whose group, version or kind does not exist here.

        Raises:
            ServiceError: 404 for a kind in a known group.
        """
        group = info.path.split("/")[2] if info.path.startswith("/apis/") else ""
        kinds = self._objects.kinds
        if group and (group not in kinds.groups() or kinds.is_custom(group)):
            return replies.no_page()
        raise api_errors.NO_SUCH_RESOURCE()

    def _refuse(self, call: Call) -> Response:
        """Refuse a subresource that is not emulated, once its object exists."""
        if self._objects.storage.get(call.kind, _namespace(call), call.info.name) is None:
            raise api_errors.not_found(call.kind, call.info.name)
        raise refusals.NOT_EMULATED(_missing(call.kind, call.info.subresource))

    async def _create(self, call: Call) -> Response:
        body = await _object(call)
        if call.kind.verbs == ("create",):
            body, _ = types.decode(call.kind, body)
            answer = reviews.answer(call.kind, self._authorizer, call.user, body)
            return replies.json_reply(answer, HTTPStatus.CREATED)
        _check_namespace(call, metadata.decode(call.kind, body.get("metadata")))
        if call.kind.name == certificate_requests.KIND:
            body = certificate_requests.asked(body, call.user)
        dry_run = bodies.dry_run(call.request.query_params.getlist("dryRun"), "CreateOptions")
        warnings = field_validation.check(call.request, call.kind, body, "CreateOptions")
        track = self._track(call)
        created = self._objects.add(call.kind, _namespace(call), body, dry_run=dry_run, track=track)
        return field_validation.warn(call.reply(created, HTTPStatus.CREATED), warnings)

    async def _get(self, call: Call) -> Response:
        found = self._objects.storage.get(call.kind, _namespace(call), call.info.name)
        if found is None:
            raise _not_found(call)
        return call.reply(_shown(call, found))

    async def _list(self, call: Call) -> Response:
        wanted = lists.options(call.kind, call.request.query_params)
        return call.reply(lists.objects_of(call.kind, self._objects.storage, _namespace(call), wanted))

    async def _watch(self, call: Call) -> Response:
        query = call.request.query_params
        wanted = lists.options(call.kind, query, call.info.name)
        if pod_waits.is_for_a_first_pod(call.kind, call.request) and not any(
            map(wanted.selector, self._objects.storage.scan(call.kind, _namespace(call)))
        ):
            raise refusals.NOT_EMULATED(pod_waits.NO_PODS)
        seconds = query.get("timeoutSeconds") or "0"
        watch = Watch(
            call.kind,
            _namespace(call),
            wanted.selector,
            wanted.version,
            query.get("sendInitialEvents") in ("1", "true"),
            float(seconds) if seconds.isdecimal() and int(seconds) else LONGEST_SECONDS,
            query.get("allowWatchBookmarks") in ("1", "true"),
            call.form.of_watch(),
        )
        return StreamingResponse(
            watch.lines(self._objects.storage), headers=replies.headers(), media_type="application/json"
        )

    async def _update(self, call: Call) -> Response:
        is_scale = call.info.subresource == scale.NAME
        body = await _object(call, is_scale=is_scale)
        found = metadata.decode(call.kind, body.get("metadata"))
        _check_place(call, body)
        dry_run = bodies.dry_run(call.request.query_params.getlist("dryRun"), "UpdateOptions")
        warnings = [] if is_scale else field_validation.check(call.request, call.kind, body, "UpdateOptions")

        def replaced(current: Json) -> Json:
            uid = current["metadata"]["uid"]
            if found.get("uid", uid) != uid:
                why = f"UID in precondition: {found['uid']}, UID in object meta: {uid}"
                raise api_errors.conflict(call.kind, call.info.name, f"Precondition failed: {why}")
            return _rescaled(call, current, body) if is_scale else body

        track = self._track(call)
        if call.kind.put_creates and self._objects.storage.get(call.kind, _namespace(call), call.info.name) is None:
            self._check_creates(call)
            body = body | {"metadata": body["metadata"] | {"resourceVersion": None}}
            created = self._objects.add(call.kind, _namespace(call), body, dry_run=dry_run, track=track)
            return field_validation.warn(call.reply(created, HTTPStatus.CREATED), warnings)
        return field_validation.warn(self._change(call, replaced, track, dry_run=dry_run), warnings)

    async def _patch(self, call: Call) -> Response:
        if bodies.content_type(call.request) == api_errors.APPLY_PATCH:
            return await self._apply(call)
        text = await call.request.body()
        patch = patch_requests.patch_of(call.kind, bodies.content_type(call.request), text)
        dry_run = bodies.dry_run(call.request.query_params.getlist("dryRun"), "PatchOptions")

        def patched(current: Json) -> Json:
            if call.info.subresource == scale.NAME:
                return _rescaled(call, current, patch(scale.of(call.kind, current)))
            new = patch(current)
            patch_requests.check(call.kind, bodies.content_type(call.request), text, new)
            _check_place(call, new)
            warnings.extend(field_validation.check_patched(call.request, call.kind, new, text))
            return new

        warnings: list[str] = []
        track = self._track(call)
        return field_validation.warn(self._change(call, patched, track, dry_run=dry_run), warnings)

    async def _apply(self, call: Call) -> Response:
        if call.info.subresource == scale.NAME:
            raise refusals.NOT_EMULATED("a scale is not applied. Patch it.")
        name, force = bodies.manager_of(call.request, applies=True), bodies.force(call.request)
        config = bodies.config_of(call.kind, await call.request.body())
        dry_run = bodies.dry_run(call.request.query_params.getlist("dryRun"), "PatchOptions")
        manager = managers.Manager(name, managers.APPLY, call.kind.api_version, call.info.subresource)
        found = self._objects.storage.get(call.kind, _namespace(call), call.info.name)
        if found is None and call.info.subresource:
            raise _not_found(call)
        new, listed = managers.applied(call.kind, found, config, manager, self._objects.now(), force=force)
        if found is not None:
            _check_place(call, new)
            return self._change(call, lambda _: new, lambda *_: listed, dry_run=dry_run)
        self._check_creates(call)
        _check_place(call, new)
        if new["metadata"].get("uid"):
            why = f"uid mismatch: the provided object specified uid {new['metadata']['uid']}, and no existing object was found"
            raise api_errors.conflict(call.kind, call.info.name, why)
        new["metadata"].pop("resourceVersion", None)
        created = self._objects.add(call.kind, _namespace(call), new, dry_run=dry_run, track=lambda *_: listed)
        return call.reply(created, HTTPStatus.CREATED)

    def _check_creates(self, call: Call) -> None:
        """Check that a user may create the object that an update or an apply did not find."""
        create = Attributes("create", call.info.group, call.info.resource, call.info.namespace, call.info.name)
        if self._authorizer.why(call.user, create) is None:
            raise api_errors.forbidden_object(call.kind, call.info.name, "")

    def _track(self, call: Call) -> Track:
        """Return who manages the fields of a write that is not an apply: the client, what it changes."""
        name = bodies.manager_of(call.request, applies=False)
        manager = managers.Manager(name, managers.UPDATE, call.kind.api_version, call.info.subresource)
        return lambda old, new: managers.updated(call.kind, old, new, manager, self._objects.now())

    def _change(self, call: Call, change: Callable[[Json], Json], track: Track, *, dry_run: bool) -> Response:
        if self._objects.storage.get(call.kind, _namespace(call), call.info.name) is None:
            raise _not_found(call)
        subresource = "" if call.info.subresource == scale.NAME else call.info.subresource

        def decided(current: Json) -> Json:
            if subresource == certificate_requests.APPROVAL:
                certificate_requests.check_decision(self._authorizer, call.user, call.kind, current)
            return certificate_requests.changed(call.kind, current, change(current), subresource, self._objects.now())

        changed = self._objects.change(
            call.kind,
            _namespace(call),
            call.info.name,
            decided if call.kind.name == certificate_requests.KIND else change,
            subresource,
            dry_run=dry_run,
            track=track,
        )
        return call.reply(_shown(call, changed))

    async def _delete(self, call: Call) -> Response:
        how = await deletion_options.read(call.request)
        removed, gone = self._objects.remove(call.kind, _namespace(call), call.info.name, how)
        if not gone or call.kind.name in RETURNED_WHEN_DELETED:
            return call.reply(removed)
        details = {"name": call.info.name}
        if call.kind.group:
            details["group"] = call.kind.group
        return replies.json_reply(
            {
                "kind": "Status",
                "apiVersion": "v1",
                "metadata": {},
                "status": "Success",
                "details": details | {"kind": call.kind.plural, "uid": removed["metadata"]["uid"]},
            }
        )

    async def _delete_collection(self, call: Call) -> Response:
        how = await deletion_options.read(call.request)
        wanted = lists.options(call.kind, call.request.query_params)
        found = lists.objects_of(call.kind, self._objects.storage, _namespace(call), wanted)
        for obj in found["items"]:
            metadata = obj["metadata"]
            self._objects.remove(call.kind, metadata.get("namespace", ""), metadata["name"], how)
        return call.reply(found)


# Kinds whose deletion returns the object; the deletion of other kinds returns a Status.
RETURNED_WHEN_DELETED = frozenset({"Pod", "ServiceAccount", "PersistentVolume", "PersistentVolumeClaim"})


def _certificate(request: Request) -> x509.Certificate | None:
    found = request.scope["extensions"]["transport"]["transport"].get_extra_info("client_certificate")
    return found if isinstance(found, x509.Certificate) else None


def _wanted(info: RequestInfo) -> Attributes:
    if not info.is_resource:
        return Attributes(info.verb, path=info.path)
    return Attributes(info.verb, info.group, info.resource, info.namespace, info.name)


def _check_shape(kind: Kind, info: RequestInfo) -> None:
    """Check that a kind has a path of this shape, and that the path supports the verb.

    Raises:
        ServiceError: 404 if there is no such path; 405 if it does not support the verb.
    """
    in_namespace = info.namespace and info.plural != "namespaces"
    needs_namespace = kind.namespaced and (info.name or info.verb == "create")
    if info.rest or (in_namespace and not kind.namespaced) or (needs_namespace and not info.namespace):
        if info.verb == "create" and not in_namespace and not info.name:
            raise api_errors.METHOD_NOT_ALLOWED()
        raise api_errors.NO_SUCH_RESOURCE()
    if info.subresource:
        if info.subresource in kind.unserved:
            return
        served = {*kind.subresources, *([STATUS] if kind.has_status else []), *([scale.NAME] if kind.scale else [])}
        if info.subresource not in served:
            raise api_errors.not_found(kind, info.name) if kind.is_custom else api_errors.NO_SUCH_RESOURCE()
        if info.verb not in STATUS_VERBS:
            raise api_errors.METHOD_NOT_ALLOWED()
        return
    if info.verb == "deletecollection" and kind.namespaced and not info.namespace:
        raise api_errors.NO_SUCH_RESOURCE() if kind.is_custom else api_errors.METHOD_NOT_ALLOWED()
    whole = info.verb in ("list", "watch", "create", "deletecollection")
    misplaced = (info.verb == "create" and info.name) or (not whole and not info.name)
    if info.verb not in kind.verbs or misplaced:
        raise api_errors.METHOD_NOT_ALLOWED()


def _namespace(call: Call) -> str:
    return call.info.namespace if call.kind.namespaced else ""


def _missing(kind: Kind, subresource: str) -> str:
    if kind.name == "Pod":
        return f"no container runs here, so pods have no {subresource!r}."
    return f"{kind.plural} have no {subresource!r} here."


def _not_found(call: Call) -> ServiceError:
    is_scale = call.info.subresource == scale.NAME and not call.kind.is_custom
    return (refusals.no_scale if is_scale else api_errors.not_found)(call.kind, call.info.name)


def _shown(call: Call, obj: Json) -> Json:
    return scale.of(call.kind, obj) if call.info.subresource == scale.NAME else obj


def _rescaled(call: Call, current: Json, wanted: Json) -> Json:
    """Return an object with the replicas of the Scale that a client sent."""
    _check_place(call, wanted)
    scale.check(call.kind, wanted)
    return scale.scaled(call.kind, current, wanted)


async def _object(call: Call, *, is_scale: bool = False) -> Json:
    body = bodies.parse(await call.request.body(), bodies.content_type(call.request), call.kind)
    if not is_scale:
        bodies.check_kind(call.kind, body)
    return body


def _check_place(call: Call, obj: Json) -> None:
    """Check that the object of an update names the object in the path."""
    found = metadata.decode(call.kind, obj.get("metadata"))
    if "name" not in found:
        raise api_errors.BAD_REQUEST(
            f"the name of the object ({call.info.name} based on URL) was undeterminable: name must be provided"
        )
    if found["name"] != call.info.name:
        raise api_errors.BAD_REQUEST(
            f"the name of the object ({found['name']}) does not match the name on the URL ({call.info.name})"
        )
    # The path of a Namespace has a namespace too: its own name.
    namespace = found.get("namespace", call.info.namespace)
    if call.info.namespace and namespace != call.info.namespace:
        raise refusals.ANOTHER_NAMESPACE(found=namespace, requested=call.info.namespace)


def _check_namespace(call: Call, found: Json) -> None:
    if call.kind.namespaced and found.get("namespace", call.info.namespace) != call.info.namespace:
        raise api_errors.BAD_REQUEST(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
