"""Virtual machines: checks a PUT, creates a machine's disks, and deletes what goes with the machine."""

from typing import Any
from uuid import uuid4

from emulator.arm.ids import parse_resource
from emulator.arm.operations import Outcome
from emulator.arm.resources import Change, Reads, Writes
from emulator.compute import diagnostics, disks, exceptions, galleries, images, operating_systems, power, sizes
from emulator.compute.agreements import Agreements
from emulator.compute.images import BootImage
from emulator.compute.placement import check_size, only_zone
from emulator.compute.quotas import Quotas, of_machine
from emulator.compute.sizes import Size
from emulator.core.clock import rfc3339
from emulator.json_object import Json
from emulator.openshift.guests import Guests

DELETE_SECONDS = 24
ENCRYPTION_AT_HOST = "Microsoft.Compute/EncryptionAtHost"
# Secrets, which no answer shows: the path in `properties`, and whether the value may change.
_SECRETS: tuple[tuple[tuple[str, ...], bool], ...] = (
    (("osProfile", "customData"), False),
    (("osProfile", "adminPassword"), False),
    (("userData",), True),
)


def prepare(change: Change) -> None:
    """Check a virtual machine, and complete what its body leaves out.

    Raises:
        ServiceError: Azure would refuse the machine, with this code.
    """
    properties, existing = change.properties, change.existing
    if existing is not None:
        _check_kept(change)
    _require(properties)
    zone = only_zone(change)
    size = check_size(change.location, properties["hardwareProfile"]["vmSize"], zone)
    properties["hardwareProfile"]["vmSize"] = size.name
    _check_encryption(change, size)
    _prepare_guest(change)
    image = _image(change)
    if image is not None and existing is None:
        _check_fit(change, size, image)
    _check_interfaces(change)
    diagnostics.prepare(change)
    demand = disks.prepare(change, image)
    demand.update(of_machine(size))
    change.arm.platform.model(Quotas).check(change.id.subscription_id, change.location, str(change.id), demand)
    before = existing["properties"] if existing is not None else {}
    properties["vmId"] = before.get("vmId") or str(uuid4())
    properties["timeCreated"] = before.get("timeCreated") or rfc3339(change.arm.clock.now())
    change.body["private"] = _private(change, size)


async def stored(arm: Writes, machine: Json) -> None:
    """Create the missing disks, record the usage of quotas, and boot the machine if it is due."""
    disks.make_missing(arm, machine)
    size_name = machine["properties"]["hardwareProfile"]["vmSize"]
    arm.platform.model(Quotas).take(
        machine["id"].split("/")[2], machine["location"], machine["id"], of_machine(_known_size(size_name))
    )
    power.boot_if_due(arm, machine)


async def removed(arm: Writes, machine: Json) -> None:
    """Remove a machine's guest and usage, and begin to delete the disks and interfaces that go with it."""
    arm.platform.model(Guests).deleted(machine["id"])
    arm.platform.model(Quotas).release(machine["id"].split("/")[2], machine["location"], machine["id"])
    properties = machine["properties"]
    leaving = [disk["managedDisk"]["id"] for disk in disks.of_machine(properties) if disk["deleteOption"] == "Delete"]
    leaving += [
        interface["id"]
        for interface in properties["networkProfile"]["networkInterfaces"]
        if interface.get("properties", {}).get("deleteOption") == "Delete"
    ]
    for identifier in leaving:
        document = arm.load(identifier)
        if document is None or document.get("pending", {}).get("kind") == "delete":
            continue
        row = arm.types[document["type"].lower()]
        await row.removed(arm, document)
        operation = arm.operations.begin("delete", document["id"], DELETE_SECONDS + row.delete_seconds)
        arm.documents.mark(document, operation)


def outcome(arm: Reads, machine: Json) -> Outcome:
    """Return how far provisioning is: in Azure, a machine counts as created once its agent has reported."""
    return arm.platform.model(Guests).provisioning(machine["id"])  # type: ignore[return-value]  # one of the two words


def _require(properties: Json) -> None:
    for path in ("hardwareProfile.vmSize", "storageProfile.osDisk", "networkProfile.networkInterfaces"):
        profile, _, member = path.partition(".")
        if not properties.get(profile):
            raise exceptions.MISSING(profile)
        if not properties[profile].get(member):
            raise exceptions.MISSING(path)


def _check_encryption(change: Change, size: Size) -> None:
    """Refuse encryption at host for a size without it, and for a subscription that has not registered the feature."""
    if not change.properties.get("securityProfile", {}).get("encryptionAtHost"):
        return
    if not size.encrypts_at_host:
        raise exceptions.ENCRYPTION_NOT_SUPPORTED(size.name)
    known = change.arm.subscriptions.features(change.id.subscription_id)
    states = {feature["name"].lower(): feature["state"] for feature in known}
    if states.get(ENCRYPTION_AT_HOST.lower()) != "Registered":
        raise exceptions.FEATURE_NOT_ENABLED(path="securityProfile.encryptionAtHost", feature=ENCRYPTION_AT_HOST)


