"""What makes an install graph, by the name that an entry of the version catalogue gives as its `installer`.

Every back end makes the same assets from the same things that are given, so nobody who reads a graph asks which it was.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

from installer import graph
from installer.assets import assets
from installer.graph import Graph, Inputs
from installer.openshift_install import back_end as openshift_install


@dataclass(frozen=True)
class BackEnd:
    """One of them.

    Args:
        make: makes the graph from the contents of `assets.GIVEN`, with threads for what takes long.
        assets: names of what its graphs hold for sure, inputs first.
    """

    make: Callable[[Inputs, Executor], Graph]
    assets: Callable[[], list[str]]


BACK_ENDS = {
    "built-in": BackEnd(
        make=lambda given, pool: graph.resolve(assets.ASSETS, assets.TARGETS, given, pool),
        assets=lambda: graph.needed(assets.ASSETS, assets.TARGETS),
    ),
    "openshift-install": BackEnd(make=openshift_install.make, assets=openshift_install.kept),
}
