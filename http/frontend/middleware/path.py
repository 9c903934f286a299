"""Checks of the path, one for each parameter that a route may have, in the order of the table."""

import re
from collections.abc import Callable

from frontend.messages import Call, Handler, Reply
from shared.arm.errors import NAMESPACE, RESOURCE_TYPE, CloudError, ErrorCode, shown
from shared.arm.names import is_valid_name, same_location
from shared.arm.resource_id import is_uuid
from shared.bundles.archive import DIGEST_LENGTH
from shared.phase_documents.schemas import NAME

Check = Callable[[str, str], bool]

_NAME = "1 to 90 letters, digits, '-', '_', '(', ')' or '.', the last no '.'"
_DIGEST = re.compile(rf"[0-9a-f]{{{DIGEST_LENGTH}}}")
_SITE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_DECLARED = re.compile(NAME["pattern"])
_ROW = re.compile(r"[a-z][a-z0-9_]{0,99}")
_FILE = re.compile(r"[a-z][a-z-]*\.[a-z]+")
_DRY_RUN = re.compile(r"[a-z]{1,20}-(.*)")
_UUID = "a UUID such as 00000000-0000-0000-0000-000000000000"

# Parameter: its name for people, its rule (of the value and of this region), status and code, and what it must be.
_IN_BUNDLE = (
    lambda value, _: len(value) <= NAME["maxLength"] and bool(_DECLARED.fullmatch(value)),
    400,
    ErrorCode.INVALID_PARAMETER,
    f"1 to {NAME['maxLength']} letters, digits, '-', '_' or '.', with a letter or digit at both ends",
)

PATH_CHECKS: dict[str, tuple[str, Check, int, ErrorCode, str]] = {
    "subscriptionId": (
        "subscription id",
        lambda value, _: is_uuid(value),
        400,
        ErrorCode.INVALID_SUBSCRIPTION_ID,
        _UUID,
    ),
    "resourceGroupName": (
        "resource group name",
        lambda value, _: is_valid_name(value),
        404,
        ErrorCode.RESOURCE_GROUP_NOT_FOUND,
        _NAME,
    ),
    "resourceProviderNamespace": (
        "resource provider",
        lambda value, _: value == NAMESPACE.lower(),
        400,
        ErrorCode.INVALID_RESOURCE_NAMESPACE,
        f"'{NAMESPACE}'",
    ),
    "resourceType": (
        "resource type",
        lambda value, _: value == RESOURCE_TYPE.lower(),
        400,
        ErrorCode.INVALID_RESOURCE_TYPE,
        f"'{RESOURCE_TYPE}'",
    ),
    "resourceName": (
        "cluster name",
        lambda value, _: is_valid_name(value),
        404,
        ErrorCode.RESOURCE_NOT_FOUND,
        _NAME,
    ),
    "location": (
        "location",
        same_location,
        400,
        ErrorCode.INVALID_LOCATION,
        "'{region}', the region that this service is deployed in",
    ),
    "operationId": (
        "operation id",
        lambda value, _: is_uuid(value),
        400,
        ErrorCode.INVALID_OPERATION_ID,
        _UUID,
    ),
    "dryRunId": (
        "dry run id",
        lambda value, _: bool((found := _DRY_RUN.fullmatch(value)) and is_uuid(found[1])),
        400,
        ErrorCode.INVALID_PARAMETER,
        "the one in the answer to the request that has begun it",
    ),
    "siteName": (
        "site name",
        lambda value, _: bool(_SITE.fullmatch(value)),
        400,
        ErrorCode.INVALID_PARAMETER,
        "1 to 63 letters, digits or '-', with a letter or digit at both ends",
    ),
    "phaseName": ("phase name", *_IN_BUNDLE),
    "planName": ("plan name", *_IN_BUNDLE),
    "clusterName": ("cluster name", *_IN_BUNDLE),
    "rowName": (
        "row name",
        lambda value, _: bool(_ROW.fullmatch(value)),
        400,
        ErrorCode.INVALID_PARAMETER,
        "a name such as deploy_network_template",
    ),
    "portalFile": (
        "file",
        lambda value, _: bool(_FILE.fullmatch(value)),
        404,
        ErrorCode.NOT_FOUND,
        "a file of the page",
    ),
    "digest": (
        "digest",
        lambda value, _: bool(_DIGEST.fullmatch(value)),
        400,
        ErrorCode.INVALID_PARAMETER,
        "the SHA-256 of the archive, in hexadecimal",
    ),
}


def path(call: Call, handle: Handler) -> Reply:
    """Check every parameter of the request's path that the route has.

    Raises:
        CloudError: for the first parameter that breaks its rule.
    """
    check_parameters(call)
    return handle(call)


def check_parameters(call: Call) -> None:
    """Check the parameters of the path in a call, as the middleware does.

    Raises:
        CloudError: for the first parameter that breaks its rule.
    """
    for name, (what, is_right, status, code, wanted) in PATH_CHECKS.items():
        value = call.parameters.get(name)
        if value is None:
            continue
        region, given = call.services.settings.location, call.request.parameters[name]
        # In lower case, letters of other alphabets may become ASCII, such as the Kelvin sign.
        if not (given.isascii() and is_right(value, region)):
            must = wanted.format(region=region)
            raise CloudError(
                status, code, f"The {what} '{shown(given)}' in the path is invalid: it must be {must}.", name
            )
