"""The emulated machine reads the messages and files from its own bootkube.sh."""

import base64
import datetime as dt
import json
import re

import pytest

from emulator.openshift.boot import bootkube, timeline
from emulator.openshift.boot.installation import Installation
from tests.product.unit.installer.bootstrap import bootstrap_machine

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
SKUS = {"A": "aro_43", "T": "aro_45", "B": "aro_47", "C": "aro_410"}


def installation(flavour: str, without: str = "", script_of: str = "") -> Installation:
    """Return what a flavour's bootstrap machine has.

    Args:
        flavour: flavour of the installation, `A`, `T`, `B` or `C`.
        without: a file to leave out, by its path below `/opt/openshift/`.
        script_of: flavour whose bootkube.sh is used instead.
    """
    document = json.loads(json.dumps(bootstrap_machine.ignition(flavour)))
    files = document["storage"]["files"]
    document["storage"]["files"] = [file for file in files if file["path"] != f"/opt/openshift/{without}"]
    for file in files:
        if script_of and file["path"].endswith("/bootkube.sh"):
            text = bootstrap_machine.texts(script_of)[file["path"]]
            file["contents"]["source"] = f"data:;base64,{base64.b64encode(text.encode()).decode()}"
    return Installation.read([json.dumps(document)], SKUS[flavour])


@pytest.mark.parametrize("flavour", "ATBC")
def test_the_product_s_script_finds_everything(flavour: str) -> None:
    """The script's stages are those of the timeline."""
    machine = installation(flavour)
    rows = [row.name for row in timeline.BOOTSTRAP if flavour in row.flavours]
    assert list(bootkube.check_images(machine, NOW)) == []
    assert [line for name in rows for line in bootkube.check_stage(machine, name)] == []
    done = list(bootkube.steps(machine))
    assert [name for name in rows if name in done] == done
    assert {"openshift-manifests", "mco-bootstrap", "etcd", "temporary-api", "bootstrap-complete"} <= set(done)


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
    said = list(bootkube.check_stage(installation(flavour, without=file), stage))
    assert said in (
        [f"{stage}: open /opt/openshift/{file}: no such file or directory"],
        [f"{stage}: cp: cannot stat '{file}': No such file or directory"],
    )


def test_a_file_that_the_script_asks_for_may_be_missing() -> None:
    machine = installation("B", without="manifests/cloud-provider-config.yaml")
    for stage in ("config-bootstrap", "mco-bootstrap"):
        assert list(bootkube.check_stage(machine, stage)) == []


def test_a_script_for_an_older_release_does_not_find_its_images() -> None:
    """The signer of etcd's certificates was removed from the release after 4.5."""
    said = " ".join(bootkube.check_images(installation("B", script_of="A"), NOW))
    assert 'no image tag "kube-client-agent" exists' in said
    assert "keepalived" not in said


def test_a_script_without_stages_asks_for_nothing() -> None:
    machine = Installation.read(['{"ignition": {"version": "3.2.0"}}'], "aro_47")
    assert list(bootkube.check_stage(machine, "cvo-bootstrap")) == []
    assert bootkube.says(machine, "cvo-bootstrap") == ()


@pytest.mark.parametrize("flavour", "ATBC")
def test_every_line_of_the_script_is_shown_with_its_stage(flavour: str) -> None:
    """Each line is shown once, whichever branch of the script prints it."""
    text = bootstrap_machine.texts(flavour)[bootkube.SCRIPT]
    machine = installation(flavour)
    rows = [row.name for row in timeline.BOOTSTRAP if flavour in row.flavours]
    shown = [line for name in rows for line in bootkube.says(machine, name) if name != "release-image"]
    printed = [line for line in re.findall(r'^ *echo "(.*)"$', text, re.MULTILINE) if line.endswith("...")]
    assert set(printed) - set(shown) == set()
    assert len(shown) == len(set(shown))
    assert shown[-1] == "This machine has done its work."
    assert "Rendering the machine configurations..." in bootkube.says(machine, "mco-bootstrap")


def test_the_download_says_what_it_pulls() -> None:
    """The text is as the shell prints it."""
    machine = installation("A")
    assert bootkube.says(machine, "release-image") == ("Pulling q...",)
    assert bootkube.pulls_again(machine) == "Pulling failed; once more."
