"""Machines that do not boot, insufficient quota, and operators that never come up: the create says which and why."""

import json
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from azure.core.exceptions import HttpResponseError

from shared.json_object import Json
from tests.local_azure import LocalAzure, unique
from tests.product.integration.service.forbidden_changes import Inside, boot_later
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import Cluster, fault, hold, met, prepare

pytestmark = pytest.mark.slow(30)

FAMILY = "standardDSv5Family"
# Cores of three masters and the bootstrap machine, cores of one worker, and more cores than any test uses.
MASTERS, WORKER, ENOUGH = 32, 4, 1000
NEVER = 100_000


@pytest.fixture
def cluster(own_azure: LocalAzure, rng: random.Random) -> Cluster:
    """Give a cluster that does not exist yet."""
    return prepare(own_azure, unique(rng))[0]


def _explained(error: Json, *steps: str) -> str:
    """Check that an error names one of these steps and a remedy; return its text, with single quotes as they are."""
    details = {each["code"]: each["message"] for each in error["details"]}
    assert details["Step"] in steps
    assert details["Remedy"]
    return json.dumps(error, ensure_ascii=False)


def _deleted(cluster: Cluster) -> None:
    document_id = cluster.document_id()
    cluster.succeed(cluster.delete())
    cluster.expect_nothing_left(document_id)


def test_a_master_that_does_not_boot_is_named_with_its_last_words(cluster: Cluster) -> None:
    """Azure gives up after 40 minutes, and the error quotes the machine's serial log. The cluster can be deleted."""
    name = rf"boot {cluster.customer.cluster}-.....-master-1"
    with fault(cluster.azure, service="machines", operation=name, message="no init found"):
        error = cluster.fail(cluster.create())
    told = _explained(error, "deploy_machines_template")
    assert "OSProvisioningTimedOut" in told
    assert "-master-1" in told
    assert "Kernel panic - not syncing: no init found" in told
    _deleted(cluster)


def test_a_bootstrap_machine_that_may_not_read_its_ignition_says_so(cluster: Cluster) -> None:
    """If the SAS has expired or is wrong, no machine boots, and the bootstrap machine's console names the cause."""
    refused = {"service": "blobs", "operation": "get blob ignition", "status_code": 403, "count": NEVER}
    with fault(cluster.azure, code="AuthenticationFailed", **refused) as fault_id:
        error = cluster.fail(cluster.create())
        assert met(cluster.azure, fault_id)
    told = _explained(error, "deploy_machines_template")
    assert "-bootstrap" in told
    assert "403" in told
    assert "AuthenticationFailed" in told
    assert not re.search(r"sig=[A-Za-z0-9%+/]{8}", told)
    _deleted(cluster)


def test_a_bootstrap_machine_in_a_subnet_without_the_service_endpoint_gets_no_ignition(cluster: Cluster) -> None:
    """The account lets in only its subnets, and those only by the endpoint, which a repeated PUT brings back."""
    inside = Inside(cluster)
    with boot_later(cluster, "bootstrap"):
        operation_id = cluster.create()
        inside.wait_for_machine("bootstrap")
        _expect_only_subnets(inside)
        inside.remove_service_endpoints()
    told = _explained(cluster.fail(operation_id), "deploy_machines_template")
    for text in ("-bootstrap", "403", "AuthorizationFailure"):
        assert text in told
    cluster.succeed(cluster.create())
    _deleted(cluster)


def _expect_only_subnets(inside: Inside) -> None:
    """Check that the storage account denies by default and lets in three subnets: the service's and the cluster's."""
    rules = inside.network_rules()
    assert (rules.default_action, rules.bypass) == ("Deny", "AzureServices")
    assert not rules.ip_rules
    names = [each.virtual_network_resource_id.rsplit("/", 1)[-1] for each in rules.virtual_network_rules]
    assert names == ["app", "master", "worker"]
    assert inside.ignition().exists()
    with pytest.raises(HttpResponseError, match="AuthorizationFailure"):
        inside.ignition(in_subnet=False).get_blob_properties()


