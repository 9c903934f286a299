"""The graph itself: what an asset is, how a target is resolved, and how what was made is kept and read again.

An asset's content is a JSON object. What is given from outside (install-config, credentials) has members of its own;
everything that is made maps the path of a file to its text.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import Any

Content = dict[str, Any]
Inputs = Mapping[str, Content]
"""What an asset is made from: its inputs' contents by their names, and no others."""

# What is given: all that the graph knows of a cluster stands in these five.
GIVEN = (
    "install-config",  # as openshift-install reads it, see `install_config.py`
    "platform-credentials",  # subscriptionId, tenantId, clientId, clientSecret
    "cluster-id",  # infraId, clusterId
    "release-image",  # version, pullspec, ignitionVersion, flavour
    "clock",  # now, RFC 3339: certificates begin then
)


@dataclass(frozen=True)
class Asset:
    """One node of the graph.

    Args:
        name: the path of its file without what varies, so that people find it.
        files: the paths it makes; `*` stands for a number, where the count follows from the inputs.
        inputs: names of the assets it is made from.
        make: makes its content; None for what is given from outside, `nothing` for what may be given.
    """

    name: str
    files: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    make: Callable[[Inputs], Content] | None = None


def nothing(_inputs: Inputs) -> Content:
    """Stand for what may be given from outside, and is not."""
    return {}


@dataclass(frozen=True)
class Graph:
    """Contents by asset. It holds private keys, so it never shows them."""

    contents: Mapping[str, Content] = field(repr=False)

    def file(self, path: str) -> str:
        """Return the text of a file; members of what is given are none.

        Raises:
            KeyError: when no asset of this graph has made it.
        """
        for name, content in self.contents.items():
            if path in content and name not in GIVEN:
                return str(content[path])
        raise KeyError(path)

    def dump(self) -> bytes:
        """Return the graph as compressed JSON."""
        return zlib.compress(json.dumps({"contents": self.contents}, separators=(",", ":")).encode())


def load(dumped: bytes) -> Graph:
    """Read a graph back; nothing is made again."""
    return Graph(json.loads(zlib.decompress(dumped))["contents"])


def needed(assets: Mapping[str, Asset], targets: Iterable[str]) -> list[str]:
    """Return the targets and all that they are made from, inputs first.

    Raises:
        ValueError: when assets are made from each other in a circle.
    """
    order: list[str] = []

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            raise ValueError(f"assets are made from each other: {' -> '.join((*path, name))}")
        if name not in order:
            for wanted in assets[name].inputs:
                visit(wanted, (*path, name))
            order.append(name)

    for target in targets:
        visit(target, ())
    return order


def resolve(assets: Mapping[str, Asset], targets: Iterable[str], known: Inputs, pool: Executor) -> Graph:
    """Make the targets and what they need, each once, as soon as its inputs are there.

    Args:
        assets: by name.
        targets: names of what is wanted.
        known: contents that are given, or were made before; they are taken as they are.
        pool: where assets are made. RSA keys are nearly all of the work, and `cryptography` releases the interpreter's
            lock while it makes one, so two threads take half the time.

    Returns:
        The contents of everything that the targets need, given ones included.

    Raises:
        ValueError: when something has to be given and is not.
    """
    waiting = needed(assets, targets)
    made = {name: known[name] for name in waiting if name in known}
    if missing := [name for name in waiting if name not in made and assets[name].make is None]:
        raise ValueError(f"not given: {', '.join(missing)}")
    running: dict[Future[Content], str] = {}
    try:
        while len(made) < len(waiting):
            started = {*made, *running.values()}
            for asset in (assets[name] for name in waiting if name not in started):
                if all(name in made for name in asset.inputs):
                    running[pool.submit(_make, asset, {name: made[name] for name in asset.inputs})] = asset.name
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                made[running.pop(future)] = future.result()
    finally:
        for future in running:
            future.cancel()
    return Graph({name: made[name] for name in waiting})


def _make(asset: Asset, inputs: Inputs) -> Content:
    assert asset.make is not None  # noqa: S101 - what is given is known before anything is made
    content = asset.make(inputs)
    if strange := [path for path in content if not any(fnmatch(path, pattern) for pattern in asset.files)]:
        raise ValueError(f"asset '{asset.name}' made what it does not declare: {', '.join(strange)}")
    return content
