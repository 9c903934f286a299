"""An API server's verdict on the product's objects, as the emulated bootstrap machine creates them."""

import base64
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
from tests.product.unit.installer import example
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


@pytest.mark.parametrize("version", ["4.10.67", "4.19.24"])
def test_every_object_of_workload_identity_is_taken(objects: Objects, version: str) -> None:
    """The API server encodes the texts of the operators' Secrets."""
    graph = example.remade(example.given_identities(version))
    machine = Installation.read([graph.file("bootstrap.ign")], f"aro_{''.join(version.split('.')[:2])}")

    assert bootstrap.refused(objects, machine.manifests()) == []
    for namespace, name, client_id in example.SECRETS:
        secret = objects.get("Secret", name, namespace) or {}
        assert base64.b64decode(secret["data"]["azure_client_id"]).decode() == client_id
    assert objects.get("Authentication.config.openshift.io", "cluster")
