"""An API server's verdict on the product's objects, as the emulated bootstrap machine creates them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from emulator.core.clock import Clock
from emulator.core.store import Store
from emulator.openshift.boot.installation import Installation
from emulator.openshift.cluster import bootstrap
from emulator.openshift.kubernetes import Objects
from emulator.openshift.release import kinds
from tests.product.unit.installer.bootstrap import bootstrap_machine


@pytest.fixture
def objects(tmp_path: Path) -> Iterator[Objects]:
    """Make the objects of a cluster whose bootstrap machine has just started its API server."""
    store = Store(tmp_path / "state.sqlite")
    made = Objects(store, Clock(40), "cluster")
    for definition in kinds.definitions():
        made.define(definition)
    for obj in kinds.foundation():
        made.put(obj)
    yield made
    store.close()


@pytest.mark.parametrize(
    ("flavour", "version"), [row[:2] for row in bootstrap_machine.FLAVOURS], ids=bootstrap_machine.IDS
)
def test_every_object_of_the_installer_is_taken(objects: Objects, flavour: str, version: str) -> None:
    """In the versions of its release; definitions of the beta version have no schemas."""
    image = f"aro_{''.join(version.split('.')[:2])}"
    machine = Installation.read([json.dumps(bootstrap_machine.ignition(flavour))], image)

    assert bootstrap.refused(objects, machine.manifests()) == []
    assert objects.get("CustomResourceDefinition.apiextensions.k8s.io", "networks.operator.openshift.io")
