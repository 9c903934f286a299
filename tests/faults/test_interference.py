"""Somebody interferes with a create: it says what is wrong, or continues, and DELETE removes everything."""

import copy
import os
import random
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import pytest

from demo.customer import assign_roles
from orchestrators import plans
from shared.json_object import Json
from tests.conftest import SEED
from tests.faults.scenarios import INTERFERENCE
from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.service.forbidden_changes import Inside, boot_later
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import Cluster, prepare

pytestmark = [
    pytest.mark.slow,
    pytest.mark.thorough,
    pytest.mark.xdist_group("faults-interference"),
    pytest.mark.family(INTERFERENCE),
]

BOOTSTRAP = "bootstrap"
# Generating the keys of a cluster takes a core for seconds.
AT_ONCE = 4
SECRET = re.compile(r"sig=(?!\*)[A-Za-z0-9%+/]{8}|AccountKey|PRIVATE KEY")


@dataclass(frozen=True)
class Interference:
    """An action that somebody takes, and its result.

    Args:
        at: the step at which it is done, and the status of that step; empty for before the PUT.
        do: does it.
        steps: the steps of which one fails: if several wait for the same thing at once, the first to give up.
        code: code of the error.
        says: further texts of the error, with names of the cluster in braces.
        late: a machine that does not boot until it is done.
        mend: corrects it, so that an equal PUT then succeeds. Without it only DELETE helps.
    """

    at: tuple[str, ...]
    do: Callable[[Inside], Any]
    steps: tuple[str, ...]
    code: str
    says: tuple[str, ...]
    late: str = ""
    mend: Callable[[Inside], Any] | None = None


def _without(name: str) -> Callable[[Inside], None]:
    return lambda inside: inside.set_rules(lambda rules: [rule for rule in rules if rule.name != name])


def _before_boot(act: Callable[[Inside], Any]) -> Callable[[Inside], None]:
    def do(inside: Inside) -> None:
        inside.wait_for_machine(BOOTSTRAP)
        act(inside)

    return do


DEPLOYING = ("deploy_machines_template",)
BOOTING = ("deploy_machines_template", "Succeeded")
REMOVED = ("remove_bootstrap", "Succeeded")

# Steps that wait for the API server from then on; which of them fails depends on timing.
INSIDE = (
    "ensure_logging",
    "ensure_ifreload",
    *(row.name for row in plans.PLANS["create"] if row.section == "remove-bootstrap" and "bootstrap" not in row.name),
)


def _grant(inside: Inside) -> None:
    assign_roles(inside.customer, [inside.customer.principal["object_id"]])


def _put_back_the_rule(inside: Inside) -> None:
    """Restore the API server's rule as in the product's template, modelled on the rule that remains."""

    def change(rules: list[Any]) -> list[Any]:
        (other,) = rules
        rule = copy.deepcopy(other)
        rule.name, rule.id, rule.frontend_port, rule.backend_port = "api-internal-v4", None, 6443, 6443
        rule.probe.id = rule.probe.id.replace("sint-probe", "api-internal-probe")
        return [rule, other]

    inside.set_rules(change)


INTERFERENCES = {
    "the keys of the storage account are regenerated": Interference(
        at=DEPLOYING,
        late=BOOTSTRAP,
        do=_before_boot(Inside.regenerate_keys),
        steps=("deploy_machines_template",),
        code="DeploymentFailed",
        says=("OSProvisioningTimedOut", "{infra_id}-bootstrap", "403", "AuthenticationFailed"),
    ),
    "the ignition is deleted": Interference(
        at=DEPLOYING,
        late=BOOTSTRAP,
        do=_before_boot(lambda inside: inside.ignition().delete_blob()),
        steps=("deploy_machines_template",),
        code="DeploymentFailed",
        says=("OSProvisioningTimedOut", "{infra_id}-bootstrap", "404", "BlobNotFound"),
    ),
    "the ignition is overwritten": Interference(
        at=DEPLOYING,
        late=BOOTSTRAP,
        do=_before_boot(lambda inside: inside.ignition().upload_blob(b"{garbage", overwrite=True)),
        steps=("deploy_machines_template",),
        code="DeploymentFailed",
        says=("OSProvisioningTimedOut", "{infra_id}-bootstrap", "Ignition failed", "config is not valid"),
    ),
    "the rule that leads masters to their ignition is deleted": Interference(
        at=DEPLOYING,
        late="master-.",
        do=_before_boot(_without("sint-v4")),
        steps=("deploy_machines_template",),
        code="DeploymentFailed",
        says=("OSProvisioningTimedOut", "{infra_id}-master-0", "https://api-int.", ":22623", "i/o timeout"),
    ),
    "the name that leads masters to their ignition is deleted": Interference(
        at=DEPLOYING,
        late="master-.",
        do=_before_boot(lambda inside: inside.delete_record("api-int")),
        steps=("deploy_machines_template",),
        code="DeploymentFailed",
        says=("OSProvisioningTimedOut", "{infra_id}-master-0", "lookup api-int.", "no such host"),
    ),
    "the rule that leads to the API server is deleted": Interference(
        at=DEPLOYING,
        late="master-.",
        do=_before_boot(_without("api-internal-v4")),
        steps=("bootstrap_config_map_ready",),
        code="DeploymentFailed",
        says=("did not end within", "the API server is not reached", "SerialLog", "{infra_id}-bootstrap"),
        mend=_put_back_the_rule,
    ),
    "two masters are deleted": Interference(
        at=REMOVED,
        do=lambda inside: inside.masters("delete", 0, 1),
        steps=INSIDE,
        code="DeploymentFailed",
        says=("the API server is not reached", "{infra_id}-master-0", "there is no such virtual machine"),
    ),
    "the cluster's principal loses its role on the network": Interference(
        at=BOOTING,
        do=Inside.delete_role,
        steps=("workers_ready",),
        code="InvalidServicePrincipalPermissions",
        says=("Machine '{infra_id}-worker-", "LinkedAuthorizationFailed", "subnets/join/action", "/subnets/worker"),
        mend=_grant,
    ),
    "a size is chosen that the region has none of": Interference(
        at=("", ""),
        do=lambda _inside: None,
        steps=("validate_vm_sizes",),
        code="InvalidParameter",
        says=("Standard_E104is_v5", "properties.masterProfile.vmSize", "az vm list-skus"),
    ),
}


