"""Takes rights of the service's identities and of a cluster's principal away, one by one, and gives them back.

The rights are those that `infra/` grants and those that customers grant on their networks. They are changed in the
store of the local Azure, from which every decision reads them. To take a single action, a custom role loses it, or an
assignment of a built-in role gets a role like the old one without that action.
"""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from emulator.arm.access.roles import NETWORK_CONTRIBUTOR, ROLES
from shared.json_object import Json
from tests.faults.checks import census
from tests.faults.scenarios import Scenario
from tests.product.integration.service.inventory import WORLD, Inventory, taken
from tests.product.integration.service.stage import PATIENCE_SECONDS, Cluster, begun

INFRA = Path(__file__).resolve().parents[2] / "infra"
ASSIGNMENTS = "/providers/microsoft.authorization/roleassignments/"
DEFINITIONS = "/providers/Microsoft.Authorization/roleDefinitions/"
THE_COMMON = "what contributors have in common"
COMMON = tuple(action for action in ROLES[NETWORK_CONTRIBUTOR].actions if action != "Microsoft.Network/*")
# An operation that has neither failed nor ended after this time waits for the right; it must continue once it has it.
WAITING_SECONDS = 200.0
BARE = ("InternalServerError", "InternalError")
# Customers assign Network Contributor instead.
BY_CUSTOMERS = "OpenShift provider: network"


@dataclass(frozen=True)
class Right:
    """A right that can be taken away.

    Args:
        holder: who has it: "identity", "first-party" or "cluster".
        role: GUID of a built-in role, or the name of a custom role; "" for Cosmos DB.
        without: the actions that are taken away; if empty, the whole role.
        names: a regular expression for what an error must say.
        where: the resource on which a built-in role is assigned: "vnet", or the output of `infra/service.json` with the
            name of a vault; "" for a custom role, which loses the action wherever it is assigned.
    """

    holder: str
    role: str
    without: tuple[str, ...]
    names: str
    where: str = ""

    @property
    def of_one_cluster(self) -> bool:
        """Tell whether only one cluster loses it."""
        return self.where == "vnet"


def _on_networks(holder: str) -> Iterator[tuple[str, str, Right]]:
    """Yield what customers grant: the whole role, and each part of it that has a meaning."""
    found = ROLES[NETWORK_CONTRIBUTOR]
    what = f"{found.name} of the {holder} on vnet"
    names = rf"{found.name}|[Pp]ermission|does not have authorization|does not have access"
    yield what, "whole", Right(holder, NETWORK_CONTRIBUTOR, (), names, "vnet")
    yield what, f"less {THE_COMMON}", Right(holder, NETWORK_CONTRIBUTOR, COMMON, names, "vnet")


def _of_infra() -> Iterator[tuple[str, str, Right]]:
    """Yield each action of the custom roles of a hosted service."""
    roles = json.loads((INFRA / "subscription.json").read_text(encoding="utf-8"))["variables"]["roles"]
    for role in roles:
        if role["name"] != BY_CUSTOMERS:
            for action in role["actions"] + role.get("arm", []):
                right = Right("first-party", role["name"], (action,), re.escape(action))
                yield role["name"], f"less {action}", right


def _of_vaults() -> Iterator[tuple[str, str, Right]]:
    """Yield the roles of the app's identity on the vaults."""
    for where, role in (
        ("serviceVault", "Key Vault Secrets User"),
        ("clusterVault", "Key Vault Secrets Officer"),
        ("clusterVault", "Key Vault Certificates Officer"),
    ):
        guid = next(guid for guid, known in ROLES.items() if known.name == role)
        yield f"{role} of the identity", "whole", Right("identity", guid, (), "vaults?/|[Pp]ermission|Vault", where)


def _all() -> Iterator[tuple[str, str, Right]]:
    for holder in ("first-party", "cluster"):
        yield from _on_networks(holder)
    yield from _of_infra()
    yield from _of_vaults()
    yield "role of the identity on Cosmos DB", "whole", Right("identity", "", (), "Cosmos|database|data")


RIGHTS = {(what, way): right for what, way, right in _all()}


def run_without(scenario: Scenario, cluster: Cluster) -> tuple[float, list[str]]:
    """Create and delete a cluster without a right; return how long the create took, and what was wrong.

    Each request must fail and say what is missing, or wait until the right is given back, or not need it.
    """
    right = RIGHTS[scenario.what, scenario.way]
    gaps: list[str] = []
    began = time.monotonic()
    with _lacking(cluster, right) as give_back:
        gaps += _attempt(cluster, "PUT", cluster.body, right, give_back)
    seconds = time.monotonic() - began
    document_id = _document_id(cluster)
    if document_id:
        with _lacking(cluster, right) as give_back:
            gaps += _attempt(cluster, "DELETE", None, right, give_back)
    if _document_id(cluster):
        cluster.succeed(cluster.delete(), PATIENCE_SECONDS)

    def count() -> list[str]:
        found = census.of_cluster(cluster.azure.state, cluster.customer, document_id)
        return census.violations(found, census.NONE)

    return seconds, [*gaps, *census.settled(count)]


def _document_id(cluster: Cluster) -> str:
    with taken(cluster.azure.state) as inventory:
        document = inventory.cluster(cluster.customer)
    return "" if document is None else str(document["id"])


