"""Who may do what: roles, groups, denials and conditions of Azure RBAC against each operation of the service."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.api_versions import OWN_VERSION
from tests.entra_azure import AUTHORIZATION, Caller, EntraAzure
from tests.product.integration.own.conftest import Stored
from tests.product.integration.service.inventory import taken

pytestmark = pytest.mark.xdist_group("own-stored")

CLUSTERS = "Microsoft.RedHatOpenShift/openShiftClusters"
DENY_ASSIGNMENTS = "Microsoft.Authorization/denyAssignments"
# Rows: who calls, and the role that they have on the cluster's group, if nothing else is said. Columns: what they ask
# for. Of somebody without the right the status is 403; a list of the subscription shows what they may read. Bodies are
# wrong, so that whoever may write gets a 400, and DELETE is for a cluster that does not exist.
TABLE = """
                                GET  group  subscription  PUT  PATCH  DELETE  creds  admin  status  result
Owner                           200  200    200 shown     400  400    204     200    200    200     200
Contributor                     200  200    200 shown     400  400    204     200    200    200     200
Reader                          200  200    200 shown     403  403    403     403    403    200     200
all but delete and admin        200  200    200 shown     400  400    403     200    403    200     200
read, at the subscription       200  200    200 shown     403  403    403     403    403    200     200
all, on the network only        403  403    200 hidden    403  403    403     403    403    403     403
Contributor by nested group     200  200    200 shown     400  400    204     200    200    200     200
Owner, denied delete and admin  200  200    200 shown     400  400    403     200    403    200     200
condition on other actions      200  200    200 shown     400  400    204     200    200    200     200
condition on all actions        403  403    200 hidden    403  403    403     403    403    403     403
nothing                         403  403    200 hidden    403  403    403     403    403    403     403
"""
# The same for the requests that this provider's own version has for a cluster that lives. Actions come with an ETag
# that the cluster does not have, so that whoever may begin them gets a 412, and the operation to cancel has ended.
LIVING = """
                          list  one  ends  cancel  stop  start  renew  revoke  request  try
Contributor               200   200  200   409     412   412    412    412     400      400
Reader                    200   200  200   403     403   403    403    403     403      403
all but delete and admin  200   200  200   409     412   412    412    403     403      400
admin credentials only    403   403  403   403     403   403    403    403     400      403
nothing                   403   403  403   403     403   403    403    403     403      403
"""
WRONG = {"properties": "wrong"}
# Nobody may assign roles but Reader.
OTHER_ACTIONS = (
    "((!(ActionMatches{'Microsoft.Authorization/roleAssignments/write'})) OR "
    "(@Request[Microsoft.Authorization/roleAssignments:RoleDefinitionId] ForAnyOfAnyValues:GuidEquals "
    "{acdd72a7-3385-48ef-bd42-f606fba81ae7}))"
)
ALL_ACTIONS = (
    "@Resource[Microsoft.Authorization/roleAssignments:RoleDefinitionId] ForAnyOfAnyValues:GuidEquals "
    "{acdd72a7-3385-48ef-bd42-f606fba81ae7}"
)


@dataclass(frozen=True)
class Stage:
    """The cluster of this module, and the rights that callers get around it."""

    azure: EntraAzure
    stored: Stored

    def at_group(self, role: str, condition: str = "") -> Callable[[str], None]:
        """Return a function that gives somebody a role on the cluster's group."""
        return lambda object_id: self.azure.assign(
            object_id, role, self.stored.owner.group_id, kind="User", condition=condition
        )

    def custom(self, scope: str, *actions: str, but: tuple[str, ...] = ()) -> Callable[[str], None]:
        """Return a function that gives somebody a role of their own at a scope."""

        def give(object_id: str) -> None:
            role = self.azure.define_role(f"role of {object_id}", actions, but)
            self.azure.assign(object_id, role, scope, kind="User")

        return give

    def nested(self, object_id: str) -> None:
        """Put somebody into a group in a group with a role."""
        inner = self.azure.group(f"inner-{self.stored.owner.cluster}", object_id)
        outer = self.azure.group(f"outer-{self.stored.owner.cluster}", inner)
        self.azure.assign(outer, "Contributor", self.stored.owner.group_id, kind="Group")

    def denied(self, object_id: str) -> None:
        """Make somebody an Owner, and deny two actions, as only Azure itself can."""
        self.at_group("Owner")(object_id)
        group = self.stored.owner.group_id
        actions = [f"{CLUSTERS}/delete", f"{CLUSTERS}/listAdminCredentials/action"]
        properties = {
            "denyAssignmentName": f"denial of {object_id}",
            "permissions": [{"actions": actions, "notActions": [], "dataActions": [], "notDataActions": []}],
            "scope": group,
            "doNotApplyToChildScopes": False,
            "principals": [{"id": object_id, "type": "User"}],
            "excludePrincipals": [],
            "isSystemProtected": True,
        }
        path = f"{group}{AUTHORIZATION}/denyAssignments/{object_id}"
        document = {"id": path, "name": object_id, "type": DENY_ASSIGNMENTS, "properties": properties}
        with taken(self.azure.state) as inventory:
            (_, other), *_ = inventory.rows("arm_resources", f"{group}{AUTHORIZATION}/roleAssignments/")
            inventory.write("arm_resources", path.lower(), other | document)


