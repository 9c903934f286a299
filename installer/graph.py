"""The graph itself: what an asset is, how a target is resolved, and how the result is stored and read again.

An asset's content is a JSON object. Inputs from outside (install-config, credentials) have members of their own. The
content of all other assets maps the path of a file to its text.
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

# The inputs: these five contain everything that the graph knows about a cluster.
GIVEN = (
    "install-config",  # as openshift-install reads it, see `install_config.py`
    # subscriptionId, tenantId; of a service principal also clientId, clientSecret; else see `workload_identity.py`
    "platform-credentials",
    "cluster-id",  # infraId, clusterId; diagnosticsUri, the storage account that machines log to
    "release-image",  # version, pullspec, ignitionVersion, flavour; machineImage, as the cluster's document has it
    "clock",  # now, RFC 3339: certificates begin then
)


@dataclass(frozen=True)
class Asset:
    """One node of the graph.

    Args:
        name: the path of its file, without variable parts, so that people find it.
        files: the paths that it makes; `*` stands for a number if the count depends on the inputs.
        inputs: names of the assets it is made from.
        make: makes its content; None for a required input, `nothing` for an optional one.
    """

    name: str
    files: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    make: Callable[[Inputs], Content] | None = None


def nothing(_inputs: Inputs) -> Content:
    """Make the empty content of an optional input that was not given."""
    return {}


@dataclass(frozen=True)
class Graph:
    """Contents by asset. The graph holds private keys, so its representation never shows them."""

    contents: Mapping[str, Content] = field(repr=False)

    def file(self, path: str) -> str:
        """Return the text of a file. Members of inputs are not files.

        Raises:
            KeyError: if no asset of this graph has made it.
        """
        for name, content in self.contents.items():
            if path in content and name not in GIVEN:
                return str(content[path])
        raise KeyError(path)

    def dump(self) -> bytes:
        """Return the graph as compressed JSON."""
        return zlib.compress(json.dumps({"contents": self.contents}, separators=(",", ":")).encode())


def load(dumped: bytes) -> Graph:
    """Read a graph back, without making anything again."""
    return Graph(json.loads(zlib.decompress(dumped))["contents"])


def needed(assets: Mapping[str, Asset], targets: Iterable[str]) -> list[str]:
    """Return the targets and everything that they are made from, inputs first.

    Raises:
        ValueError: if assets depend on each other in a circle.
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
    """Make the targets and their inputs, each asset once, as soon as its inputs are there.

    Args:
        assets: assets by name.
        targets: names of the wanted assets.
        known: contents that are given, or were made before; they are used unchanged.
        pool: threads that make assets. RSA keys are nearly all of the work, and `cryptography` releases the
            interpreter's lock while it makes one, so two threads take half the time.

    Returns:
        The contents of everything that the targets need, inputs included.

    Raises:
        ValueError: if a required input is missing.
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
