"""Counts what exists, without knowing the product: it reads only the state of the emulated Azure.

Each thing gets a label in which the names that differ between clusters are replaced: `*infra`, `*cluster`, `*id`,
`*account`, `*hash`. `one_cluster.txt` lists the parts of one cluster. Things that exist and are not listed are left
over or doubled; things that are listed and do not exist are missing.
"""

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from demo.customer import Customer
from shared.json_object import Json
from tests.product.integration.service.inventory import ENDED, WORLD, Inventory, taken

Found = Counter[str]

ONE = Counter((Path(__file__).with_name("one_cluster.txt")).read_text(encoding="utf-8").splitlines())
NONE: Found = Counter()

OWN_GROUP = f"/subscriptions/{WORLD.rp_subscription_id}/resourcegroups/{WORLD.rp_resource_group}/"
REGISTRY = f"{WORLD.registry_id}/tokens/".lower()
ZONE = f"{OWN_GROUP}providers/microsoft.network/dnszones/{WORLD.domain}/a/"
ENDPOINTS = f"{OWN_GROUP}providers/microsoft.network/privateendpoints/"
GUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
# Names that Azure and the cluster generate: ids, the router's service, and the ends of the workers' names.
DRAWN = ((GUID, "*guid"), (r"\ba[0-9a-f]{32}", "*hash"), (rf"({WORLD.location}\d)-[a-z0-9]{{5}}", r"\1-*"))
# Calls that make something new. After one has succeeded, it must not be repeated for the same thing.
MADE_ONCE = re.compile(
    r"PUT Microsoft.(Resources/.*|ContainerRegistry/registries/tokens|Network/dnsZones/A|Storage/storageAccounts"
    r"|Compute/virtualMachines|Network/privateEndpoints)|create Billing"
)
CREATED = (201, 202)
SETTLING_SECONDS = 120.0
# Azure keeps the console logs of machines, even deleted ones, as long as the storage account exists.
DIAGNOSTICS = "stored bootdiagnostics-"


def of_cluster(state: Path, customer: Customer, document_id: str, versions: int = 1) -> Found:
    """Count everything that exists of one cluster.

    Args:
        state: folder of the platform.
        customer: owner of the cluster.
        document_id: id of the cluster document, which names secrets, endpoint and billing record even after it is gone.
        versions: how many versions of one secret are allowed: a step that ran twice has written two.
    """
    with taken(state) as inventory:
        document = inventory.cluster(customer)
        labels = [
            *_documents(inventory, customer, document_id),
            *_resources(inventory, customer, document_id),
            *_secrets(inventory, document, document_id, versions),
            *(
                each
                for each in _blobs(state, inventory, customer)
                if document is None or not each.startswith(DIAGNOSTICS)
            ),
        ]
    names = _names(customer, document, document_id)
    return Counter(_label(text, names) for text in labels)


def violations(found: Found, expected: Found) -> list[str]:
    """Return what exists and should not, and what should exist and does not."""
    surplus = [f"{times} too many: {label}" for label, times in (found - expected).items()]
    missing = [f"{times} missing: {label}" for label, times in (expected - found).items()]
    return sorted(surplus + missing)


def orphans(state: Path) -> list[str]:
    """Return what belongs to no cluster, and what still runs though nothing drives it. The platform must be at rest."""
    with taken(state) as inventory:
        clusters = inventory.documents("OpenShiftClusters")
        owners = json.dumps(clusters).lower()
        belongings = {
            "token": [key.removeprefix(REGISTRY) for key, _ in inventory.rows("arm_resources", REGISTRY)],
            "record": [key.rsplit(".", 1)[-1] for key, _ in inventory.rows("arm_resources", ZONE)],
            "private endpoint": [key[-36:] for key, _ in inventory.rows("arm_resources", ENDPOINTS)],
            "secret": [found[0] for name in inventory.secrets("") if (found := re.match(GUID, name))],
            "certificate": [found[0] for name in inventory.certificates("") if (found := re.match(GUID, name))],
            "billing record": [each["id"] for each in inventory.documents("Billing") if _is_open(each)],
            "group": [each["managedBy"].lower() for _, each in inventory.rows("arm_groups") if each["managedBy"]],
        }
        lost = [
            f"{kind} of no cluster: {name}"
            for kind, names in belongings.items()
            for name in names
            if name not in owners
        ]
        return sorted([*lost, *_unended(inventory.all_operations()), *_running(inventory)])


def doubled_calls(calls: Iterable[Json]) -> list[str]:
    """Return the calls in the journal of an operation that made the same thing twice."""
    made = Counter(
        (call["operation"], call["path"].partition("?")[0].lower())
        for call in calls
        if call["status"] in CREATED and MADE_ONCE.fullmatch(call["operation"])
    )
    return [f"made {times} times: {operation} {path}" for (operation, path), times in made.items() if times > 1]


def settled(count: Callable[[], list[str]]) -> list[str]:
    """Return what is still wrong after a moment: a step closes its progress item after the operation has ended."""
    until = time.monotonic() + SETTLING_SECONDS
    while (wrong := count()) and time.monotonic() < until:
        time.sleep(0.2)
    return wrong


