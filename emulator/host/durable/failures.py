"""Words the failure of a function like the real host: censored, cut, and wrapped in a .NET exception."""

import json
import re
from typing import Any

from emulator.host.worker.process import FunctionError

# The host hides each of these, with the text after it up to the next `<`, `"` or `'`.
_CREDENTIAL_MARKS = (
    "Token=",
    "DefaultEndpointsProtocol=http",
    "AccountKey=",
    "Data Source=",
    "Server=",
    "Password=",
    "pwd=",
    "&sig=",
    "?sig=",
    "&amp;sig=",
    "SharedAccessKey=",
    "&code=",
    "?code=",
    "&amp;code=",
    "key=",
)
_CREDENTIALS = re.compile(
    # PublicKeyToken= names an assembly in every .NET stack and is not a credential.
    rf"(?:(?<!PublicKey){'|(?<!PublicKey)'.join(re.escape(mark) for mark in _CREDENTIAL_MARKS)})[^<\"']*",
    re.IGNORECASE,
)
_USER_INFO = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s:/@]+:[^\s/@]+@[^\s:/]+:\d+", re.IGNORECASE)
_HIDDEN = "[Hidden Credential]"
_STATE_MARK = "$OutOfProcData$:"


def censor(text: str) -> str:
    """Hide everything that looks like a credential, as the host does in every exception of a worker."""
    return _USER_INFO.sub(_HIDDEN, _CREDENTIALS.sub(_HIDDEN, text))


def exception_message(error: FunctionError) -> str:
    """Return type and message as the host reads them from the worker's text, cut before a line `Stack:`."""
    text = censor(f" {error.type}: {error.message}")
    return re.split(r"\r?\nStack:", text, maxsplit=1)[0]


def activity_reason(name: str, error: FunctionError) -> str:
    """Return the Reason of a TaskFailed, with two spaces after the colon like the real host's."""
    return f"Activity function '{name}' failed: {exception_message(error)}"


def exception_details(name: str, error: FunctionError | None, message: str) -> str:
    """Return the Details of a TaskFailed: the .NET exception as JSON, with the Python stack in it."""
    inner: dict[str, Any] | None = None
    if error is not None:
        inner = _dotnet_exception(
            "Microsoft.Azure.WebJobs.Script.Workers.Rpc.RpcException",
            "Microsoft.Azure.WebJobs.Script",
            censor(error.rpc_text),
            None,
        )
    outer = _dotnet_exception(
        "Microsoft.Azure.WebJobs.Host.FunctionInvocationException",
        "Microsoft.Azure.WebJobs.Host",
        f"Exception while executing function: Functions.{name}" if inner else message,
        inner,
    )
    return json.dumps(outer, ensure_ascii=False, separators=(",", ":"))


def _dotnet_exception(name: str, assembly: str, message: str, inner: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "$type": f"{name}, {assembly}",
        "ClassName": name,
        "Message": message,
        "Data": None,
        "InnerException": inner,
        "HelpURL": None,
        "StackTraceString": None,
        "RemoteStackTraceString": None,
        "RemoteStackIndex": 0,
        "ExceptionMethod": None,
        "HResult": -2146233088,
        "Source": assembly,
        "WatsonBuckets": None,
    }


def orchestrator_output(name: str, text: str) -> str:
    """Return a failed instance's output."""
    return f"Orchestrator function '{name}' failed: {text}"


def orchestrator_state(error: FunctionError) -> dict[str, Any] | str:
    """Return the state that a failed orchestrator's exception carries, or the text of the failure if it has none."""
    message = censor(error.message)
    _, mark, state = message.partition(_STATE_MARK)
    if not mark:
        return f"One or more errors occurred. ({censor(error.rpc_text)})"
    try:
        parsed: dict[str, Any] = json.loads(state)
    except ValueError as problem:
        return f"The replay schema of the orchestrator's state is invalid JSON: {problem}"
    return parsed
