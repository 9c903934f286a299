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


def test_every_row_of_checks_is_a_stage() -> None:
    """A check belongs to a stage of the timeline, or comes before or after all of them."""
    stages = {row.name for row in timeline.BOOTSTRAP}
    assert set(checks.CHECKS) - stages == {checks.IGNITION, checks.OUTSIDE}


def test_problems_come_in_the_order_of_the_stages() -> None:
    """The first problem is therefore the one at which a machine stops."""
    cluster = bootstrap_ignition.Cluster(DOMAIN)
    for file in ("tls/etcd-client.key", "tls/kube-apiserver-lb-server.key", "manifests/cluster-network-02-config.yml"):
        cluster.files[file] = "x: 1"
    found = checks.boot_check([cluster.bootstrap()], "aro_419", dt.datetime.now(dt.UTC))
    order = [checks.IGNITION, *(row.name for row in timeline.BOOTSTRAP), checks.OUTSIDE]
    places = [order.index(problem.stage) for problem in found]
    assert places == sorted(places)
    assert {"kube-apiserver-bootstrap", "etcd", "temporary-api"} <= {problem.stage for problem in found}
