"""Manifests between two runs of the command: what people changed, and what stays of the first run."""

import json

from shared.installer import assets, bootstrap
from shared.installer.graph import Graph
from tests.unit.installer import example


def boot_paths(made: Graph) -> set[str]:
    """Return the paths of the bootstrap machine's files."""
    return {file["path"] for file in json.loads(made.file("bootstrap.ign"))["storage"]["files"]}


def test_manifests_of_nobody_reach_the_bootstrap_machine() -> None:
    """Beside those that assets make, in the same folders; without them nothing is there."""
    assert example.made().contents[bootstrap.FURTHER.name] == {}
    further = {"manifests/mine.yaml": "kind: A\n", "openshift/mine.json": "{}"}
    made = example.remade(example.given() | {bootstrap.FURTHER.name: further})
    assert boot_paths(made) - boot_paths(example.made()) == {f"/opt/openshift/{path}" for path in further}
    assert {assets.asset_of(path).name for path in further} == {bootstrap.FURTHER.name}
