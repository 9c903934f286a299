"""The outcome of every row that reads the cluster, while the API server is away."""

import inspect

import pytest

from activities.cluster import cluster_api
from activities.runtime import wrapper
from activities.targets import ACTIVITIES
from orchestrators import plans
from orchestrators.plans.rows import Row
from tests.product.unit.activities.calls import DONE, call
from tests.product.unit.activities.cluster.cluster_api_fake import wire
from tests.product.unit.activities.cluster.test_cluster_certificates import SECRETS, renew
from tests.product.unit.activities.cluster.test_credential_revocation import servers
from tests.product.unit.activities.renewals.test_pull_secret import hold_password
from tests.product.unit.clusters.identities.credentials import become_identities
from tests.product.unit.clusters.identities.role_sets import seeded
from tests.product.unit.openshift.api_fake import failure
from tests.product.unit.product_world import World

__all__ = ["servers"]

ROLES = {role["operatorName"] for role in seeded()["4.19"]["platformWorkloadIdentityRoles"]}
# These rows wait for the first API server, so they expect that none answers.
FIRST = {"bootstrap_config_map_ready", "api_server_ready"}
# Their modules ask the cluster for other rows, or the row looks at it as clients do.
WITHOUT_CLUSTER = {
    *("validate_stop_machines", "note_stopped", "note_start", "note_running"),
    *("prepare_revocation", "switch_credentials", "forget_former_credentials"),
    *("api_server_certificate_served", "ingress_certificate_served"),
    # It asks each API server by itself; `test_credential_revocation.py` has one that is away.
    "former_credentials_refused",
}
REVOCATION = {row.name for row in plans.PLANS["revoke_credentials"]} - {"api_servers_available"}


def _asks_the_cluster(row: Row) -> bool:
    """Tell whether the module of a row's executor uses the cluster's API."""
    executor = wrapper.load(ACTIVITIES[row.executor])
    module = inspect.getmodule(executor.run or executor.status)
    uses = cluster_api in vars(module).values() or module is cluster_api
    return uses and row.name not in WITHOUT_CLUSTER


ROWS = {row.name: row for plan in plans.PLANS.values() for row in plan if _asks_the_cluster(row)}


@pytest.mark.parametrize("name", ROWS)
def test_an_api_server_that_is_away_does_not_use_up_a_rows_time(
    name: str, accepted: World, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """The row waits, in the server's words, and reports that nothing has answered."""
    for secret, _ in SECRETS.values():
        renew(accepted, secret)
    if ROWS[name].when == "identities_are_to_be_carried_in":
        become_identities(accepted.cluster, *ROLES, upgradeable_to="4.20.0")
        accepted.properties["clusterProfile"]["version"] = "4.19.24"
        for document in seeded().values():
            accepted.cosmos["PlatformWorkloadIdentityRoleSets"].create_item(dict(document))
    if name == "update_pull_secret":
        hold_password(accepted)
    if name in REVOCATION:
        api = request.getfixturevalue("servers").api
        assert call("prepare_revocation") == DONE
    else:
        api = wire(accepted, monkeypatch)
    api.first = lambda _method, _path: failure(503, "ServiceUnavailable", "etcd has no leader")
    outcome = call(name)
    assert outcome["outcome"] == "wait", outcome
    assert "etcd has no leader" in outcome["message"]
    assert outcome.get("unanswered", False) == (name not in FIRST)
