"""`infra/subscription.json` in one's own subscription: whoever acts for the service may assign one role, and no other."""

import json
from typing import Any
from uuid import uuid4

import pytest
from azure.core.exceptions import HttpResponseError
from azure.mgmt.authorization import AuthorizationManagementClient
from azure.mgmt.authorization.v2022_04_01.models import RoleAssignmentCreateParameters
from azure.mgmt.resource.deployments.models import Deployment, DeploymentParameter, DeploymentProperties

from emulator.arm.access.roles import CONTRIBUTOR, OWNER
from emulator.run.tools import REPOSITORY
from tests.emulator.integration.deployments.stage import Stage

TEMPLATE: Any = json.loads((REPOSITORY / "infra" / "subscription.json").read_text(encoding="utf-8"))


def test_the_service_assigns_contributor_to_service_principals_and_nothing_else(stage: Stage) -> None:
    """The condition of its role says so, to a write as to a delete. A second deployment changes nothing."""
    acting, credential = stage.principal()
    given = {"callers": "entra", "principalId": acting.object_id, "serviceGroup": stage.group()}
    parameters = {name: DeploymentParameter(value=value) for name, value in given.items()}
    properties = DeploymentProperties(mode="Incremental", template=TEMPLATE, parameters=parameters)
    client = stage.client()
    for _ in range(2):
        body = Deployment(location="eastus", properties=properties)
        client.deployments.begin_create_or_update_at_subscription_scope("aro-rp-roles", body).result()
    group = f"/subscriptions/{stage.subscription_id}/resourceGroups/{stage.group()}"
    stranger, _ = stage.principal()
    _, owner = stage.principal(OWNER)
    with (
        AuthorizationManagementClient(credential, stage.subscription_id) as roles,
        AuthorizationManagementClient(owner, stage.subscription_id) as everything,
    ):
        assigned = roles.role_assignments.create(
            group, str(uuid4()), _assignment(stage, CONTRIBUTOR, stranger.object_id)
        )
        for role, kind in ((OWNER, "ServicePrincipal"), (CONTRIBUTOR, "User")):
            with pytest.raises(HttpResponseError, match="AuthorizationFailed"):
                roles.role_assignments.create(
                    group, str(uuid4()), _assignment(stage, role, str(uuid4()), principal_type=kind)
                )
        theirs = everything.role_assignments.create(group, str(uuid4()), _assignment(stage, OWNER, stranger.object_id))
        with pytest.raises(HttpResponseError, match="AuthorizationFailed"):
            roles.role_assignments.delete_by_id(str(theirs.id))
        roles.role_assignments.delete_by_id(str(assigned.id))


def _definitions(stage: Stage) -> str:
    return f"/subscriptions/{stage.subscription_id}/providers/Microsoft.Authorization/roleDefinitions"


def _assignment(
    stage: Stage, role: str, principal_id: str, *, principal_type: str = "ServicePrincipal"
) -> RoleAssignmentCreateParameters:
    return RoleAssignmentCreateParameters(
        role_definition_id=f"{_definitions(stage)}/{role}", principal_id=principal_id, principal_type=principal_type
    )
