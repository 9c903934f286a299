"""The ignition of these tests boots, and the checks of a running cluster are the rows of one table."""

import datetime as dt

import pytest

from emulator.openshift.boot import checks, timeline
from tests import bootstrap_ignition
from tests.emulator.unit.openshift.conftest import DOMAIN


@pytest.mark.parametrize(("version", "image"), [("2.2.0", "aro_45"), ("3.1.0", "aro_46"), ("3.2.0", "aro_419")])
def test_the_ignition_of_these_tests_boots(version: str, image: str) -> None:
    """The config may follow any version of the specification that the machine's image reads."""
    text = bootstrap_ignition.Cluster(DOMAIN, version=version).bootstrap()
    assert checks.boot_check([text], image, dt.datetime.now(dt.UTC)) == []


def test_an_annotation_may_look_like_a_time() -> None:
    """openshift-install writes when a certificate ends, without quotes; a text it stays."""
    cluster = bootstrap_ignition.Cluster(DOMAIN)
    cluster.files["manifests/machine-config-server-ca-secret.yaml"] = (
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: machine-config-server-ca\n"
        "  namespace: openshift-machine-config-operator\n"
        "  annotations:\n    auth.openshift.io/certificate-not-after: 2036-11-22T23:14:30Z\n"
    )
    assert checks.boot_check([cluster.bootstrap()], "aro_419", dt.datetime.now(dt.UTC)) == []


def test_the_set_of_a_control_plane_is_an_object_like_others() -> None:
    """Its kind is the release's."""
    cluster = bootstrap_ignition.Cluster(DOMAIN)
    cluster.files["openshift/99_openshift-machine-api_master-control-plane-machine-set.yaml"] = (
        "apiVersion: machine.openshift.io/v1\nkind: ControlPlaneMachineSet\n"
        "metadata: {name: cluster, namespace: openshift-machine-api}\nspec: {replicas: 3, state: Active}\n"
    )
    assert checks.boot_check([cluster.bootstrap()], "aro_419", dt.datetime.now(dt.UTC)) == []


@pytest.mark.parametrize("name", [name for name in bootstrap_ignition.NODE_IMAGE if "/etc/systemd/" in name])
def test_a_plain_boot_image_needs_each_unit_that_brings_the_release_s_system(name: str) -> None:
    """From 4.19 on; the image of an older release has everything."""
    cluster = bootstrap_ignition.Cluster(DOMAIN)
    del cluster.files[name]
    (found,) = checks.boot_check([cluster.bootstrap()], "aro_419", dt.datetime.now(dt.UTC))
    assert found.stage == "image-names"
    assert "/usr/bin/kubelet" in found.message
    assert name.rpartition("/")[2] in found.message
    installer = cluster.files["openshift/openshift-install-manifests.yaml"]
    cluster.files["openshift/openshift-install-manifests.yaml"] = installer.replace("4.19.24", "4.18.3")
    assert checks.boot_check([cluster.bootstrap()], "aro_418", dt.datetime.now(dt.UTC)) == []


def test_every_row_of_checks_is_a_stage() -> None:
    """A check belongs to a stage of the timeline, or comes before or after all of them."""
    stages = {row.name for row in timeline.BOOTSTRAP}
    assert set(checks.CHECKS) - stages == {checks.IGNITION, checks.OUTSIDE}


def test_problems_come_in_the_order_of_the_stages() -> None:
    """The first problem is therefore the one at which a machine stops."""
    cluster = bootstrap_ignition.Cluster(DOMAIN)
    for file in (
        "tls/machine-config-server.key",
        "tls/kube-apiserver-lb-server.key",
        "manifests/cluster-network-02-config.yml",
    ):
        cluster.files[file] = "x: 1"
    found = checks.boot_check([cluster.bootstrap()], "aro_419", dt.datetime.now(dt.UTC))
    order = [checks.IGNITION, *(row.name for row in timeline.BOOTSTRAP), checks.OUTSIDE]
    places = [order.index(problem.stage) for problem in found]
    assert places == sorted(places)
    wanted = {"kube-apiserver-bootstrap", "machine-config-server", "temporary-api"}
    assert wanted <= {problem.stage for problem in found}
