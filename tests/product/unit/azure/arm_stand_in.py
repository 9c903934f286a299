"""ARM as far as a request reads it: what is assigned to one principal, on top of `FakeAzure`."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import requests.adapters

from shared import cloud, settings
from shared.azure.arm_reads import ArmReads
from shared.azure.rights import Rights
from tests.product.unit.azure_fake import FakeAzure, Reply, Request, send
from tests.product.unit.product_world import ENVIRONMENT

ENDPOINT = "https://management.azure.com"
CALLER = "11111111-2222-3333-4444-555555555555"
STRANGER = "99999999-2222-3333-4444-555555555555"
EVERYONE = "00000000-0000-0000-0000-000000000000"
SUBSCRIPTION = "/subscriptions/dddddddd-0000-0000-0000-000000000001"
GROUP = f"{SUBSCRIPTION}/resourceGroups/desk"
NETWORK = f"{GROUP}/providers/Microsoft.Network/virtualNetworks/vnet"
SUBNET = f"{NETWORK}/subnets/master"
_ROLES, _DENIALS = (
    "/providers/Microsoft.Authorization/roleAssignments",
    "/providers/Microsoft.Authorization/denyAssignments",
)
_DEFINITIONS = "/providers/Microsoft.Authorization/roleDefinitions/"


@dataclass
class Arm:
    """Role assignments and deny assignments, and the calls that asked for them."""

    azure: FakeAzure = field(default_factory=FakeAzure)
    assignments: list[Any] = field(default_factory=list)
    denials: list[Any] = field(default_factory=list)
    through_groups: list[Any] = field(default_factory=list)
    now: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.azure.on("GET", f"{_ROLES}$", lambda request: self._list(request, self.assignments))
        self.azure.on("GET", f"{_DENIALS}$", self._list_denials)

    @property
    def reads(self) -> ArmReads:
        """The product's reads, without a token."""
        return ArmReads(cloud.prompt_client(ENDPOINT), ENDPOINT)

    def rights(self) -> Rights:
        """Return rights on this ARM's clock."""
        return Rights(self.reads, lambda: self.now)

    def define(self, name: str, *permissions: Any) -> str:
        """Define a role, and return its id."""
        role_id = f"{SUBSCRIPTION}{_DEFINITIONS}{name}"
        self.azure.resources[role_id.lower()] = {"id": role_id, "properties": {"permissions": list(permissions)}}
        return role_id

    def assign(self, role_id: Any, scope: Any, **more: Any) -> None:
        """Assign a role to the caller."""
        self.assignments.append({"properties": {"roleDefinitionId": role_id, "scope": scope} | more})

    def deny(self, scope: Any, *actions: Any, **more: Any) -> dict[str, Any]:
        """Deny actions to everyone, or as `more` says."""
        number = len(self.denials)
        document = {
            "id": f"{SUBSCRIPTION}{_DENIALS}/{number}",
            "properties": {
                "scope": scope,
                "permissions": [{"actions": list(actions), "notActions": []}],
                "principals": [{"id": EVERYONE, "type": "SystemDefined"}],
                "excludePrincipals": [],
                "doNotApplyToChildScopes": False,
            }
            | more,
        }
        self.denials.append(document)
        return document

    def asked(self) -> list[str]:
        """Return the last part of each path that was read."""
        return sorted(request.path.rsplit("/", 1)[-1] for request in self.azure.calls)

    def _list(self, request: Request, documents: list[Any]) -> Reply:
        (filter_,) = request.query["$filter"]
        assert filter_.removeprefix("atScope() and ") == f"assignedTo('{CALLER}')"
        assert request.query["api-version"] == ["2022-04-01"]
        return 200, {"value": documents}, {}

    def _list_denials(self, request: Request) -> Reply:
        if request.query.get("$filter", ["atScope()"]) == ["atScope()"]:
            return 200, {"value": self.denials}, {}
        return self._list(request, self.through_groups)


@pytest.fixture
def arm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Arm]:
    """Answer everything that `requests` sends, and give the service its settings."""
    made = Arm()
    for name in settings.table():
        monkeypatch.delenv(name, raising=False)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", lambda _, prepared, **_more: send(made.azure, prepared))
    settings.load.cache_clear()
    yield made
    settings.load.cache_clear()