def _told(error: Json) -> Iterator[str]:
    """Yield every code, message and target of an error."""
    yield from (str(error.get(member, "")) for member in ("code", "message", "target"))
    for detail in error.get("details", []):
        yield from _told(detail)


def _interfere(cluster: Cluster, interference: Interference) -> str:
    """Create a cluster and interfere with it; return the operation's id."""
    body = cluster.body
    if not interference.at[0]:
        body["properties"]["masterProfile"]["vmSize"] = "Standard_E104is_v5"
        return cluster.create(body)
    with boot_later(cluster, interference.late) if interference.late else nullcontext():
        operation_id = cluster.create(body)
        cluster.wait_for_step(operation_id, *interference.at)
        interference.do(Inside(cluster))
    return operation_id


@pytest.fixture(scope="session")
def interfered(azure: LocalAzure, worker_id: str) -> dict[str, tuple[Cluster, str]]:
    """Give each interference's cluster and operation. All are started together, because each takes a while."""
    numbers = random.Random(f"{os.environ[SEED]}/{__name__}/{worker_id}")  # noqa: S311 - for repeatable tests
    clusters = prepare(azure, *(unique(numbers, "i") for _ in INTERFERENCES))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        operations = list(pool.map(_interfere, clusters, INTERFERENCES.values()))
    return {name: pair for name, *pair in zip(INTERFERENCES, clusters, operations, strict=True)}  # type: ignore[misc]  # mypy takes the rest for a list of one type


@pytest.mark.parametrize("name", INTERFERENCES)
def test_a_create_explains_what_somebody_did_to_it(interfered: dict[str, tuple[Cluster, str]], name: str) -> None:
    """The error names step, machine, remedy, correlation id, and the cause as Azure or the machine words it."""
    (cluster, operation_id), interference = interfered[name], INTERFERENCES[name]
    error = cluster.fail(operation_id)
    details = {each["code"]: each["message"] for each in error["details"]}
    assert error["code"] == interference.code
    assert details["Step"] in interference.steps
    assert details["Remedy"]
    assert details["CorrelationId"] == cluster.report(operation_id)["correlationId"]
    told = "\n".join(_told(error))
    for text in interference.says:
        assert text.format(infra_id=Inside(cluster).infra_id) in told
    assert not SECRET.search(told)
    if interference.mend is not None:
        interference.mend(Inside(cluster))
        resumed = cluster.create()
        cluster.succeed(resumed)
        cluster.expect_one_of_each(resumed)
    document_id = cluster.document_id()
    cluster.succeed(cluster.delete())
    cluster.expect_nothing_left(document_id)


def test_a_create_survives_that_all_masters_are_switched_off_for_a_while(azure: LocalAzure, rng: random.Random) -> None:
    """The wait says that the API server is not reached, and continues when it answers again."""
    (cluster,) = prepare(azure, unique(rng, "i"))
    operation_id = cluster.create()
    cluster.wait_for_step(operation_id, "api_servers_ready")
    Inside(cluster).masters("power_off", 0, 1, 2)

    def says() -> bool:
        with taken(azure.state) as inventory:
            return "API server is not reached" in inventory.steps(operation_id)["api_servers_ready"]["message"]

    wait_for(says, "the wait to notice")
    Inside(cluster).masters("start", 0, 1, 2)
    cluster.succeed(operation_id)
    cluster.expect_one_of_each(operation_id)
    cluster.succeed(cluster.delete())
