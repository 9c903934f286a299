"""This repository's own engine: the SDK's decorators and converters, a thread pool, an event loop."""

import asyncio
import contextvars
import logging
import os
import threading
import traceback
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from azure.functions import Context, meta

from emulator.host.worker.app_loader import LoadedFunction, load_functions
from emulator.host.worker.engine import Answer, Invocation

_REGISTRY: Any = meta.get_binding_registry()  # type: ignore[no-untyped-call]  # the SDK is untyped
_CURRENT: contextvars.ContextVar[Invocation | None] = contextvars.ContextVar("invocation", default=None)


class _InvocationContext(Context):
    """The optional `context` parameter of a function."""

    def __init__(self, invocation_id: str, function: str, directory: str) -> None:
        self._invocation_id = invocation_id
        self._function = function
        self._directory = directory

    @property
    def invocation_id(self) -> str:
        return self._invocation_id

    @property
    def function_name(self) -> str:
        return self._function

    @property
    def function_directory(self) -> str:
        return self._directory

    @property
    def trace_context(self) -> Any:
        return None

    @property
    def retry_context(self) -> Any:
        return None

    @property
    def thread_local_storage(self) -> Any:
        return threading.local()


def decode_arguments(
    function: LoadedFunction, header: dict[str, Any], body: bytes, app_directory: Path
) -> dict[str, Any]:
    """Convert an `invoke` frame into the arguments of the function, with the SDK's own converters."""
    arguments: dict[str, Any] = {}
    for binding in function.bindings:
        name, kind = binding["name"], binding["type"]
        if name == "$return":
            continue
        if kind == "httpTrigger":
            datum = _http_datum(header["http"], body)
        elif binding is function.trigger:
            datum = meta.Datum(header["value"], "json" if kind == "timerTrigger" else "string")
        else:
            datum = meta.Datum(header["inputs"][name], "string")
        arguments[name] = _REGISTRY.get(kind).decode(datum, trigger_metadata=None)
    if function.takes_context:
        arguments["context"] = _InvocationContext(header["id"], function.name, str(app_directory))
    return arguments


def _http_datum(request: dict[str, Any], body: bytes) -> meta.Datum:
    strings = {
        part: {name: meta.Datum(value, "string") for name, value in request[part].items()}
        for part in ("headers", "query", "params")
    }
    return meta.Datum(
        {
            "method": meta.Datum(request["method"], "string"),
            "url": meta.Datum(request["url"], "string"),
            "body": meta.Datum(body, "bytes"),
            **strings,
        },
        "http",
    )


def encode_result(function: LoadedFunction, value: Any) -> tuple[dict[str, Any], bytes]:
    """Convert a function's return value into the fields and body of a `result` frame.

    Raises:
        RuntimeError: a function without a return binding returned something; the message is the real worker's.
    """
    kind = function.trigger["type"]
    if kind == "httpTrigger":
        if value is None:
            return {"http": None}, b""
        datum = _REGISTRY.get("http").encode(value, expected_type=None)
        if datum.type == "string":
            return {"text": datum.value}, b""
        response = datum.value
        headers = [[name, header.value] for name, header in response["headers"].items()]
        cookies = [morsel.OutputString() for cookie in response["cookies"] or [] for morsel in cookie.values()]
        headers += [["Set-Cookie", cookie] for cookie in cookies]
        return {"http": {"status": int(response["status_code"].value), "headers": headers}}, response["body"].value
    converter = _REGISTRY.get(kind)
    if getattr(converter, "has_implicit_output", lambda: False)():
        return {"value": converter.encode(value, expected_type=None).value}, b""
    if value is not None:
        raise RuntimeError(f"function {function.name!r} without a $return binding returned a non-None value")
    return {"value": None}, b""


class BuiltinEngine:
    """Runs sync functions in a thread pool and async functions on the event loop."""

    def __init__(self) -> None:
        threads = os.environ.get("PYTHON_THREADPOOL_THREAD_COUNT")
        self._functions: dict[str, LoadedFunction] = {}
        self._app_directory = Path()
        self._pool = ThreadPoolExecutor(int(threads) if threads else None, thread_name_prefix="function")
        self._loop = asyncio.get_running_loop()

    async def load(self, app_directory: Path) -> list[dict[str, Any]]:
        """Import the app and return the name and bindings of each function."""
        self._app_directory = app_directory
        self._functions = load_functions(app_directory)
        return [function.describe() for function in self._functions.values()]

    def dispatch(self, header: dict[str, Any], body: bytes, answer: Answer) -> None:
        """Begin one invocation; called by the thread that reads the channel."""
        function = self._functions[header["function"]]
        if function.is_async:
            asyncio.run_coroutine_threadsafe(self._run_async(function, header, body, answer), self._loop)
        else:
            fresh = contextvars.Context()
            job: Future[None] = self._pool.submit(fresh.run, self._run_sync, function, header, body, answer)
            job.add_done_callback(_report_lost_error)

    def current(self) -> Invocation | None:
        """Return the invocation that the calling code belongs to."""
        return _CURRENT.get()

    def _run_sync(self, function: LoadedFunction, header: dict[str, Any], body: bytes, answer: Answer) -> None:
        _CURRENT.set(Invocation.of(header))
        try:
            arguments = decode_arguments(function, header, body, self._app_directory)
            fields, response = encode_result(function, function.call(**arguments))
        except Exception as error:  # noqa: BLE001 - whatever user code raises goes to the host
            fields, response = _describe_error(error), b""
        answer(fields, response)

    async def _run_async(self, function: LoadedFunction, header: dict[str, Any], body: bytes, answer: Answer) -> None:
        _CURRENT.set(Invocation.of(header))
        try:
            arguments = decode_arguments(function, header, body, self._app_directory)
            fields, response = encode_result(function, await function.call(**arguments))
        except Exception as error:  # noqa: BLE001 - whatever user code raises goes to the host
            fields, response = _describe_error(error), b""
        answer(fields, response)


def _report_lost_error(job: "Future[None]") -> None:
    if (error := job.exception()) is not None:
        logging.getLogger("worker").error("An invocation could not be answered: %s", error)


def _describe_error(error: Exception) -> dict[str, Any]:
    return {
        "error": {
            "type": type(error).__name__,
            "message": str(error),
            "stack": "".join(traceback.format_tb(error.__traceback__)),
        }
    }
