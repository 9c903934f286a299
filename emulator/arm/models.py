"""The state and rules of Azure Resource Manager: requests and deployments reach resources only through this model."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

from starlette.routing import Route

from emulator.arm import exceptions
from emulator.arm.access.authorization import AuthorizationModel
from emulator.arm.access.conditions import Facts
from emulator.arm.activity import ActivityLog
from emulator.arm.documents import HIDDEN, Documents
from emulator.arm.forwarding.front_door import FrontDoor
from emulator.arm.groups import ResourceGroups, render_group
from emulator.arm.ids import ResourceId, parse, parse_resource
from emulator.arm.operations import Operations, Outcome, ResourceOperation
from emulator.arm.policy import locks
from emulator.arm.provider import manifest
from emulator.arm.provider.exceptions import invalid_registration
from emulator.arm.provider.identity import ArmIdentity
from emulator.arm.provider.registration import ProviderRegistration
from emulator.arm.resources import ProviderAction, ResourceType
from emulator.arm.subscriptions import Subscriptions
from emulator.arm.writes import actions, group_removal, removal, resource_put
from emulator.arm.writes.guards import Conditions
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.entra.models import Principal
from emulator.json_object import Json

__all__ = ["ArmModel", "Conditions", "ResourceOperation"]


class ArmModel:
    """Resources, resource groups and subscriptions, with the checks that Azure makes."""

    def __init__(
        self,
        platform: Platform,
        types: Sequence[ResourceType],
        provider_actions: Sequence[ProviderAction],
        provided: Mapping[str, Mapping[str, Sequence[str]]],
    ) -> None:
        self.platform = platform
        self.clock = platform.clock
        self.types = {row.name.lower(): row for row in types}
        self.provider_actions = {row.name.lower(): row for row in provider_actions}
        versions: dict[str, dict[str, Sequence[str]]] = {
            namespace: dict(known) for namespace, known in provided.items()
        }
        for row in types:
            namespace, _, kind = row.name.partition("/")
            versions.setdefault(namespace, {})[kind] = row.api_versions
        self.registration = ProviderRegistration(platform)
        self.subscriptions = Subscriptions(platform, versions, self.registration)
        self.operations = Operations(platform, self._outcome)
        self.activity = ActivityLog(platform)
        self.activity.enders.append(self.operations.ended)
        self.documents = Documents(platform, self.operations)
        self.groups = ResourceGroups(platform, self.documents)
        self.identity = ArmIdentity(platform)
        self.authorization = AuthorizationModel(platform, self.registration)
        self.front_door = FrontDoor(platform, self)
        self.routes: list[Route] = []
        self.resumes: list[Callable[[], Awaitable[None]]] = []

    # For other services

    def add_routes(self, routes: Sequence[Route]) -> None:
        """Add the routes of another service (deployments) before the generic routes of this host."""
        self.routes[:0] = routes

    def on_start(self, resume: Callable[[], Awaitable[None]]) -> None:
        """Call `resume` when the platform starts."""
        self.resumes.append(resume)

    def client_certificate(self) -> tuple[bytes, bytes]:
        """Return the certificate and key, as PEM, that ARM presents to resource providers."""
        return self.identity.client_certificate()

    def register_provider(self, document: Any) -> Json:
        """Register the resource provider, in place of an earlier registration; return the registration.

        A provider at another address has heard of no subscription, so ARM tells it of all that have registered it.

        Args:
            document: `{"endpoint": "https://<host>", "manifest": {...}}`.

        Raises:
            ServiceError: 400 for a bad registration, or one that names a role definition that does not exist.
        """
        read = manifest.read(document)
        for authorization in read["manifest"]["providerAuthorizations"]:
            for member in ("roleDefinitionId", "managedByRoleDefinitionId"):
                role = authorization.get(member)
                if role is not None and self.authorization.role_definition(role) is None:
                    raise invalid_registration([f"The {member} '{role}' is not a role definition that exists."])
        moved = self.registration.host not in ("", manifest.host_of(read["endpoint"]))
        self.registration.put(read)
        if moved:
            self.subscriptions.tell_again(manifest.SYSTEM_NAMESPACE)
        return read

    def authorize(self, caller: Principal, action: str, scope: str, facts: Facts | None = None) -> None:
        """Check that the caller may perform an action on a scope, and that no lock stops it.

        Raises:
            ServiceError: 403 `AuthorizationFailed` or `DenyAssignmentAuthorizationFailed`; 409 `ScopeLocked`.
        """
        self.authorization.authorize(caller, action, scope, facts)
        locks.check(self, action, scope)

    def resource_group(self, subscription_id: str, name: str) -> Json | None:
        """Return a resource group as GET answers it, or None."""
        found = self.groups.find(subscription_id, name)
        return None if found is None else render_group(found)

    # Types

    def resource_type(self, name: str) -> ResourceType | None:
        """Return the row of a type (`Microsoft.Network/virtualNetworks`, any case) or None."""
        return self.types.get(name.lower())

    def row(self, identifier: ResourceId, api_version: str) -> ResourceType:
        """Return the row of a resource's type, and check that the type supports this api-version.

        Raises:
            ServiceError: 400 for a namespace or type that is not emulated, or another version.
        """
        self.subscriptions.canonical(identifier.namespace)
        row = self.types.get(identifier.type.lower())
        if row is None:
            raise exceptions.NOT_EMULATED(f"the resource type '{identifier.type}'")
        if api_version.lower() not in row.api_versions:
            raise exceptions.NO_REGISTERED_PROVIDER(
                location=self.platform.world.location, version=api_version, kind=row.name, supported=row.api_versions
            )
        return row

    # Reading

    def load(self, identifier: ResourceId | str) -> Json | None:
        """Return the stored document of a resource, or None."""
        return self.documents.load(str(identifier))

    def absent(self, identifier: ResourceId) -> ServiceError:
        """Return the error for a resource that does not exist: ARM misses the top-level one, its provider the rest."""
        row = self.resource_type(identifier.type)
        if row is None or (identifier.parent is not None and self.load(identifier.root) is None):
            return exceptions.resource_not_found(identifier.root)
        return row.absent(identifier)

    def as_written(self, resource_id: str) -> Json | None:
        """Return the document of a resource as the last write left it, or None."""
        return self.documents.as_written(resource_id)

    def holders(self, target: str) -> list[str]:
        """Return the ids of the existing resources that refer to a target."""
        return [holder for holder in self.documents.references.holders(target) if self.load(holder) is not None]

    def scan(self, prefix: str, type_name: str = "") -> Iterator[Json]:
        """Yield the documents whose ids begin with a prefix; with a type name, only those of that type."""
        return self.documents.scan(prefix, type_name)

    def get_resource(self, resource_id: str, _api_version: str, /) -> Json | None:
        """Return a resource as GET answers it, or None, without an access check."""
        try:
            found = self.load(parse_resource(resource_id))
        except ValueError:
            return None
        return None if found is None else self.render(found)

    def render(self, stored: Json) -> Json:
        """Return a stored resource as GET answers it."""
        row = self.types[stored["type"].lower()]
        properties = stored["properties"] | row.render(self, stored)
        for member, child_type in row.inline.items():
            prefix = f"{stored['id']}/{child_type.rsplit('/', 1)[-1]}/"
            children = sorted(self.scan(prefix, child_type), key=lambda child: int(child.get("position", 0)))
            properties[member] = [self.render(child) for child in children]
        if row.has_state:
            pending = stored.get("pending", {"kind": "none"})
            properties["provisioningState"] = {
                "none": "Failed" if "failure" in stored else "Succeeded",
                "delete": "Deleting",
                "put": row.writing_state,
            }[pending["kind"]]
        etag = row.write_etag(stored["etag"])
        shown = {name: value for name, value in stored.items() if name not in HIDDEN and name != "etag"}
        shown |= row.shown(self, stored)
        return shown | {"properties": properties} | ({"etag": etag} if etag else {})

    # Writing

    async def put_resource(
        self,
        caller: Principal,
        resource_id: str,
        api_version: str,
        body: Any,
        conditions: Conditions | None = None,
    ) -> ResourceOperation:
        """Create or replace a resource: see `resource_put.put`."""
        return await resource_put.put(self, caller, resource_id, api_version, body, conditions)

    async def delete_resource(
        self, caller: Principal, resource_id: str, api_version: str, conditions: Conditions | None = None
    ) -> ResourceOperation:
        """Delete a resource; a resource that does not exist counts as deleted: see `removal.delete`."""
        return await removal.delete(self, caller, resource_id, api_version, conditions)

    async def delete_group(
        self, subscription_id: str, name: str, caller: Principal | None = None, correlation_id: str = ""
    ) -> Json:
        """Begin to delete a group with its contents; return the operation: see `group_removal.begin`."""
        return await group_removal.begin(self, subscription_id, name, caller, correlation_id)

    async def begin_action(
        self, caller: Principal, resource_id: str, api_version: str, action: str, body: Json
    ) -> ResourceOperation:
        """Begin an action: see `actions.begin`."""
        return await actions.begin(self, caller, resource_id, api_version, action, body)

    async def action(self, caller: Principal, resource_id: str, api_version: str, action: str, body: Json) -> Json:
        """Run an action such as `listKeys` or `listAccountSas` to its end; return its answer.

        Raises:
            ServiceError: as for `actions.begin`.
        """
        return await self.wait(await self.begin_action(caller, resource_id, api_version, action, body))

    async def wait(self, operation: ResourceOperation) -> Json:
        """Wait until the operation ends; return the resource, an action's answer, or {} after a delete.

        Raises:
            ServiceError: the operation failed.
        """
        found = self.operations.get(operation.operation_id) if operation.operation_id else None
        if found is None:
            return operation.body
        await self.operations.wait(found)
        if found["kind"] == "action":
            return found["result"] or {}
        return self.get_resource(operation.resource_id, operation.api_version) or {}

    def _outcome(self, operation: Json) -> Outcome:
        """Return whether the condition that a write waits for, beyond its duration, is met."""
        if parse(operation["resourceId"]) is None:
            return "waiting"  # The deletion of a group: `group_removal` ends it.
        stored = self.documents.as_written(operation["resourceId"])
        if stored is None or stored.get("pending", {}).get("kind") == "delete":
            return exceptions.OPERATION_PREEMPTED()
        row = self.types[stored["type"].lower()]
        return "done" if row.outcome is None else row.outcome(self, stored)
