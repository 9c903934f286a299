"""Calls every method of the installed `azure-mgmt-redhatopenshift`, whichever release that is, and prints the answers.

It runs with the Python of an environment that has only one release of the SDK, so it imports nothing of this
repository. It reads a `Task` from standard input and writes the JSON object of `told`.
"""

import asyncio
import importlib
import importlib.metadata
import importlib.util
import inspect
import json
import pkgutil
import sys
import time
from contextlib import suppress
from types import ModuleType
from typing import Any, TypedDict

from azure.core.credentials import AccessToken
from azure.mgmt import redhatopenshift

Json = dict[str, Any]
# The arguments of each method.
Calls = dict[str, tuple[Any, ...]]

SDK = redhatopenshift.__name__
# From 1.0 on, the names of long operations begin with this; here they go without.
LONG = "begin_"
READING = ("get", "list", "list_by_resource_group", "list_credentials", "list_admin_credentials")


class Task(TypedDict):
    """What to do.

    Args:
        token: access token for Azure Resource Manager.
        subscription_id: the customer's subscription.
        location: the service's region.
        group: name of the cluster's resource group.
        cluster: name of the cluster, which does not exist yet.
        body: JSON of the cluster, as the newest API version spells it.
        tags: the tags that the update gives the cluster.
        version: an OpenShift version that the service offers.
    """

    token: str
    subscription_id: str
    location: str
    group: str
    cluster: str
    body: Json
    tags: dict[str, str]
    version: str


class Token:
    """A credential that has no more than the SDK needs."""

    def __init__(self, token: str) -> None:
        self._token = AccessToken(token, int(time.time()) + 3600)

    def get_token(self, *_scopes: str, **_options: Any) -> AccessToken:
        """Return the token."""
        return self._token


class AsyncToken:
    """The same for the asynchronous client."""

    def __init__(self, token: str) -> None:
        self._token = Token(token)

    async def get_token(self, *_scopes: str, **_options: Any) -> AccessToken:
        """Return the token."""
        return self._token.get_token()


def told(task: Task) -> Json:
    """Call everything.

    Returns:
        `release`; `methods`, the names of all methods; `answers`, what each has returned; `api_versions`, the answers
        of the reading methods in each API version that the release can be asked for; `refusal`, the error about a
        cluster that does not exist; `aio`, `methods` and `answers` of the asynchronous client, if its transport is
        installed. The answer of a method that failed has only an `error`, with `type` and `message`.
    """
    found = _client(task)
    arguments = _calls(task)
    last = {"open_shift_clusters.delete": arguments.pop("open_shift_clusters.delete")}
    answers = _call(found, arguments)
    reading = {name: values for name, values in arguments.items() if name.rpartition(".")[2] in READING}
    versions = {name: _call(_client(task, api_version=name), reading) for name in _api_versions()}
    aio = asyncio.run(_call_async(task)) if importlib.util.find_spec("aiohttp") else {}
    answers |= _call(found, last)
    return {
        "release": importlib.metadata.version("azure-mgmt-redhatopenshift"),
        "methods": sorted(_methods(found)),
        "answers": answers,
        "api_versions": versions,
        "refusal": _call(found, {name: arguments[name] for name in ("open_shift_clusters.get",)}),
        "aio": aio,
    }


def _calls(task: Task) -> Calls:
    """Return the arguments of each method in the order of the calls."""
    models, location, cluster = _models(), task["location"], (task["group"], task["cluster"])
    return {
        "operations.list": (),
        "open_shift_versions.list": (location,),
        "open_shift_versions.get": (location, task["version"]),
        "platform_workload_identity_role_sets.list": (location,),
        "platform_workload_identity_role_set.get": (location, task["version"].rpartition(".")[0]),
        "open_shift_clusters.create_or_update": (*cluster, _model(models.OpenShiftCluster, task["body"])),
        "open_shift_clusters.get": cluster,
        "open_shift_clusters.list": (),
        "open_shift_clusters.list_by_resource_group": (task["group"],),
        "open_shift_clusters.list_credentials": cluster,
        "open_shift_clusters.list_admin_credentials": cluster,
        "open_shift_clusters.update": (*cluster, _model(models.OpenShiftClusterUpdate, {"tags": task["tags"]})),
        "open_shift_clusters.delete": cluster,
    }


