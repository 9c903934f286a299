"""The resource type of policy assignments: the definitions that may be assigned, and their parameters."""

from emulator.arm.access.policies import ASSIGNMENTS, BUILT_IN, definition_name
from emulator.arm.resources import Change, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Required
from emulator.core.errors import ServiceError

VERSIONS = (
    "2018-05-01",
    "2019-01-01",
    "2019-06-01",
    "2019-09-01",
    "2020-03-01",
    "2020-09-01",
    "2021-06-01",
    "2022-06-01",
    "2023-04-01",
    "2024-04-01",
    "2024-05-01",
    "2025-01-01",
    "2025-03-01",
)


def _prepare(change: Change) -> None:
    """Check that the definition of an assignment is a known one, and that its parameter has a value."""
    properties = change.properties
    definition = BUILT_IN.get(definition_name(properties["policyDefinitionId"]))
    if definition is None:
        raise ServiceError(
            400,
            "PolicyDefinitionNotFound",
            f"The policy assignment '{change.id.name}' create request is invalid. Policy definition "
            f"'{properties['policyDefinitionId']}' could not be found. The local Azure knows these: "
            f"{', '.join(f'{guid} ({known.name})' for guid, known in BUILT_IN.items())}.",
        )
    if "value" not in (properties.get("parameters") or {}).get(definition.parameter, {}):
        raise ServiceError(
            400,
            "MissingPolicyParameter",
            f"The policy assignment '{change.id.name}' is missing the parameter(s) '{definition.parameter}' as defined "
            f"in the policy definition '{definition_name(properties['policyDefinitionId'])}'. Please either provide the values "
            "or assign default values for these parameters.",
        )
    properties["scope"] = change.id.scope
    properties.setdefault("enforcementMode", "Default")


POLICY_ASSIGNMENTS = ResourceType(
    name=ASSIGNMENTS,
    api_versions=VERSIONS,
    members={"identity": object, "sku": object},
    properties={
        "displayName": str,
        "description": str,
        "policyDefinitionId": Required(str),
        "scope": READ_ONLY,
        "notScopes": [str],
        "parameters": object,
        "metadata": object,
        "enforcementMode": Choice(("Default", "DoNotEnforce")),
        "nonComplianceMessages": object,
    },
    name_pattern=r"[^<>*%&:?+/\\]{1,64}",
    has_state=False,
    prepare=_prepare,
    answers_deleted=True,
)