@contextmanager
def _limited(cluster: Cluster) -> Iterator[Callable[[int], None]]:
    """Give a function that sets the subscription's quota so that a number of cores of the family are free."""
    azure, subscription_id = cluster.azure, cluster.customer.subscription_id
    wish = {"subscription": subscription_id, "location": azure.endpoints["location"], "family": FAMILY}

    def leave(cores: int) -> None:
        with taken(azure.state) as inventory:
            limit = inventory.cores(subscription_id, FAMILY) + cores
        answer = azure.control("PUT", "/quotas", wish | {"limit": limit})
        assert "error" not in answer, answer

    try:
        yield leave
    finally:
        leave(ENOUGH)


def test_quota_for_masters_is_refused_by_name_and_the_create_goes_on_when_it_is_raised(cluster: Cluster) -> None:
    """If quota is used up after the validation, the error gives family, region, limit and the cores required."""
    deployment = {"service": "arm", "operation": "PUT Microsoft.Resources/deployments"}
    with _limited(cluster) as leave:
        with hold(cluster.azure, step="deploy_machines_template", **deployment):
            operation_id = cluster.create()
            cluster.wait_for_step(operation_id, "validate_quota", "Succeeded")
            leave(MASTERS - 1)
        error = cluster.fail(operation_id)
        told = _explained(error, "deploy_machines_template")
        assert "QuotaExceeded" in error["code"]
        assert FAMILY in told
        assert f"Additional Required: {MASTERS}" in told
        leave(ENOUGH)
        resumed = cluster.create()
        cluster.succeed(resumed)
    cluster.expect_one_of_each(resumed)


def test_quota_for_workers_fails_the_create_at_once_and_names_the_machine(cluster: Cluster) -> None:
    """The Machine quotes Azure's refusal, so the create does not wait for the deadline."""
    with _limited(cluster) as leave:
        operation_id = cluster.create()
        cluster.wait_for_step(operation_id, "deploy_machines_template", "Succeeded")
        # The bootstrap machine will free eight cores. That leaves room for one worker, and at least two are required.
        leave(WORKER - 8)
        error = cluster.fail(operation_id)
    assert error["code"] == "QuotaExceeded"
    assert error["target"] == "properties.workerProfiles[0].vmSize"
    told = _explained(error, "workers_ready")
    assert f"Machine '{cluster.customer.cluster}-" in told
    assert FAMILY in told
    _deleted(cluster)


@pytest.mark.thorough
def test_an_operator_that_never_comes_is_named_with_its_condition(cluster: Cluster) -> None:
    """After the deadline the error gives operator, condition, reason, message, and the state of other operators."""
    stuck = {"service": "machines", "operation": "operator console", "count": NEVER}
    with fault(cluster.azure, message="no route to the OAuth server", **stuck):
        error = cluster.fail(cluster.create())
    # Both steps wait for the console, and the deadline of either can end first.
    told = _explained(error, "console_ready", "cluster_version_ready")
    assert "ClusterOperator 'console'" in told
    assert "no route to the OAuth server" in told
    _deleted(cluster)


@pytest.mark.thorough
def test_an_api_that_goes_away_in_the_middle_of_a_wait_is_waited_for(cluster: Cluster) -> None:
    """A failed read does not fail the step, because API servers roll out."""
    with (
        fault(cluster.azure, service="kubernetes", operation="GET .*", status_code=503, count=20) as first,
        fault(cluster.azure, service="kubernetes", operation="GET .*", kind="reset", count=20) as second,
    ):
        operation_id = cluster.create()
        cluster.succeed(operation_id)
        assert met(cluster.azure, first)
        assert met(cluster.azure, second)
    cluster.expect_one_of_each(operation_id)
