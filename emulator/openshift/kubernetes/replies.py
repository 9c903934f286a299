"""Responses: JSON on one line, Status objects for errors, and the formats that a client accepts."""

import json
from email.utils import formatdate
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from emulator.core.service_error import ServiceError
from emulator.json_object import Json
from emulator.openshift.kubernetes import api_errors

JSON_TYPES = frozenset({"application/json", "application/*", "*/*", ""})
SERVED_TYPES = ("application/json",)
TABLE_GROUP, TABLE_VERSIONS = "meta.k8s.io", ("v1", "v1beta1")
NO_CACHE = "no-cache, private"


def headers() -> dict[str, str]:
    """Return the headers of every response."""
    return {"Cache-Control": NO_CACHE, "Date": formatdate(usegmt=True)}


def encode(body: Any) -> bytes:
    """Write JSON as the real server does."""
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def json_reply(body: Json, status_code: int = HTTPStatus.OK) -> Response:
    """Answer with an object."""
    return Response(encode(body), status_code, headers(), "application/json")


def text_reply(text: str, status_code: int = HTTPStatus.OK) -> Response:
    """Answer with plain text."""
    return Response(text, status_code, headers(), "text/plain; charset=utf-8")


def no_page() -> Response:
    """Answer a path that no group serves."""
    return text_reply("404 page not found\n", HTTPStatus.NOT_FOUND)


def error_reply(_request: Request, error: ServiceError) -> Response:
    """Answer with the Status object of an error."""
    reply = json_reply(api_errors.status(error), error.status_code)
    reply.headers.update(error.headers)
    return reply


def table_version(request: Request, *, served: bool) -> str:
    """Return the version of tables if they are the served form that the client prefers, "" for plain JSON.

    Raises:
        ServiceError: 406 if the client accepts no served form.
    """
    is_json = False
    for media_type, parameters in _choices(request.headers.get("accept", "")):
        if media_type not in JSON_TYPES:
            continue
        is_json = True
        form, version = parameters.get("as", ""), parameters.get("v", "")
        if not form:
            return ""
        if served and (form, parameters.get("g")) == ("Table", TABLE_GROUP) and version in TABLE_VERSIONS:
            return version
    raise api_errors.UNKNOWN_FORM(SERVED_TYPES) if is_json else api_errors.NOT_ACCEPTABLE()


def check_json(accept: str) -> None:
    """Check that a client accepts JSON.

    Raises:
        ServiceError: 406 if it does not.
    """
    if not any(media_type in JSON_TYPES for media_type, _ in _choices(accept)):
        raise api_errors.NOT_ACCEPTABLE()


def _choices(accept: str) -> list[tuple[str, dict[str, str]]]:
    """Return the media types of an Accept header with their parameters, the preferred ones first."""
    choices = []
    for choice in accept.split(","):
        media_type, *parts = [part.strip() for part in choice.split(";")]
        choices.append((media_type, dict(part.split("=", 1) for part in parts if "=" in part)))
    return sorted(choices, key=lambda choice: _weight(choice[1]), reverse=True)


def _weight(parameters: dict[str, str]) -> float:
    try:
        return float(parameters.get("q", "1"))
    except ValueError:
        return 0.0