def attempts(state: Path, operation_id: str) -> int:
    """Return the number of an operation's attempts."""
    with taken(state) as inventory:
        items = inventory.documents("OperationProgress", operation_id)
    return max((item["attempt"] for item in items), default=1)


def _documents(inventory: Inventory, customer: Customer, document_id: str) -> Iterator[str]:
    """Yield the cluster's items in the service's own database."""
    document = inventory.cluster(customer)
    if document is not None:
        yield f"document {document['openShiftCluster']['properties']['provisioningState']}"
        if "asyncOperationId" in document:
            yield "document that names an operation"
    operations = inventory.operations(customer)
    yield from _unended(operations)
    yield from _running(inventory, {each["id"] for each in operations})
    yield from ("billing record" for each in inventory.billing(document_id) if _is_open(each))


def _unended(operations: Iterable[Json]) -> Iterator[str]:
    for each in operations:
        if each["asyncOperation"]["status"] not in ENDED:
            yield f"operation that has not ended: {each['id']} {each['asyncOperation']['status']}"


def _running(inventory: Inventory, of: set[str] | None = None) -> Iterator[str]:
    """Yield the progress items that never ended although their operations have."""
    ended = {
        each["id"]
        for each in inventory.all_operations()
        if each["asyncOperation"]["status"] in ENDED and (of is None or each["id"] in of)
    }
    for item in inventory.documents("OperationProgress"):
        if item["operationId"] in ended and item["status"] == "Running":
            yield f"step that still runs in an ended operation: {item['step']} attempt {item['attempt']}"


def _is_open(billing: Json) -> bool:
    return not billing["billing"].get("deletionTime")


def _resources(inventory: Inventory, customer: Customer, document_id: str) -> Iterator[str]:
    """Yield the cluster's group with its content, and what it has in the groups of the service and the customer."""
    group = f"/subscriptions/{customer.subscription_id}/resourcegroups/aro-{customer.cluster}"
    for key, document in inventory.rows("arm_groups"):
        if key == group or document["managedBy"].lower() == customer.cluster_id.lower():
            yield f"group {document['name']}"
            yield from (
                f"deployment {found.rsplit('/', 1)[-1]}" for found, _ in inventory.rows("deployments", f"{group}/")
            )
    for key, _ in inventory.rows("arm_resources", f"{group}/"):
        yield key.removeprefix(f"{group}/providers/")
    for key, _ in inventory.rows("arm_resources", OWN_GROUP):
        name = key.removeprefix(f"{OWN_GROUP}providers/")
        if name.endswith(f".{customer.cluster}") or (document_id and document_id in name):
            yield f"own group: {name}"
    for each in inventory.attached(customer):
        yield f"attached {each.rsplit('/', 1)[-1].lower()}"
    for key in inventory.guests(customer):
        yield f"guest {key.rsplit('/', 1)[-1]}"


def _secrets(inventory: Inventory, document: Json | None, document_id: str, versions: int) -> Iterator[str]:
    """Yield what the vault and the registry hold for the cluster."""
    if not document_id:
        return
    for kind, found in (
        ("secret", inventory.secrets(document_id)),
        ("certificate", inventory.certificates(document_id)),
    ):
        for name, each in found.items():
            yield f"{kind} {name}"
            yield from (f"further version of {kind} {name}" for _ in each["versions"][versions:])
    if document is None:
        return
    tokens = {each["username"] for each in document["openShiftCluster"]["properties"].get("registryProfiles", [])}
    yield from (f"token {name}" for name in tokens & set(inventory.tokens()))
    for purpose, identifier in document.get("secrets", {}).items():
        name, version = identifier.rsplit("/", 2)[1:]
        if version not in inventory.secrets(document_id).get(name, {"versions": []})["versions"]:
            yield f"secret {purpose} that the document names and the vault has not"


def _blobs(state: Path, inventory: Inventory, customer: Customer) -> Iterator[str]:
    """Yield the containers and blobs of the cluster's storage accounts that Azurite still holds."""
    path = state / "azurite" / "__azurite_db_blob__.json"
    if not path.exists():
        return
    group = f"/aro-{customer.cluster}/".lower()
    accounts = [name for name, each in inventory.rows("storage_names") if group in json.dumps(each).lower()]
    for collection in json.loads(path.read_text(encoding="utf-8"))["collections"]:
        for row in collection["data"]:
            container = row.get("containerName") or row.get("name", "")
            if any(container.startswith(f"{account}-") for account in accounts):
                blob = row["name"] if "containerName" in row else ""
                yield f"stored {container.partition('-')[2]}/{blob}"


def _names(customer: Customer, document: Json | None, document_id: str) -> list[tuple[str, str]]:
    """Return the names that only this cluster has, longest first, each with its label."""
    names = [(customer.cluster, "*cluster"), (document_id, "*id")]
    if document is not None:
        properties = document["openShiftCluster"]["properties"]
        suffix = properties.get("storageSuffix")
        names += [(properties.get("infraId", ""), "*infra"), (f"cluster{suffix}" if suffix else "", "*account")]
    return sorted(((name, label) for name, label in names if name), key=lambda pair: -len(pair[0]))


def _label(text: str, names: list[tuple[str, str]]) -> str:
    for name, label in names:
        text = text.replace(name, label)
    for pattern, label in DRAWN:
        text = re.sub(pattern, label, text)
    return text