def _check_kept(change: Change) -> None:
    """Refuse changes of what a machine keeps for life; fill in what the body leaves out."""
    existing = change.existing or {}
    before: Json = existing["properties"]
    given_keys, known_keys = _keys(change.properties), _keys(before)
    if given_keys and given_keys != known_keys:
        raise exceptions.CHANGE_NOT_ALLOWED("linuxConfiguration.ssh.publicKeys")
    for secret, may_change in _SECRETS:
        given, known = _at(change.properties, secret), existing["private"].get(secret[-1])
        if given is not None and given != known and not may_change:
            raise exceptions.CHANGE_NOT_ALLOWED(".".join(secret))
    for profile in ("osProfile", "hardwareProfile", "storageProfile", "networkProfile"):
        if profile in before:
            change.properties.setdefault(profile, before[profile])
    image = before["storageProfile"].get("imageReference")
    if image is not None:
        change.properties["storageProfile"].setdefault("imageReference", image)


def _at(document: Json, path: tuple[str, ...]) -> Any:
    found: Any = document
    for member in path:
        found = found.get(member) if isinstance(found, dict) else None
    return found


def _keys(properties: Json) -> list[str]:
    """Return the SSH keys that a machine's properties name."""
    found = _at(properties, ("osProfile", "linuxConfiguration", "ssh", "publicKeys")) or ()
    return [str(key.get("keyData", "")) for key in found]


def _image(change: Change) -> BootImage | None:
    """Return the image that the machine is created from; None if it gets an existing disk."""
    storage = change.properties["storageProfile"]
    if storage["osDisk"]["createOption"] == "Attach":
        return None
    reference = storage.get("imageReference")
    if not reference:
        raise exceptions.MISSING("imageReference")
    if reference.get("id"):
        reference["exactVersion"] = reference["id"].rpartition("/")[2]
        return galleries.resolve(change, reference["id"])
    image, exact = images.resolve(reference)
    reference["exactVersion"] = exact
    return image.boot(str(reference["sku"]))


def _check_fit(change: Change, size: Size, image: BootImage) -> None:
    """Check that a new machine's size boots the image, and that its plan is named and accepted."""
    if image.generation not in size.generations:
        raise exceptions.GENERATION(size=size.name, generation=image.generation[1:])
    if not set(image.controllers) & set(size.controllers):
        raise exceptions.DISK_CONTROLLER(size.name)
    if not image.plan:
        return
    if not change.body.get("plan"):
        raise exceptions.PLAN_MISSING(str(change.id))
    if not change.arm.platform.model(Agreements).accepted(change.id.subscription_id, dict(image.plan)):
        raise exceptions.TERMS_NOT_ACCEPTED(
            publisher=image.plan["publisher"], offer=image.plan["product"], subscription=change.id.subscription_id
        )


def _prepare_guest(change: Change) -> None:
    properties = change.properties
    if properties["storageProfile"]["osDisk"]["createOption"] == "Attach":
        return
    if not properties.get("osProfile"):
        raise exceptions.MISSING("osProfile")
    operating_systems.prepare(properties["osProfile"], change.id.name, is_new=change.existing is None)


def _check_interfaces(change: Change) -> None:
    """Check that no other machine uses the network interfaces, and that exactly one of several is the primary."""
    interfaces = change.properties["networkProfile"]["networkInterfaces"]
    for interface in interfaces:
        holders = change.arm.holders(interface["id"])
        for holder in holders:
            if parse_resource(holder).type.lower() == disks.MACHINES_NAME.lower() and holder.lower() != change.id.key:
                raise exceptions.INTERFACE_IN_USE(interface_id=interface["id"], machine_id=holder)


def _private(change: Change, size: Size) -> Json:
    """Take the secrets out of the body; return them with the power state that the machine is to have."""
    existing = change.existing
    private: Json = {"power": power.STARTING} if existing is None else dict(existing["private"])
    for path, _ in _SECRETS:
        holder = _at(change.properties, path[:-1])
        if holder and path[-1] in holder:
            private[path[-1]] = holder.pop(path[-1])
    if existing is not None:
        resized = existing["properties"]["hardwareProfile"]["vmSize"] != size.name
        if resized and private["power"] == power.RUNNING:
            private["power"] = power.RESTARTING
    return private


def _known_size(name: str) -> Size:
    found = sizes.find(name)
    if found is None:
        raise LookupError(f"{name} was accepted and is not a size")
    return found
