"""The request to deploy or validate: the envelope around template and parameters."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from emulator.core.errors import ServiceError
from emulator.deployments import exceptions
from emulator.deployments.records import NAME
from emulator.entra.models import Principal

# The members of `properties` that the local Azure accepts.
PROPERTIES = ("mode", "template", "parameters", "debugSetting", "validationLevel")


@dataclass(frozen=True)
class Request:
    """A request to deploy or validate a template.

    Args:
        caller: who asks.
        subscription_id: subscription of the group.
        group: name of the resource group.
        name: name of the deployment.
        body: body of the request.
        source: the body as text; errors name its lines and columns.
        correlation_id: correlation id of the request.
    """

    caller: Principal
    subscription_id: str
    group: str
    name: str
    body: Any
    source: str
    correlation_id: str


def read_properties(request: Request) -> dict[str, Any]:
    """Return the `properties` of a request.

    Raises:
        ServiceError: 400 for an invalid name or body, and for members and modes that are unknown or not supported.
    """
    if not NAME.fullmatch(request.name):
        raise ServiceError(
            400,
            "InvalidDeploymentName",
            f"The deployment name '{request.name}' is not valid: it has 1 to 64 letters, digits, or characters of "
            "'-', '.', '_', '(' and ')'.",
        )
    body = request.body
    if not isinstance(body, dict) or not isinstance(body.get("properties"), dict):
        raise exceptions.invalid_content("The deployment has no 'properties'.")
    if "location" in body:
        raise ServiceError(
            400,
            "InvalidDeployment",
            f"The 'location' property is not allowed for '{request.name}' at resource group scope. "
            "Please see https://aka.ms/deploy-to-subscription for usage details.",
        )
    unknown = next((member for member in body if member not in ("properties", "tags")), None)
    if unknown is not None:
        raise exceptions.invalid_content(f"Could not find member '{unknown}' on object of type 'Deployment'.")
    tags = body.get("tags") or {}
    if not isinstance(tags, dict) or not all(isinstance(value, str) for value in tags.values()):
        raise exceptions.invalid_content("The 'tags' of the deployment are not an object of strings.")
    properties: dict[str, Any] = body["properties"]
    _check_properties(properties)
    return properties


def _check_properties(properties: Mapping[str, Any]) -> None:
    for member, value in properties.items():
        if member not in PROPERTIES and value is not None:
            raise exceptions.not_supported(f"the member '{member}' of deployments")
    mode = properties.get("mode")
    if not isinstance(mode, str) or mode.lower() not in ("incremental", "complete"):
        raise exceptions.invalid_content(f"The deployment mode '{mode}' is neither 'Incremental' nor 'Complete'.")
    if mode.lower() == "complete":
        raise exceptions.not_supported("deployments in mode Complete")
    if not isinstance(properties.get("parameters", {}), dict | None):
        raise exceptions.invalid_content("The 'parameters' of the deployment are not an object.")
    if properties.get("template") is None:
        raise ServiceError(
            400,
            "InvalidDeployment",
            "The request to deploy has no 'template'; links to templates are not read by the local Azure.",
        )
