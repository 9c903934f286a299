"""The unmodified Azure CLI as a tenant's administrator, and as a person who signs in with name and password."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import jwt
import pytest
from azure.identity import AzureCliCredential
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from emulator import entra, graph
from emulator.arm.access.roles import OWNER
from emulator.arm.models import ArmModel
from emulator.arm.seeding import ensure_role
from emulator.core.clock import Clock
from emulator.core.platform import Platform, Service
from emulator.core.world import World
from emulator.entra.apis import AZURE_CLI
from emulator.entra.models import USER_ADMINISTRATOR, EntraModel
from emulator.run import arm
from shared.json_object import Json
from tests.local_azure import wait_for
from tests.platform_server import free_port, listening, variables

CLI = Path(__file__).resolve().parents[2] / ".venv-az" / "bin"
WORLD = World()
SUBSCRIPTION = f"/subscriptions/{WORLD.subscription_id}"
GROUP = f"{SUBSCRIPTION}/resourceGroups/rg"
NAME, PASSWORD = "ann@customer.onmicrosoft.com", "Passw0rd of Ann"
GRAPH = "https://graph.microsoft.com/v1.0"
API_HOST = "api.example"
ROLE = {
    "id": str(uuid4()),
    "allowedMemberTypes": ["User", "Application"],
    "description": "Operates",
    "displayName": "Operator",
    "isEnabled": True,
    "value": "Operator",
}
SCOPE = {
    "id": str(uuid4()),
    "value": "user_impersonation",
    "type": "User",
    "isEnabled": True,
    "adminConsentDisplayName": "Access",
    "adminConsentDescription": "Access in the user's name.",
}


@dataclass(frozen=True)
class Terminal:
    """A terminal with the CLI; those with other folders are signed in as somebody else."""

    environment: dict[str, str]
    folder: Path

    def az(self, *words: str) -> Any:
        """Run a command; return what it prints, or the message of its failure."""
        environment = self.environment | {"AZURE_CONFIG_DIR": str(self.folder)}
        done = subprocess.run(
            [CLI / "az", *words, "--output", "json"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        if done.returncode:
            return done.stderr
        return json.loads(done.stdout) if done.stdout.strip() else None

    def sign_in(self, *words: str) -> list[Json]:
        """Sign in, as soon as the directory and ARM know what was made last; return the subscriptions."""
        return wait_for(lambda: found if isinstance(found := self.az("login", *words), list) else None, "the sign-in")


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """Run a directory, Graph, ARM and an API that repeats its token; sign in as the tenant's administrator."""
    folder = tmp_path_factory.mktemp("az")
    platform = Platform(tmp_path_factory.mktemp("state"), clock=Clock(100), world=WORLD)
    platform.ports |= {name: free_port() for name in ("arm", "token", "front_end")}
    platform.services += [entra.create(platform), graph.create(platform), arm.create(platform), _api()]
    directory, model = platform.model(EntraModel), platform.model(ArmModel)
    directory.ensure_tenant(WORLD.tenant_id, "Customer", "customer.onmicrosoft.com")
    model.subscriptions.ensure(WORLD.subscription_id, WORLD.tenant_id, "Customer")
    directory.ensure_application(WORLD.owner_client_id, "admin", tenant_id=WORLD.tenant_id, secrets=["of admin"])
    admin = directory.ensure_service_principal(WORLD.tenant_id, WORLD.owner_client_id)
    directory.assign_directory_role(WORLD.tenant_id, WORLD.owner_client_id, USER_ADMINISTRATOR)
    ensure_role(model, SUBSCRIPTION, admin, OWNER)
    with listening(platform, dict.fromkeys(platform.ports.values(), True)) as local, variables(local.environment):
        environment = local.environment | {
            "PATH": f"{CLI}:/usr/bin:/bin",
            "HOME": str(folder),
            "AZURE_CORE_COLLECT_TELEMETRY": "false",
        }
        found = Terminal(environment, folder / "admin")
        signed_in = found.az(
            *("login", "--service-principal", "--username", WORLD.owner_client_id, "--password", "of admin"),
            *("--tenant", WORLD.tenant_id),
        )
        assert [each["id"] for each in signed_in] == [WORLD.subscription_id]
        yield found


def _api() -> Service:
    async def repeat(request: Request) -> Response:
        token = request.headers["authorization"].removeprefix("Bearer ")
        return JSONResponse(jwt.decode(token, options={"verify_signature": False}))

    return Service(
        name="api",
        hosts=(API_HOST,),
        routes=[Route("/claims", repeat, name="GET claims")],
        render=lambda _request, error: Response(error.code, status_code=error.status_code),
    )


def _patch(terminal: Terminal, object_id: str, api: Json) -> Any:
    url = f"{GRAPH}/applications/{object_id}"
    return terminal.az("rest", "--method", "patch", "--url", url, "--body", json.dumps({"api": api}))


