"""The example's ignition, read back: every file is the graph's, whatever the spec."""

import json

import pytest

from installer.ignition import ignition, ignition_reader
from tests.product.unit.installer import example
from tests.product.unit.installer.facts.comparisons import all_paths

ROOT = "/opt/openshift/"
KEPT_BACK = ("auth/", "tls/")


@pytest.mark.parametrize("spec", ["2.2.0", "3.2.0"])
@pytest.mark.parametrize("name", ["bootstrap.ign", "master.ign", "worker.ign"])
def test_an_ignition_is_read_and_written_without_a_difference(name: str, spec: str) -> None:
    """Files, units, users and pointers, in the same order."""
    written = json.loads(example.remade(example.given(spec=spec)).file(name))
    assert ignition.render(ignition_reader.parse(written), spec) == written


@pytest.mark.parametrize("spec", ["2.2.0", "3.2.0"])
def test_every_file_under_the_installers_folder_is_the_graphs(spec: str) -> None:
    """Each text is as its asset made it. All manifests are there, and keys and kubeconfigs as far as they may be."""
    graph = example.remade(example.given(spec=spec))
    config = ignition_reader.parse(json.loads(graph.file("bootstrap.ign")))
    texts = {file.path.removeprefix(ROOT): file.text for file in config.files if file.path.startswith(ROOT)}
    made = {path: text for path, text in ((path, graph.file(path)) for path in all_paths()) if path in texts}
    assert {path: text for path, text in texts.items() if path in made} == made
    wanted = {path for path in all_paths() if path.startswith(("manifests/", "openshift/"))}
    assert wanted <= texts.keys()
    assert {path for path in made.keys() - wanted if not path.startswith(KEPT_BACK)} == set()