def _client(task: Task, **options: Any) -> Any:
    """Return the SDK's client, which takes the proxy and the CA from the environment."""
    if importlib.util.find_spec("msrest"):
        credential = importlib.import_module("msrest.authentication").BasicTokenAuthentication(
            {"access_token": task["token"]}
        )
    else:
        credential = Token(task["token"])
    return redhatopenshift.AzureRedHatOpenShiftClient(credential, task["subscription_id"], **options)


def _api_versions() -> list[str]:
    """Return the API versions that a client of this release can be asked for."""
    names = [module.name for module in pkgutil.iter_modules(redhatopenshift.__path__)]
    return [name[1:].replace("_", "-") for name in names if name.startswith("v20")]


def _models() -> ModuleType:
    """Return the models of the API version that a client speaks if it is asked for none."""
    client: Any = redhatopenshift.AzureRedHatOpenShiftClient
    models: ModuleType = client.models() if hasattr(client, "models") else importlib.import_module(f"{SDK}.models")
    return models


def _model(kind: Any, document: Json) -> Any:
    """Return a model of the SDK from JSON."""
    return kind.deserialize(document) if hasattr(kind, "deserialize") else kind(document)


def _methods(client: Any) -> dict[str, Any]:
    """Return the methods of all groups of operations, as `group.method`."""
    groups: Json = {}
    for name in dir(client):
        # A client that was asked for one API version has the other versions' groups too, and refuses to give them.
        with suppress(ValueError):
            groups[name] = getattr(client, name)
    return {
        f"{group}.{name.removeprefix(LONG)}": method
        for group, operations in groups.items()
        if type(operations).__module__.startswith(SDK) and type(operations).__name__.endswith("Operations")
        for name, method in inspect.getmembers(operations, inspect.ismethod)
        if not name.startswith("_")
    }


def _call(client: Any, calls: Calls) -> Json:
    """Call those of the methods that a client has; return what each answers."""
    found = _methods(client)
    answers: Json = {}
    for name in calls:
        if name in found:
            try:
                answers[name] = _plain(found[name](*calls[name]))
            except Exception as error:  # noqa: BLE001 - each release has errors of its own
                answers[name] = _failed(error)
    return answers


async def _call_async(task: Task) -> Json:
    """Call every method of the asynchronous client about the cluster that exists; return what each answers.

    To save time, the PUT changes nothing, and the cluster to delete is one that does not exist, which is not an error.
    """
    client = importlib.import_module(f"{SDK}.aio").AzureRedHatOpenShiftClient
    repeated: Task = {**task, "body": {**task["body"], "tags": task["tags"]}}
    calls = _calls(repeated) | {"open_shift_clusters.delete": (task["group"], f"no-{task['cluster']}")}
    answers: Json = {}
    async with client(AsyncToken(task["token"]), task["subscription_id"]) as opened:
        found = _methods(opened)
        for name in calls:
            try:
                answers[name] = await _plain_async(found[name](*calls[name]))
            except Exception as error:  # noqa: BLE001 - as above
                answers[name] = _failed(error)
    return {"methods": sorted(found), "answers": answers}


def _plain(answer: Any) -> Any:
    """Return what a method has returned as JSON, in the spelling of the REST API."""
    if answer is None:
        return None
    if hasattr(answer, "result"):
        return _plain(answer.result())
    if hasattr(answer, "serialize"):
        return answer.serialize(keep_readonly=True)
    return answer.as_dict() if hasattr(answer, "as_dict") else [_plain(each) for each in answer]


async def _plain_async(answer: Any) -> Any:
    """The same for a method of the asynchronous client."""
    if hasattr(answer, "__aiter__"):
        return [_plain(each) async for each in answer]
    answer = await answer
    return _plain(await answer.result() if hasattr(answer, "result") else answer)


def _failed(error: Exception) -> Json:
    return {"error": {"type": type(error).__name__, "message": str(error)}}


if __name__ == "__main__":
    json.dump(told(json.load(sys.stdin)), sys.stdout)