@pytest.mark.timeout(900)
def test_a_person_in_a_nested_group_uses_a_registered_application(terminal: Terminal, tmp_path: Path) -> None:
    """From `az ad user create` to `az rest --resource`: what docs and tests of an own API need of the directory."""
    az, person = terminal.az, replace(terminal, folder=tmp_path / "person")

    user = az(
        *("ad", "user", "create", "--display-name", "Ann", "--user-principal-name", NAME, "--password", PASSWORD),
    )["id"]
    inner, outer = (
        az("ad", "group", "create", "--display-name", name, "--mail-nickname", name)["id"]
        for name in ("inner", "outer")
    )
    assert az("ad", "group", "member", "add", "--group", inner, "--member-id", user) is None
    assert az("ad", "group", "member", "add", "--group", outer, "--member-id", inner) is None
    assert az("ad", "user", "list", "--upn", NAME)[0]["id"] == user
    az("group", "create", "--name", "rg", "--location", "eastus")
    az("role", "assignment", "create", "--assignee", outer, "--role", "Contributor", "--scope", GROUP)
    listed = az(
        *("role", "assignment", "list", "--assignee", NAME, "--include-groups", "--include-inherited"),
        *("--scope", GROUP, "--query", "[].[principalType,roleDefinitionName]"),
    )
    assert listed == [["Group", "Contributor"]]

    (tmp_path / "roles.json").write_text(json.dumps([ROLE]))
    app = az(
        *("ad", "app", "create", "--display-name", "clusters", "--sign-in-audience", "AzureADMyOrg"),
        *("--requested-access-token-version", "2", "--app-roles", f"@{tmp_path / 'roles.json'}"),
    )
    app_id, resource = app["appId"], f"api://{app['appId']}"
    assert az("ad", "app", "update", "--id", app_id, "--identifier-uris", resource) is None
    trusted = {"preAuthorizedApplications": [{"appId": AZURE_CLI.client_id, "delegatedPermissionIds": [SCOPE["id"]]}]}
    scopes = {"oauth2PermissionScopes": [SCOPE]}
    assert "cannot be found in the AppPermissions sets" in _patch(terminal, app["id"], scopes | trusted)
    assert _patch(terminal, app["id"], scopes) is None

    signed_in = person.sign_in("--username", NAME, "--password", PASSWORD)
    assert [(each["id"], each["user"]) for each in signed_in] == [
        (WORLD.subscription_id, {"name": NAME, "type": "user"})
    ]
    assert person.az("ad", "signed-in-user", "show")["id"] == user
    # The CLI repeats a failure for a minute without asking again, so each request here is another one.
    token = ("account", "get-access-token", "--resource")
    assert "AADSTS500011" in person.az(*token, f"{resource}/")
    principal = az("ad", "sp", "create", "--id", app_id)["id"]
    assert "AADSTS65001" in person.az(*token, app_id)
    assert _patch(terminal, app["id"], trusted) is None
    body = {"principalId": user, "resourceId": principal, "appRoleId": ROLE["id"]}
    az(
        *("rest", "--method", "post", "--url", f"{GRAPH}/servicePrincipals/{principal}/appRoleAssignedTo"),
        *("--body", json.dumps(body)),
    )
    claims = person.az("rest", "--resource", resource, "--url", f"https://{API_HOST}/claims")
    assert (claims["aud"], claims["ver"], claims["azp"]) == (app_id, "2.0", AZURE_CLI.client_id)
    assert (claims["oid"], claims["preferred_username"]) == (user, NAME)
    assert (claims["scp"], claims["roles"]) == ("user_impersonation", ["Operator"])
    with variables(person.environment | {"AZURE_CONFIG_DIR": str(person.folder)}), AzureCliCredential() as credential:
        found = jwt.decode(credential.get_token(f"{resource}/.default").token, options={"verify_signature": False})
    assert found["oid"] == user

    assert [each["name"] for each in person.az("group", "list")] == ["rg"]
    assert az("ad", "app", "delete", "--id", app_id) is None
    assert "does not exist" in az("ad", "sp", "show", "--id", app_id)
    assert az("ad", "group", "member", "remove", "--group", inner, "--member-id", user) is None
    assert person.az("group", "list") == []
    assert az("ad", "user", "delete", "--id", NAME) is None


