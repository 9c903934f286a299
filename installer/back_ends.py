"""The programs that make an install graph, by the `installer` of an entry in the version catalogue.

All back ends make the same assets from the same inputs, so readers of a graph need not know which one made it.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

from installer import all_assets, graph
from installer.graph import Graph, Inputs
from installer.openshift_install import back_end as openshift_install
from installer.openshift_install.gateway import Azure


@dataclass(frozen=True)
class BackEnd:
    """One back end.

    Args:
        make: makes the graph from the contents of `assets.GIVEN`, with threads for slow work, and a
            function that returns what it may use of Azure.
        assets: names of the assets that its graphs always contain, inputs first.
    """

    make: Callable[[Inputs, Executor, Callable[[], Azure]], Graph]
    assets: Callable[[], list[str]]


BACK_ENDS = {
    "built-in": BackEnd(
        make=lambda inputs, pool, _azure: graph.resolve(all_assets.ASSETS, all_assets.TARGETS, inputs, pool),
        assets=lambda: graph.needed(all_assets.ASSETS, all_assets.TARGETS),
    ),
    "openshift-install": BackEnd(make=openshift_install.make, assets=openshift_install.kept),
}
