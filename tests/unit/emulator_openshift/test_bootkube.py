"""The emulated machine reads what its own bootkube.sh names."""

import base64
import json

import pytest

from emulator.openshift import bootkube, timeline
from emulator.openshift.installation import Installation, InstallationError
from tests.unit.installer import bootstrap_machine

SKUS = {"A": "aro_43", "T": "aro_45", "B": "aro_47", "C": "aro_410"}


def installation(flavour: str, without: str = "", script_of: str = "") -> Installation:
    """Return what the bootstrap machine of a flavour has, without a file, or with the script of another flavour."""
    document = json.loads(json.dumps(bootstrap_machine.ignition(flavour)))
    files = document["storage"]["files"]
    document["storage"]["files"] = [file for file in files if file["path"] != f"/opt/openshift/{without}"]
    for file in files:
        if script_of and file["path"].endswith("/bootkube.sh"):
            text = bootstrap_machine.texts(script_of)[file["path"]]
            file["contents"]["source"] = f"data:;base64,{base64.b64encode(text.encode()).decode()}"
    return Installation([json.dumps(document)], SKUS[flavour])


@pytest.mark.parametrize("flavour", "ATBC")
def test_the_product_s_script_finds_everything(flavour: str) -> None:
    """And its stages are those of the timeline."""
    machine = installation(flavour)
    rows = [row.name for row in timeline.BOOTSTRAP if flavour in row.flavours]
    bootkube.check_images(machine)
    for name in rows:
        bootkube.check_stage(machine, name)
    assert [name for name in rows if name in bootkube.stages(machine)] == [
        name for name in bootkube.stages(machine) if name != "cb-bootstrap"
    ]


@pytest.mark.parametrize(
    ("flavour", "stage", "file"),
    [
        ("A", "mco-bootstrap", "tls/etcd-metric-ca-bundle.crt"),
        ("B", "etcd-bootstrap", "tls/etcd-signer.key"),
        ("B", "cvo-bootstrap", "auth/kubeconfig-loopback"),
        ("B", "kube-apiserver-bootstrap", "manifests/cluster-network-02-config.yml"),
        ("B", "mco-bootstrap", "tls/machine-config-server.key"),
    ],
)
def test_a_stage_fails_without_a_file_that_it_names(flavour: str, stage: str, file: str) -> None:
    with pytest.raises(InstallationError, match=rf"^{stage}: open /opt/openshift/{file}: no such file"):
        bootkube.check_stage(installation(flavour, without=file), stage)


def test_a_file_that_the_script_asks_for_may_be_missing() -> None:
    machine = installation("B", without="manifests/cloud-provider-config.yaml")
    bootkube.check_stage(machine, "config-bootstrap")
    bootkube.check_stage(machine, "mco-bootstrap")


def test_a_script_for_an_older_release_does_not_find_its_images() -> None:
    """The signer of etcd's certificates left the release after 4.5."""
    with pytest.raises(InstallationError, match='no image tag "kube-client-agent" exists'):
        bootkube.check_images(installation("B", script_of="A"))


def test_a_script_without_stages_asks_for_nothing() -> None:
    bootkube.check_stage(Installation(['{"ignition": {"version": "3.2.0"}}'], "aro_47"), "cvo-bootstrap")
