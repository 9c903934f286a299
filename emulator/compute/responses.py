"""The endpoints of Microsoft.Compute that are not generic to all resources."""

import re
from collections.abc import Sequence

from starlette.responses import Response

from emulator.arm import exceptions as arm_exceptions
from emulator.arm.call import Call, answer, page
from emulator.arm.groups import LOCATIONS, normal_location
from emulator.arm.ids import parse_resource
from emulator.arm.responses import resources
from emulator.compute import diagnostics, exceptions, images, views
from emulator.compute.quotas import Quotas
from emulator.json_object import Json

_FILTER = re.compile(r"\s*location\s+eq\s+'([^']*)'\s*", re.IGNORECASE)


async def list_skus(call: Call) -> Response:
    """GET skus, of all regions or of the one that `$filter` names."""
    _enter(call, "Microsoft.Compute/skus/read")
    locations = places_of(call.request.query_params.get("$filter", ""))
    return page(call, [sku for location in locations for sku in views.skus(location)])


def places_of(text: str) -> Sequence[str]:
    """Return the regions that a `$filter` names: one, or all if it is empty.

    Raises:
        ServiceError: 400 for any other filter.
    """
    found = _FILTER.fullmatch(text)
    if text and found is None:
        raise exceptions.UNKNOWN_FILTER(text)
    return LOCATIONS if found is None else [place for place in LOCATIONS if place == normal_location(found[1])]


async def list_usages(call: Call) -> Response:
    """GET usages of a region."""
    location = _location(call, "usages")
    return page(call, list(call.arm.platform.model(Quotas).usages(call.params["subscription_id"], location)))


async def list_image_versions(call: Call) -> Response:
    """GET the versions of a marketplace image, of which there is one: each fitting version exists, but only by name."""
    location = _location(call, "publishers/artifacttypes/offers/skus/versions")
    _, version = images.resolve({**call.params, "version": images.LATEST})
    return answer([_artifact(location, call.path, version)])


async def get_image_version(call: Call) -> Response:
    """GET a version of a marketplace image."""
    location = _location(call, "publishers/artifacttypes/offers/skus/versions")
    image, version = images.resolve(call.params)
    boot = image.boot(call.params["sku"])
    properties: Json = {
        "hyperVGeneration": boot.generation,
        "architecture": "x64",
        "features": [{"name": "DiskControllerTypes", "value": ", ".join(boot.controllers)}],
        "osDiskImage": {"operatingSystem": "Linux"},
        "dataDiskImages": [],
    }
    if boot.plan:
        properties["plan"] = boot.plan
    return answer(_artifact(location, call.path.rpartition("/")[0], version) | {"properties": properties})


def _artifact(location: str, collection: str, name: str) -> Json:
    return {"location": location, "name": name, "id": f"{collection}/{name}"}


async def get_machine(call: Call) -> Response:
    """GET a virtual machine, with its instance view if `$expand` asks for it."""
    response = await resources.serve(call)
    stored = call.arm.load(call.path)
    if call.request.query_params.get("$expand", "").lower() != "instanceview" or stored is None:
        return response
    await diagnostics.write(call.arm.platform, stored)
    shown = call.arm.render(stored)
    shown["properties"]["instanceView"] = views.instance_view(stored, call.arm.platform.clock.now())
    return answer(shown)


async def get_instance_view(call: Call) -> Response:
    """GET the instance view of a virtual machine."""
    identifier = parse_resource(call.path.rpartition("/")[0])
    row = call.arm.row(identifier, call.api_version)
    _enter(call, f"{row.name}/instanceView/read", str(identifier))
    stored = call.arm.load(identifier)
    if stored is None:
        raise arm_exceptions.resource_not_found(identifier)
    await diagnostics.write(call.arm.platform, stored)
    return answer(views.instance_view(stored, call.arm.platform.clock.now()))


def _location(call: Call, what: str) -> str:
    _enter(call, f"Microsoft.Compute/locations/{what}/read")
    return region_of(call.params["location"], call.api_version, what)


def region_of(text: str, version: str, what: str) -> str:
    """Return the name of the region in the path of a list.

    Raises:
        ServiceError: 400 for a region that does not exist.
    """
    location = normal_location(text)
    if location not in LOCATIONS:
        raise exceptions.REGION_NOT_FOUND(location=location, version=version, kind=f"locations/{what}", known=LOCATIONS)
    return location


def _enter(call: Call, action: str, scope: str = "") -> None:
    subscription_id = call.params["subscription_id"]
    call.arm.subscriptions.for_caller(subscription_id, call.caller)
    call.arm.authorize(call.caller, action, scope or f"/subscriptions/{subscription_id}")
    call.arm.subscriptions.require_registered(subscription_id, "Microsoft.Compute")
