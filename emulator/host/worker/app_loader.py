"""Loads a function app as the Python worker does: import `function_app`, read its functions, check each signature.

One function that fails a check stops the whole app, as in Azure. The checks of the host itself (names, routes) are
in `function_index.py`.
"""

import importlib
import inspect
import json
import os
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from azure.functions import FunctionRegister, meta

_REGISTRY: Any = meta.get_binding_registry()  # type: ignore[no-untyped-call]  # the SDK is untyped


class FunctionLoadError(RuntimeError):
    """The worker refuses a function; the message is the real worker's."""

    def __init__(self, function_name: str, message: str) -> None:
        super().__init__(f"cannot load the {function_name} function: {message}")


@dataclass(frozen=True)
class LoadedFunction:
    """One function of the app: what to call, and how to convert its values."""

    name: str
    call: Callable[..., Any]
    bindings: tuple[dict[str, Any], ...]
    trigger: dict[str, Any]
    is_async: bool
    takes_context: bool
    return_binding: str | None

    def describe(self) -> dict[str, Any]:
        """Return the description of this function for the host."""
        return {"name": self.name, "bindings": list(self.bindings)}


def load_functions(app_directory: Path) -> dict[str, LoadedFunction]:
    """Import the app and return its functions by name.

    The app's folder goes last on `sys.path`, where Linux Consumption and the Core Tools put it. So a module that an
    installed package shadows fails here, and not only in Azure.

    Raises:
        Exception: whatever the import raises, or FunctionLoadError; either way the worker cannot serve the app.
    """
    sys.path.append(str(app_directory))
    module_name = os.environ.get("PYTHON_SCRIPT_FILE_NAME", "function_app.py").removesuffix(".py")
    module = importlib.import_module(module_name)
    functions: dict[str, LoadedFunction] = {}
    for function in _find_app(module, module_name).get_functions():
        bindings = tuple(json.loads(raw) for raw in function.get_raw_bindings())
        loaded = check_function(str(function.get_function_name()), function.get_user_function(), bindings)
        functions[loaded.name] = loaded
    return functions


def _find_app(module: ModuleType, module_name: str) -> Any:
    apps = [value for value in vars(module).values() if isinstance(value, FunctionRegister)]
    if not apps:
        raise ValueError(f"Could not find top level function app instances in {module_name}.py.")
    if len(apps) > 1:
        kind = type(apps[0]).__name__
        raise ValueError(f"More than one {kind} or other top level function app instances are defined.")
    return apps[0]


def check_function(name: str, call: Callable[..., Any], bindings: tuple[dict[str, Any], ...]) -> LoadedFunction:
    """Check a function's parameters and annotations against its bindings.

    Raises:
        FunctionLoadError: a check fails; the author of the app can fix it.
    """
    parameters = dict(inspect.signature(call).parameters)
    annotations = typing.get_type_hints(call)
    bound = {binding["name"]: binding for binding in bindings if binding["name"] != "$return"}
    returned = next((binding for binding in bindings if binding["name"] == "$return"), None)

    takes_context = "context" in parameters and "context" not in bound
    if takes_context:
        del parameters["context"]
        annotation = annotations.get("context")
        if annotation is not None and getattr(annotation, "__name__", None) != "Context":
            raise FunctionLoadError(
                name, f'the "context" parameter is expected to be of type azure.functions.Context, got {annotation!r}'
            )
    if unbound := set(parameters) - set(bound):
        raise FunctionLoadError(
            name, f"the following parameters are declared in Python but not in function.json: {unbound!r}"
        )
    if missing := set(bound) - set(parameters):
        raise FunctionLoadError(
            name, f"the following parameters are declared in function.json but not in Python: {missing!r}"
        )
    for parameter in parameters:
        if parameter in annotations:
            _check_annotation(name, parameter, annotations[parameter], bound[parameter])
    if returned is not None and "return" in annotations:
        _check_return(name, annotations["return"], returned["type"])

    return LoadedFunction(
        name=name,
        call=call,
        bindings=bindings,
        trigger=next(binding for binding in bindings if binding["type"].endswith("Trigger")),
        is_async=inspect.iscoroutinefunction(call),
        takes_context=takes_context,
        return_binding=returned["type"] if returned else None,
    )


def _check_annotation(name: str, parameter: str, annotation: Any, binding: dict[str, Any]) -> None:
    if binding["direction"] == "OUT":
        raise FunctionLoadError(name, f"output binding {parameter} is not supported by the local host")
    if annotation is Any:
        return
    if not isinstance(annotation, type):
        if _is_typing_generic(annotation):
            return
        raise FunctionLoadError(name, f"binding {parameter} has invalid non-type annotation {annotation!r}")
    if annotation in (str, bytes):  # The worker then uses its generic converter, which accepts both.
        return
    converter = _REGISTRY.get(binding["type"])
    if converter is not None and not converter.check_input_type_annotation(annotation):
        raise FunctionLoadError(
            name,
            f'type of {parameter} binding in function.json "{binding["type"]}" does not match its Python '
            f'annotation "{annotation.__name__}"',
        )


def _is_typing_generic(annotation: Any) -> bool:
    """Tell `typing.Dict[str, Any]`, which the worker accepts, from `dict[str, Any]` and unions, which it refuses."""
    if type(annotation).__module__ != "typing":
        return False
    origin = typing.get_origin(annotation)
    return isinstance(origin, type)


def _check_return(name: str, annotation: Any, binding_type: str) -> None:
    if not isinstance(annotation, type):
        raise FunctionLoadError(name, f"has invalid non-type return annotation {annotation!r}")
    converter = _REGISTRY.get(binding_type)
    if converter is not None and not converter.check_output_type_annotation(annotation):
        raise FunctionLoadError(
            name,
            f'Python return annotation "{annotation.__name__}" does not match binding type "{binding_type}"',
        )
