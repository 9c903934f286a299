"""Takes rights of the service's identities and of a cluster's principal away, one by one, and gives them back.

The rights are changed in the store of the local Azure, from which every decision reads them, because the tests have no
secret of an identity that could change them through Azure Resource Manager. To take a single action, the assignment
gets a role like the old one without that action.
"""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from emulator.arm.access.roles import COMMON, NETWORK_CONTRIBUTOR, ROLES
from emulator.run.seed import fill
from emulator.run.tables import GRANTS, VAULTS
from tests.faults import census
from tests.faults.scenarios import Scenario
from tests.product.integration.service.inventory import WORLD, Inventory, taken
from tests.product.integration.service.stage import Cluster, begun

Json = dict[str, Any]
ASSIGNMENTS = "/providers/microsoft.authorization/roleassignments/"
DEFINITIONS = "/providers/Microsoft.Authorization/roleDefinitions/"
THE_COMMON = "what contributors have in common"
PATIENCE_SECONDS = 240.0
# An operation that has neither failed nor ended after this time waits for the right; it must continue once it has it.
WAITING_SECONDS = 75.0
BARE = ("InternalServerError", "InternalError")


@dataclass(frozen=True)
class Right:
    """A right that can be taken away.

    Args:
        holder: who has it: "identity", "first-party" or "cluster".
        where: an ARM scope, a vault or a Cosmos account, with names of the world or of the cluster in braces.
        role: GUID of the assigned role; "" for vaults and Cosmos DB.
        without: the actions that are taken away; if empty, the whole role.
        names: a regular expression for what an error must say.
        policy: for a vault, the member that holds the permissions.
    """

    holder: str
    where: str
    role: str
    without: tuple[str, ...]
    names: str
    policy: str = ""

    @property
    def of_one_cluster(self) -> bool:
        """Tell whether only one cluster loses it."""
        return "{vnet}" in self.where


def _of_role(holder: str, where: str, role: str) -> Iterator[tuple[str, str, Right]]:
    found = ROLES[role]
    own = [action for action in found.actions if action not in COMMON]
    place = where.rsplit("/", 1)[-1].strip("{}").replace("_", " ")
    what = f"{found.name} of the {holder} on {place}"
    names = rf"{found.name}|[Pp]ermission|does not have authorization|does not have access"
    yield what, "whole", Right(holder, where, role, (), names)
    if len(own) > 1:
        for action in own:
            namespace = re.escape(action.split("/")[0])
            yield what, f"less {action}", Right(holder, where, role, (action,), f"{namespace}/|{names}")
    if len(own) < len(found.actions):
        yield what, f"less {THE_COMMON}", Right(holder, where, role, COMMON, names)


def _of_vault(where: str, member: str, permissions: tuple[str, ...]) -> Iterator[tuple[str, str, Right]]:
    kind = "certificates" if member == "certificatePolicies" else "secrets"
    for permission in permissions:
        names = rf"{kind}.{{0,40}}{permission}|{permission}.{{0,40}}{kind[:-1]}|[Pp]ermission|access policy"
        right = Right("identity", where, "", (permission,), names, member)
        yield f"policy for {kind} of {where.strip('{}').replace('_', ' ')}", f"less {permission}", right


def _all() -> Iterator[tuple[str, str, Right]]:
    for holder in ("first-party", "cluster"):
        yield from _of_role(holder, "{vnet}", NETWORK_CONTRIBUTOR)
    for grant in GRANTS:
        if grant.who in ("first-party", "identity"):
            yield from _of_role(grant.who, grant.where, grant.role)
    for where, secrets, certificates in VAULTS:
        yield from _of_vault(where, "policies", secrets)
        yield from _of_vault(where, "certificatePolicies", certificates)
    yield (
        "role of the identity on Cosmos DB",
        "whole",
        Right("identity", "{cosmos_account}", "", (), "Cosmos|database|data"),
    )


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
    answer = cluster.send(method, body=body)
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
    """Return what is missing from an error."""
    bare = [f"{method} fails bare: {said}"] if any(f'"{code}"' in said for code in BARE) else []
    return bare or ([] if re.search(right.names, said) else [f"{method} does not name what is missing: {said}"])


@contextmanager
def _lacking(cluster: Cluster, right: Right) -> Iterator[Callable[[], None]]:
    """Take a right away; give a function that gives it back, which is also called at the end."""
    with taken(cluster.azure.state) as inventory:
        kept = list(_take(inventory, cluster, right))

        def give_back() -> None:
            for table, key, document in kept:
                inventory.write(table, key, document)

        try:
            yield give_back
        finally:
            give_back()


def _take(inventory: Inventory, cluster: Cluster, right: Right) -> Iterator[tuple[str, str, Json]]:
    """Take a right away; yield the rows that change, as they were before."""
    where = fill(right.where.replace("{vnet}", cluster.customer.vnet_id), WORLD)
    holder = _object_id(inventory, cluster, right)
    if right.role:
        for key, document in inventory.rows("arm_resources", f"{where}{ASSIGNMENTS}"):
            properties = document["properties"]
            if properties["principalId"] == holder and properties["roleDefinitionId"].endswith(right.role):
                yield "arm_resources", key, document
                inventory.write("arm_resources", key, _lesser(inventory, document, right))
    elif right.policy:
        for key, document in inventory.rows("keyvault_vaults", where):
            yield "keyvault_vaults", key, document
            left = [each for each in document[right.policy][holder] if each not in right.without]
            inventory.write("keyvault_vaults", key, document | {right.policy: document[right.policy] | {holder: left}})
    else:
        for key, document in inventory.rows("cosmos_roles", where):
            yield "cosmos_roles", key, document
            inventory.write("cosmos_roles", key, None)


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
        ((_, vault),) = inventory.rows("keyvault_vaults", WORLD.cluster_vault)
        return str(next(iter(vault["policies"])))
    first_party = WORLD.first_party_client_id
    found = [each for _, each in inventory.rows("entra_service_principals") if each["clientId"] == first_party]
    (own,) = [each for each in found if each["tenantId"] == WORLD.rp_tenant_id]
    return str(own["objectId"])
