"""Microsoft's engine: `azure-functions-runtime`, the loader, converters and thread pool that run in Azure.

Its interface is made for gRPC messages. It only reads and sets their attributes, so plain objects stand in for them
here, and no gRPC is needed. The interface is private to Microsoft, so the package is pinned exactly.
"""

import asyncio
import importlib
import json
import sys
from http.cookies import SimpleCookie
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from emulator.host.worker.engine import Answer, Invocation

PACKAGE = "azure_functions_runtime"


class _Message(SimpleNamespace):
    """Stands in for any protobuf message."""

    def WhichOneof(self, _group: str) -> str | None:  # noqa: N802 - protobuf's name
        """Return the name of the one field that is set."""
        return next(iter(vars(self)), None)


class _BindingInfo(_Message):
    """A binding, with the SDK's numbers for directions."""

    out = 1
    inout = 2
    undefined = 0


class _StatusResult(_Message):
    """The outcome of a request."""

    Failure = 0
    Success = 1


class _Cookie(_Message):
    """A cookie of a response."""

    SameSite = SimpleNamespace(**{"None": None, "Lax": "Lax", "Strict": "Strict", "ExplicitNone": "None"})


class _Protocol:
    """Stands in for the module of protobuf messages."""

    BindingInfo = _BindingInfo
    StatusResult = _StatusResult
    RpcHttpCookie = _Cookie

    def __getattr__(self, _name: str) -> type[_Message]:
        return _Message


class RuntimeEngine:
    """Runs functions through Microsoft's runtime, on the event loop and in its thread pool."""

    def __init__(self) -> None:
        self._runtime: Any = importlib.import_module(PACKAGE)
        self._loop = asyncio.get_running_loop()
        self._function_ids: dict[str, str] = {}
        self._triggers: dict[str, dict[str, Any]] = {}
        self._invocations: dict[str, Invocation] = {}

    async def load(self, app_directory: Path) -> list[dict[str, Any]]:
        """Import the app and return the name and bindings of each function.

        Raises:
            RuntimeError: the app cannot be loaded; the message is the runtime's own.
        """
        sys.path.append(str(app_directory))
        self._runtime.start_threadpool_executor()
        request = _Message(
            request=_Message(worker_init_request=_Message(capabilities={}, function_app_directory=str(app_directory))),
            properties={"host": "localhost", "protos": _Protocol()},
        )
        begun = await self._runtime.worker_init_request(request)
        if begun.result.status != _StatusResult.Success:
            raise RuntimeError(f"{begun.result.exception.message}\n{begun.result.exception.stack_trace}")
        functions = []
        for metadata in (await self._runtime.functions_metadata_request(request)).function_metadata_results or ():
            bindings = [json.loads(raw) for raw in metadata.raw_bindings]
            self._function_ids[metadata.name] = metadata.function_id
            self._triggers[metadata.name] = next(one for one in bindings if one["type"].endswith("Trigger"))
            functions.append({"name": metadata.name, "bindings": bindings})
        return functions

    def dispatch(self, header: dict[str, Any], body: bytes, answer: Answer) -> None:
        """Begin one invocation; called by the thread that reads the channel."""
        asyncio.run_coroutine_threadsafe(self._run(header, body, answer), self._loop)

    def current(self) -> Invocation | None:
        """Return the invocation that the calling code belongs to."""
        return self._invocations.get(self._runtime.invocation_id_cv.get() or "")

    async def _run(self, header: dict[str, Any], body: bytes, answer: Answer) -> None:
        self._invocations[header["id"]] = Invocation.of(header)
        # The runtime sets it for sync functions, but not for async functions on this path.
        self._runtime.invocation_id_cv.set(header["id"])
        invocation = _Message(
            invocation_id=header["id"],
            function_id=self._function_ids[header["function"]],
            input_data=self._inputs(header, body),
            trigger_metadata={},
            trace_context=_Message(trace_parent="", trace_state="", attributes={}),
            retry_context=_Message(retry_count=0, max_retry_count=0, exception=None),
        )
        response = await self._runtime.invocation_request(
            _Message(request=_Message(invocation_request=invocation), properties={})
        )
        del self._invocations[header["id"]]
        if response.result.status == _StatusResult.Success:
            answer(*_result(self._triggers[header["function"]]["type"], response.return_value))
        else:
            answer(_error(response.result.exception), b"")

    def _inputs(self, header: dict[str, Any], body: bytes) -> list[_Message]:
        trigger = self._triggers[header["function"]]
        if "http" in header:
            data = _Message(http=_Message(body=_Message(bytes=body), **header["http"]))
        elif trigger["type"] == "timerTrigger":
            data = _Message(json=header["value"])
        else:
            data = _Message(string=header["value"])
        others = [_parameter(name, _Message(string=value)) for name, value in header["inputs"].items()]
        return [_parameter(trigger["name"], data), *others]


class _Parameter(_Message):
    """One argument; `data` is the only member of the group that this host uses."""

    def WhichOneof(self, _group: str) -> str:  # noqa: N802 - protobuf's name
        """Return the name of the field with the value."""
        return "data"


def _parameter(name: str, data: _Message) -> _Parameter:
    return _Parameter(name=name, data=data)


def _error(exception: Any) -> dict[str, Any]:
    kind, _, message = exception.message.partition(": ")
    return {"error": {"type": kind, "message": message, "stack": exception.stack_trace}}


def _result(trigger_type: str, value: Any) -> tuple[dict[str, Any], bytes]:
    """Convert the runtime's return value into the fields and body of a `result` frame."""
    kind = value.WhichOneof("data") if value is not None else None
    if trigger_type != "httpTrigger":
        return {"value": getattr(value, kind) if kind else None}, b""
    if kind is None:
        return {"http": None}, b""
    if kind == "string":
        return {"text": value.string}, b""
    response = value.http
    headers = [[name, text] for name, text in response.headers.items()]
    headers += [["Set-Cookie", _cookie_text(cookie)] for cookie in response.cookies or ()]
    return {"http": {"status": int(response.status_code), "headers": headers}}, response.body.bytes


def _cookie_text(message: Any) -> str:
    """Write a cookie as a header's value."""
    cookie: SimpleCookie = SimpleCookie({message.name: message.value})
    morsel = cookie[message.name]
    for attribute, field in (("domain", "domain"), ("path", "path"), ("max-age", "max_age")):
        if (wrapped := getattr(message, field)) is not None:
            number = wrapped.value
            morsel[attribute] = int(number) if isinstance(number, float) else number
    if message.expires is not None:
        morsel["expires"] = message.expires.value.strftime("%a, %d %b %Y %H:%M:%S GMT")
    morsel["secure"] = bool(message.secure is not None and message.secure.value)
    morsel["httponly"] = bool(message.http_only is not None and message.http_only.value)
    if message.same_site:
        morsel["samesite"] = message.same_site
    return morsel.OutputString()
