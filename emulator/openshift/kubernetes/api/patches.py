"""JSON patch (RFC 6902) and JSON merge patch (RFC 7386)."""

import copy
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes import api_errors


def merge_patch(target: Any, patch: Any) -> Any:
    """Return the target with a JSON merge patch applied."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merge_patch(result.get(name), value)
    return result


def json_patch(target: Json, operations: Any) -> Json:
    """Return the target with a JSON patch applied.

    As in the real server, `replace` of a missing member of an object adds it.

    Raises:
        ServiceError: 400 for a patch that is not a list; 422 for an operation that does not apply.
    """
    if not isinstance(operations, list):
        kind = "object" if isinstance(operations, dict) else "value"
        raise api_errors.BAD_REQUEST(f"json: cannot unmarshal {kind} into Go value of type jsonpatch.Patch")
    result: Any = copy.deepcopy(target)
    try:
        for operation in operations:
            result = _apply(result, operation)
    except (AttributeError, KeyError, IndexError, ValueError, TypeError) as error:
        # The path leads through a value that is not a container, or the operation is not an object with a path.
        raise api_errors.REJECTED_PATCH() from error
    if not isinstance(result, dict):
        raise api_errors.REJECTED_PATCH()
    return result


def _apply(document: Any, operation: Json) -> Any:
    path = _pointer(operation["path"])
    match operation["op"]:
        case "add":
            return _add(document, path, copy.deepcopy(operation.get("value")))
        case "replace":
            return _replace(document, path, copy.deepcopy(operation.get("value")))
        case "remove":
            _take(document, path)
            return document
        case "move":
            return _add(document, path, _take(document, _pointer(operation["from"])))
        case "copy":
            return _add(document, path, copy.deepcopy(_find(document, _pointer(operation["from"]))))
        case "test":
            if _find_or_none(document, path) != operation.get("value"):
                raise ValueError("the test failed")
            return document
        case unknown:
            raise ValueError(f"{unknown} is not an operation")


def _pointer(path: str) -> list[str]:
    # As in the real server, whatever is before the first slash is ignored.
    if path and "/" not in path:
        raise ValueError(f"{path} is not a JSON pointer")
    return [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:]]


def _step(container: Any, name: str) -> Any:
    return container[_index(container, name)] if isinstance(container, list) else container[name]


def _index(items: list[Any], name: str) -> int:
    index = int(name)
    if not 0 <= index < len(items):
        raise IndexError(name)
    return index


def _find(document: Any, path: list[str]) -> Any:
    for name in path:
        document = _step(document, name)
    return document


def _find_or_none(document: Any, path: list[str]) -> Any:
    """Return the value at a path; a missing member reads as null, as in `test` operations of the real server."""
    try:
        return _find(document, path)
    except KeyError:
        return None


def _add(document: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    container, name = _find(document, path[:-1]), path[-1]
    if isinstance(container, list):
        container.insert(len(container) if name == "-" else _insertion(container, name), value)
    else:
        container[name] = value
    return document


def _insertion(items: list[Any], name: str) -> int:
    index = int(name)
    if not 0 <= index <= len(items):
        raise IndexError(name)
    return index


def _replace(document: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    container, name = _find(document, path[:-1]), path[-1]
    if isinstance(container, list):
        container[_index(container, name)] = value
    else:
        container[name] = value
    return document


def _take(document: Any, path: list[str]) -> Any:
    container, name = _find(document, path[:-1]), path[-1]
    return container.pop(_index(container, name) if isinstance(container, list) else name)
