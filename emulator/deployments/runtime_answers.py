"""The answers to `reference` and `list*` while a deployment runs.

The evaluation of expressions is synchronous, and calls on resources must be awaited. So a question without an answer
interrupts the evaluation; the answer is fetched, and the evaluation is repeated, which is safe as it has no effects.
"""

from collections.abc import Callable, Collection
from http import HTTPStatus
from typing import Any, TypeVar

from emulator.arm.exceptions import resource_not_found
from emulator.arm.forwarding import provider_calls
from emulator.arm.models import ArmModel
from emulator.core.clock import rfc3339
from emulator.core.store import Document
from emulator.deployments.exceptions import DEPLOYMENT_NOT_FOUND, NOT_SUPPORTED, RESOURCE_GROUP_NOT_FOUND
from emulator.deployments.groups_and_deployments import ACTIONS, RESOURCE_GROUPS, identify, kind_of
from emulator.deployments.journal_entries import journaled
from emulator.deployments.language.expression_error import ExpressionError
from emulator.deployments.records import Records, render_deployment
from emulator.deployments.templates.graph import Directory
from emulator.entra.models import Principal

Result = TypeVar("Result")

# A question: `reference` or the action's name, the id of the resource, the api-version, and the body as text.
Question = tuple[str, str, str, str]

# Members of a resource that `reference(…, 'Full')` returns.
FULL_MEMBERS = ("apiVersion", "location", "sku", "kind", "tags", "plan", "identity", "zones", "managedBy", "properties")


class _UnansweredError(Exception):
    """An evaluation asked a question that has no answer yet."""

    def __init__(self, question: Question, body: Any) -> None:
        super().__init__(question)
        self.question = question
        self.body = body


class Facts:
    """The runtime of expressions while a deployment runs.

    Args:
        arm: the resources.
        records: the deployments.
        caller: who deploys; must be allowed to read the resources that the template refers to.
        directory: the resources of the template; expressions may name them and leave out the api-version.
        record: document of the deployment.
        racing: lower-case ids of the resources of the template that are not awaited. Azure makes them at the same time,
            so those that did not exist before the deployment are not found, however fast they are.
    """

    def __init__(  # noqa: PLR0917 - what a template can ask for, and on whose behalf
        self,
        arm: ArmModel,
        records: Records,
        caller: Principal,
        directory: Directory,
        record: Document,
        racing: Collection[str] = (),
    ) -> None:
        self._arm = arm
        self._record, self._racing = record, racing
        self._records = records
        self._caller = caller
        self._directory = directory
        self._answers: dict[Question, Any] = {}

    async def evaluate(self, work: Callable[["Facts"], Result]) -> Result:
        """Return the result of `work`, after fetching all that it asks for.

        Raises:
            ServiceError: a resource does not exist, or the caller may not read it or call its action.
            ExpressionError: an expression cannot be evaluated.
        """
        while True:
            try:
                return work(self)
            except _UnansweredError as unanswered:
                self._answers[unanswered.question] = await self._fetch(unanswered.question, unanswered.body)

    def reference(self, identifier: str, api_version: str | None, *, full: bool) -> Any:
        """Return a resource's properties, or the resource if `full`."""
        target, version = self._target(identifier, api_version)
        resource = self._answer(("reference", target, version, ""), None)
        if not full:
            return resource.get("properties", {})
        parsed = identify(target)
        shown = {member: resource[member] for member in FULL_MEMBERS if member in resource}
        return shown | {
            "apiVersion": version,
            "subscriptionId": parsed.subscription_id,
            "resourceGroupName": parsed.resource_group,
            "resourceId": parsed.type + "/" + parsed.full_name,
        }

    def list_action(self, name: str, identifier: str, api_version: str, body: Any) -> Any:
        """Return the answer of a resource's `list*` action."""
        target, version = self._target(identifier, api_version)
        return self._answer((name, target, version, repr(body)), body)

    def _target(self, identifier: str, api_version: str | None) -> tuple[str, str]:
        found = self._directory.by_identifier(identifier)
        target = found.id if found is not None else identifier
        try:
            identify(target)
        except ValueError as error:
            raise ExpressionError(f"'{identifier}' is neither a resource of the template nor a resource id.") from error
        return target, api_version or (found.api_version if found is not None else "")

    def _answer(self, question: Question, body: Any) -> Any:
        if question not in self._answers:
            raise _UnansweredError(question, body)
        return self._answers[question]

    async def _fetch(self, question: Question, body: Any) -> Any:
        name, target, api_version, _ = question
        kind = identify(target).type
        is_read = name == "reference"
        with journaled(
            self._arm.platform,
            f"GET {kind}" if is_read else f"POST {kind}/{name}",
            f"{target}{'' if is_read else f'/{name}'}?api-version={api_version}",
            caller=self._caller.name,
            correlation_id=self._record["correlationId"],
        ) as reply:
            answer = await self._ask(question, body)
            reply.status = HTTPStatus.OK
        return answer

    async def _ask(self, question: Question, body: Any) -> Any:
        name, target, api_version, _ = question
        parsed = identify(target)
        kind = kind_of(parsed)
        if kind:
            return self._own(name, kind, target)
        if self._arm.front_door.serves(parsed):
            if name == "reference":
                return await provider_calls.get(self._arm, self._caller, target, api_version)
            return await provider_calls.action(self._arm, self._caller, target, api_version, name)
        if self._is_new(self._arm.load(parsed)) and self._races(target):
            raise resource_not_found(parsed)
        if name != "reference":
            return await self._arm.action(self._caller, target, api_version, name, body)
        row = self._arm.row(parsed, api_version)
        self._arm.authorize(self._caller, f"{row.name}/read", target)
        resource = self._arm.get_resource(target, api_version)
        if resource is None:
            raise resource_not_found(parsed)
        return resource

    def _own(self, name: str, kind: str, target: str) -> Document:
        """Return a deployment or a resource group, which ARM keeps itself."""
        if name != "reference":
            raise NOT_SUPPORTED(f"the function '{name}' of {kind}")
        self._arm.authorize(self._caller, f"{ACTIONS[kind]}/read", target)
        parsed = identify(target)
        if kind == RESOURCE_GROUPS:
            group = self._arm.resource_group(parsed.subscription_id, parsed.name)
            known = self._arm.groups.find(parsed.subscription_id, parsed.name)
            if group is None or (self._is_new(known) and self._races(target)):
                raise RESOURCE_GROUP_NOT_FOUND(parsed.name)
            return group
        record = self._records.get(target)
        if record is None or (record.get("parentRunId") == self._record["runId"] and self._races(target)):
            raise DEPLOYMENT_NOT_FOUND(parsed.name)
        return render_deployment(record, rfc3339(self._arm.clock.now()))

    def _races(self, target: str) -> bool:
        """Tell whether a resource, or one that contains it, is made at the same time as the one that refers to it."""
        return any(f"{target.lower()}/".startswith(f"{key}/") for key in self._racing)

    def _is_new(self, stored: Document | None) -> bool:
        """Tell whether a resource did not exist before the deployment began."""
        return stored is None or str(stored["created"]) >= self._record["startTime"]