def _attempt(
    cluster: Cluster, method: str, body: Json | None, right: Right, give_back: Callable[[], None]
) -> list[str]:
    """Send a request without a right; return what is wrong with its result."""
    log = cluster.azure.state / "logs" / "functions.log"
    begin = log.stat().st_size
    answer = cluster.send_once(method, body=body)
    if answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
        # Rights of the service's own identity are the operator's business, and operators read the log.
        return _gaps(method, log.read_bytes()[begin:].decode(), right)
    if answer.status_code not in (200, 201, 202):
        return _gaps(method, answer.text, right)
    operation_id = begun(answer)
    with taken(cluster.azure.state) as inventory:
        until = time.monotonic() + WAITING_SECONDS
        while not inventory.has_ended(operation_id) and time.monotonic() < until:
            time.sleep(0.1)
        waits = not inventory.has_ended(operation_id)
    give_back()
    ended = cluster.wait(operation_id, PATIENCE_SECONDS)
    if ended["status"] == "Succeeded":
        return []
    if waits:
        return [f"{method} waited, but did not go on when it had the right again: {ended}"]
    return _gaps(method, json.dumps(ended["error"]), right)


def _gaps(method: str, said: str, right: Right) -> list[str]:
    """Return what is missing from an error. Azure ignores the case of actions."""
    bare = [f"{method} fails bare: {said}"] if any(f'"{code}"' in said for code in BARE) else []
    return bare or (
        [] if re.search(right.names, said, re.IGNORECASE) else [f"{method} does not name what is missing: {said}"]
    )


@contextmanager
def _lacking(cluster: Cluster, right: Right) -> Iterator[Callable[[], None]]:
    """Take a right away; give a function that gives it back, which is also called at the end.

    Raises:
        LookupError: nobody has the right, so its loss would show nothing.
    """
    with taken(cluster.azure.state) as inventory:
        kept = list(_take(inventory, cluster, right))
        if not kept:
            raise LookupError(f"nobody has {right}")

        def give_back() -> None:
            for table, key, document in kept:
                inventory.write(table, key, document)

        try:
            yield give_back
        finally:
            give_back()


def _take(inventory: Inventory, cluster: Cluster, right: Right) -> Iterator[tuple[str, str, Json]]:
    """Take a right away; yield the rows that change, as they were before."""
    if not right.role:
        account, _ = inventory.service.database
        for key, document in inventory.rows("cosmos_role_assignments", account):
            yield "cosmos_role_assignments", key, document
            inventory.write("cosmos_role_assignments", key, None)
    elif right.where:
        yield from _take_assignment(inventory, cluster, right)
    else:
        yield from _take_action(inventory, right)


def _take_action(inventory: Inventory, right: Right) -> Iterator[tuple[str, str, Json]]:
    """Take an action out of a custom role."""
    for key, document in inventory.rows("arm_resources", f"/subscriptions/{WORLD.rp_subscription_id}{DEFINITIONS}"):
        properties = document["properties"]
        if properties["roleName"].startswith(f"{right.role} ("):
            yield "arm_resources", key, document
            (permission,) = properties["permissions"]
            left = [action for action in permission["actions"] if action not in right.without]
            lesser = properties | {"permissions": [permission | {"actions": left}]}
            inventory.write("arm_resources", key, document | {"properties": lesser})


def _take_assignment(inventory: Inventory, cluster: Cluster, right: Right) -> Iterator[tuple[str, str, Json]]:
    """Take the assignment of a built-in role away, or give it a lesser role."""
    if right.of_one_cluster:
        where = cluster.customer.vnet_id
    else:
        group, _, _ = inventory.service.site.partition("/providers/")
        where = f"{group}/providers/Microsoft.KeyVault/vaults/{inventory.service.outputs[right.where]}"
    holder = _object_id(inventory, cluster, right)
    for key, document in inventory.rows("arm_resources", f"{where}{ASSIGNMENTS}"):
        properties = document["properties"]
        if properties["principalId"] == holder and properties["roleDefinitionId"].endswith(right.role):
            yield "arm_resources", key, document
            inventory.write("arm_resources", key, _lesser(inventory, document, right))


def _lesser(inventory: Inventory, assignment: Json, right: Right) -> Json | None:
    """Return the assignment with a role like the old one without some actions; None if the whole role goes."""
    if not right.without:
        return None
    properties = assignment["properties"]
    subscription = "/".join(assignment["id"].split("/")[:3])
    lesser = f"{subscription}{DEFINITIONS}{uuid5(NAMESPACE_URL, f'{right.role} without {right.without}')}"
    permission = ROLES[right.role].permission()
    permission["actions"] = [action for action in permission["actions"] if action not in right.without]
    role = {"roleName": "lesser", "type": "CustomRole", "assignableScopes": ["/"], "permissions": [permission]}
    inventory.write("arm_resources", lesser.lower(), {"id": lesser, "type": "roleDefinition", "properties": role})
    return assignment | {"properties": properties | {"roleDefinitionId": lesser}}


def _object_id(inventory: Inventory, cluster: Cluster, right: Right) -> str:
    """Return the object id of a right's holder; the service has a principal in each of two tenants."""
    endpoints = cluster.azure.endpoints
    if right.holder == "cluster":
        return str(cluster.customer.principal["object_id"])
    if right.of_one_cluster:
        return str(endpoints["rp_object_id"])
    if right.holder == "identity":
        return str(inventory.service.outputs["identity"])
    first_party = WORLD.first_party_client_id
    found = [each for _, each in inventory.rows("entra_service_principals") if each["clientId"] == first_party]
    (own,) = [each for each in found if each["tenantId"] == WORLD.rp_tenant_id]
    return str(own["objectId"])
