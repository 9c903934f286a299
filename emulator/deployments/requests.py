"""The request to deploy or validate: the envelope around template and parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emulator.arm.groups import normal_location
from emulator.deployments import exceptions
from emulator.deployments.language.expression_error import UndeterminedError
from emulator.deployments.language.values import Unknown
from emulator.deployments.records import NAME
from emulator.entra.models import Principal

# The members of `properties` that the local Azure accepts.
PROPERTIES = ("mode", "template", "parameters", "debugSetting", "validationLevel", "expressionEvaluationOptions")
SCOPES = ("notspecified", "outer", "inner")
FORMATS = ("FullResourcePayloads", "ResourceIdOnly")


@dataclass(frozen=True)
class Request:
    """A request to deploy or validate a template.

    Args:
        caller: who asks.
        subscription_id: the subscription to deploy to, or that of the group.
        group: name of the resource group to deploy to; "" for the subscription itself.
        name: name of the deployment.
        body: body of the request.
        correlation_id: correlation id of the request.
        parent_run_id: id of the run whose template contains this deployment; "" for a caller's own request.
        secrets: secure values of the outer templates, which nothing may show.
    """

    caller: Principal
    subscription_id: str
    group: str
    name: str
    body: Any
    correlation_id: str
    parent_run_id: str = ""
    secrets: Sequence[Any] = ()


def read_properties(request: Request) -> dict[str, Any]:
    """Return the `properties` of a request.

    Raises:
        ServiceError: 400 for an invalid name or body, and for members and modes that are unknown or not supported.
    """
    if not NAME.fullmatch(request.name):
        raise exceptions.INVALID_NAME(request.name)
    body = request.body
    if not isinstance(body, dict) or not isinstance(body.get("properties"), dict):
        raise exceptions.INVALID_CONTENT("The deployment has no 'properties'.")
    read_location(request)
    unknown = next((member for member in body if member not in ("properties", "tags", "location")), None)
    if unknown is not None:
        raise exceptions.INVALID_CONTENT(f"Could not find member '{unknown}' on object of type 'Deployment'.")
    tags = body.get("tags") or {}
    if not isinstance(tags, dict) or not all(isinstance(value, str | Unknown) for value in tags.values()):
        raise exceptions.INVALID_CONTENT("The 'tags' of the deployment are not an object of strings.")
    properties: dict[str, Any] = body["properties"]
    _check_properties(properties)
    return properties


def read_location(request: Request) -> str:
    """Return where a deployment to a subscription is stored; "" for one to a group, which has no location.

    Raises:
        ServiceError: 400 for a location that is missing, that is not one, or that a deployment to a group gives.
        UndeterminedError: the location of a nested deployment is not known yet.
    """
    location = request.body.get("location")
    if isinstance(location, Unknown):
        raise UndeterminedError(request.name)
    if request.group:
        if "location" in request.body:
            raise exceptions.LOCATION_NOT_ALLOWED(request.name)
        return ""
    if not location or not isinstance(location, str):
        raise exceptions.LOCATION_MISSING(request.name)
    return normal_location(location)


def read_format(request: Request) -> str:
    """Return `properties.whatIfSettings.resultFormat` of a request for what-if, and remove the settings from the body.

    Raises:
        ServiceError: 400 for settings that do not exist.
    """
    properties = request.body.get("properties") if isinstance(request.body, dict) else None
    settings = properties.pop("whatIfSettings", None) if isinstance(properties, dict) else None
    settings = {} if settings is None else settings
    if not isinstance(settings, dict) or settings.keys() - {"resultFormat"}:
        raise exceptions.INVALID_CONTENT("The 'whatIfSettings' can only contain 'resultFormat'.")
    wanted = settings.get("resultFormat") or FORMATS[0]
    found = next((name for name in FORMATS if name.lower() == str(wanted).lower()), None)
    if found is None:
        raise exceptions.INVALID_CONTENT(f"The result format '{wanted}' is not one of '{', '.join(FORMATS)}'.")
    return found


def _check_properties(properties: Mapping[str, Any]) -> None:
    for member, value in properties.items():
        if member not in PROPERTIES and value is not None:
            raise exceptions.NOT_SUPPORTED(f"the member '{member}' of deployments")
    mode = properties.get("mode")
    if not isinstance(mode, str) or mode.lower() not in ("incremental", "complete"):
        raise exceptions.INVALID_CONTENT(f"The deployment mode '{mode}' is neither 'Incremental' nor 'Complete'.")
    if mode.lower() == "complete":
        raise exceptions.NOT_SUPPORTED("deployments in mode Complete")
    options = properties.get("expressionEvaluationOptions") or {}
    if not isinstance(options, dict) or str(options.get("scope") or "outer").lower() not in SCOPES:
        raise exceptions.INVALID_CONTENT(f"The 'expressionEvaluationOptions' have no 'scope' of '{', '.join(SCOPES)}'.")
    if not isinstance(properties.get("parameters", {}), dict | None):
        raise exceptions.INVALID_CONTENT("The 'parameters' of the deployment are not an object.")
    if properties.get("template") is None:
        raise exceptions.NO_TEMPLATE()