def _people(stage: Stage) -> dict[str, Callable[[str], None]]:
    """Return what gives each caller of the table their rights."""
    owner = stage.stored.owner
    without = (f"{CLUSTERS}/delete", f"{CLUSTERS}/listAdminCredentials/action")
    return {
        "Owner": stage.at_group("Owner"),
        "Contributor": stage.at_group("Contributor"),
        "Reader": stage.at_group("Reader"),
        "all but delete and admin": stage.custom(owner.group_id, "Microsoft.RedHatOpenShift/*", but=without),
        "read, at the subscription": stage.custom(stage.azure.subscription, f"{CLUSTERS}/read"),
        "all, on the network only": stage.custom(owner.vnet_id, "*"),
        "Contributor by nested group": stage.nested,
        "Owner, denied delete and admin": stage.denied,
        "condition on other actions": stage.at_group("Contributor", OTHER_ACTIONS),
        "condition on all actions": stage.at_group("Contributor", ALL_ACTIONS),
        "admin credentials only": stage.custom(owner.group_id, f"{CLUSTERS}/listAdminCredentials/action"),
        "nothing": lambda _object_id: None,
    }


def test_azure_rbac_decides_on_each_operation(entra_azure: EntraAzure, stored: Stored) -> None:
    """The rights are those that ARM would see; what a caller may not do gets 403 before anything else is told."""
    _expect(TABLE, entra_azure, stored, _answers)


def test_azure_rbac_decides_on_what_comes_after_a_create(entra_azure: EntraAzure, stored: Stored) -> None:
    """Whoever ends all credentials has to have two rights; whoever asks for one needs not even read the cluster."""
    _expect(LIVING, entra_azure, stored, _answers_of_living)


def _expect(table: str, azure: EntraAzure, stored: Stored, answers: Callable[[Caller, Stored], list[str]]) -> None:
    """Compare a table with what its callers are answered."""
    wanted = table.strip("\n").splitlines()
    rows = wanted[:1]
    people = _people(Stage(azure, stored))
    for line in wanted[1:]:
        who = line.split("  ")[0]
        caller = azure.user(f"{stored.owner.cluster}-{answers.__name__.strip('_').replace('_', '-')}-{len(rows)}")
        people[who](caller.object_id)
        rows.append(_row(wanted[0], who, answers(caller, stored)))
    assert rows == wanted


def _answers(caller: Caller, stored: Stored) -> list[str]:
    """Return what each operation answers, in the order of the table's columns."""
    owner, cluster = stored.owner, stored.owner.cluster_id
    clusters = cluster.rpartition("/")[0]
    of_subscription = f"/subscriptions/{owner.subscription_id}/providers/{CLUSTERS}"
    place = f"{of_subscription.rpartition('/')[0]}/locations/{owner.endpoints['location']}"
    listed = caller.send("GET", of_subscription)
    shown = cluster in [each["id"] for each in listed.json().get("value", [])]
    asked = [
        caller.send("GET", cluster),
        caller.send("GET", clusters),
        listed,
        caller.send("PUT", cluster, WRONG),
        caller.send("PATCH", cluster, WRONG),
        caller.send("DELETE", f"{clusters}/nobody"),
        caller.send("POST", f"{cluster}/listCredentials"),
        caller.send("POST", f"{cluster}/listAdminCredentials"),
        caller.send("GET", f"{place}/operationsstatus/{stored.operation_id}"),
        caller.send("GET", f"{place}/operationresults/{stored.operation_id}"),
    ]
    answers = [str(each.status_code) for each in asked]
    answers[2] += " shown" if shown else " hidden"
    return answers


def _answers_of_living(caller: Caller, stored: Stored) -> list[str]:
    """Return what each request on a cluster that lives answers, in the order of the table's columns."""
    operation, other = f"/operations/{stored.operation_id}", {"If-Match": '"other"'}
    asked: list[tuple[str, str, Any]] = [
        ("GET", "/operations", None),
        ("GET", operation, None),
        ("GET", "/expirations", None),
        ("POST", f"{operation}/cancel", None),
        *(("POST", f"/{action}", None) for action in ("stop", "start", "renew", "revokeCredentials")),
        ("POST", "/requestAdminCredential", {}),
        ("POST", "/dryRun", WRONG),
    ]
    path, own = stored.owner.cluster_id, f"?api-version={OWN_VERSION}"
    return [str(caller.send(method, f"{path}{below}{own}", body, other).status_code) for method, below, body in asked]


def _row(heading: str, who: str, answers: list[str]) -> str:
    """Return a row of the table, with each answer below the first letter of its heading."""
    row = who
    for name, answer in zip(heading.split(), answers, strict=True):
        row = row.ljust(heading.index(f" {name}") + 1) + answer
    return row