@pytest.mark.timeout(900)
def test_a_service_principal_locks_and_deny_assignments_by_command(terminal: Terminal, tmp_path: Path) -> None:
    """`az ad sp create-for-rbac`, `az lock`, `az role deny-assignment`."""
    az, robot = terminal.az, replace(terminal, folder=tmp_path / "robot")
    az("group", "create", "--name", "rg", "--location", "eastus")
    assert az("ad", "sp", "create-for-rbac", "--name", "plain")["appId"]
    made = az("ad", "sp", "create-for-rbac", "--name", "robot", "--role", "Contributor", "--scopes", GROUP)
    own = ("--service-principal", "--username", made["appId"], "--password", made["password"])
    assert [each["id"] for each in robot.sign_in(*own, "--tenant", made["tenant"])] == [WORLD.subscription_id]

    lock = az("lock", "create", "--name", "keep", "--lock-type", "CanNotDelete", "--resource-group", "rg")
    for where in ((), ("--resource-group", "rg")):
        assert [each["id"] for each in az("lock", "list", *where)] == [lock["id"]]
    assert "(ScopeLocked)" in robot.az("group", "delete", "--name", "rg", "--yes")
    assert az("lock", "delete", "--name", "keep", "--resource-group", "rg") is None

    object_id = az("ad", "sp", "show", "--id", made["appId"])["id"]
    denial = az(
        *("role", "deny-assignment", "create", "--scope", GROUP, "--name", "no deletion"),
        *("--actions", "Microsoft.Resources/subscriptions/resourceGroups/delete"),
        *("--principal-object-id", object_id, "--principal-type", "ServicePrincipal"),
    )["id"]
    mine = f"atScope() and assignedTo('{object_id}')"
    assert [each["id"] for each in az("role", "deny-assignment", "list", "--scope", GROUP, "--filter", mine)] == [
        denial
    ]
    assert "(DenyAssignmentAuthorizationFailed)" in robot.az("group", "delete", "--name", "rg", "--yes")
    assert az("role", "deny-assignment", "delete", "--id", denial, "--yes") is None
    assert robot.az("group", "delete", "--name", "rg", "--yes", "--no-wait") is None


@pytest.mark.timeout(900)
def test_a_group_is_governed_by_command(terminal: Terminal, tmp_path: Path) -> None:
    """`az policy`, `az tag`, `az network vnet peering` and `az monitor activity-log`."""
    az = terminal.az
    az("group", "create", "--name", "governed", "--location", "eastus")
    group = f"{SUBSCRIPTION}/resourceGroups/governed"
    (tmp_path / "rule.json").write_text(
        json.dumps({"if": {"field": "tags['owner']", "exists": False}, "then": {"effect": "deny"}})
    )
    az("policy", "definition", "create", "--name", "owned", "--rules", f"{tmp_path / 'rule.json'}", "--mode", "Indexed")
    assert "owned" in [each["name"] for each in az("policy", "definition", "list")]
    made = az("policy", "assignment", "create", "--name", "owned", "--policy", "owned", "--scope", group)
    assert made["policyDefinitionId"].endswith("/policyDefinitions/owned")
    network = ("network", "vnet", "create", "--resource-group", "governed")
    near = (*network, "--name", "near", "--address-prefixes", "10.0.0.0/16")
    assert "(RequestDisallowedByPolicy)" in az(*near)
    az(*near, "--tags", "owner=us")
    assert [each["name"] for each in az("policy", "assignment", "list", "--resource-group", "governed")] == ["owned"]
    assert az("policy", "assignment", "delete", "--name", "owned", "--scope", group) is None
    assert az("policy", "definition", "delete", "--name", "owned") is None

    vnet = f"{group}/providers/Microsoft.Network/virtualNetworks"
    az("tag", "update", "--resource-id", f"{vnet}/near", "--operation", "Merge", "--tags", "stage=test")
    assert az("tag", "list", "--resource-id", f"{vnet}/near")["properties"]["tags"] == {"owner": "us", "stage": "test"}
    az("tag", "create", "--resource-id", group, "--tags", "team=one")
    assert az("group", "show", "--name", "governed")["tags"] == {"team": "one"}
    assert "TooManyTags" in az("tag", "create", "--resource-id", group, "--tags", *(f"t{n}=" for n in range(51)))
    assert az("tag", "delete", "--resource-id", group, "--yes") is None

    az(*network, "--name", "far", "--address-prefixes", "10.1.0.0/16")
    peering = ("network", "vnet", "peering")
    for one, other in (("near", "far"), ("far", "near")):
        where = ("--resource-group", "governed", "--vnet-name", one)
        az(*peering, "create", *where, "--name", "pair", "--remote-vnet", other, "--allow-vnet-access")
    here = ("--resource-group", "governed", "--vnet-name", "near")
    assert [each["peeringState"] for each in az(*peering, "list", *here)] == ["Connected"]
    az(
        "network",
        "vnet",
        "update",
        "--resource-group",
        "governed",
        "--name",
        "far",
        "--address-prefixes",
        "10.1.0.0/16",
        "10.2.0.0/16",
    )
    assert az(*peering, "show", *here, "--name", "pair")["peeringSyncLevel"] == "LocalNotInSync"
    assert az(*peering, "sync", *here, "--name", "pair")["peeringSyncLevel"] == "FullyInSync"
    assert az(*peering, "delete", *here, "--name", "pair") is None

    failed = az(
        "monitor", "activity-log", "list", "--resource-group", "governed", "--status", "Failed", "--offset", "1h"
    )
    assert "RequestDisallowedByPolicy" in str(failed)
    found = az("monitor", "activity-log", "list", "--correlation-id", failed[0]["correlationId"])
    assert {each["status"]["value"] for each in found} == {"Started", "Failed"}
    assert "90 days in the past" in az("monitor", "activity-log", "list", "--start-time", "2020-01-01")
