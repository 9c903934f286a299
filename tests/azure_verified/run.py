"""The true Azure as a target of cases: one resource group, and the answers that differ from the local Azure's."""

import io
import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Self

import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.identity import DefaultAzureCredential
from azure.mgmt.resource.resources import ResourceManagementClient

from tests.emulator.unit.rules.examples import EXAMPLES
from tests.emulator.unit.rules.generated_cases import Case
from tests.emulator.unit.rules.stage import Stage, closure, costly
from tests.emulator.unit.rules.targets import Answer

REGION = "eastus"
# How long to wait between two polls of an operation whose answers do not say it, in seconds.
POLLING_SECONDS = 5


@dataclass(frozen=True)
class Difference:
    """A case to which Azure gives another answer than the local Azure."""

    case: str
    local: Answer
    azure: Answer

    def __str__(self) -> str:
        return " | ".join(("", self.case, _shown(self.local), _shown(self.azure), self.azure.message, "")).strip()


def _shown(answer: Answer) -> str:
    return f"{answer.status} {answer.code}".strip()


class AzureTarget:
    """One resource group of the true Azure.

    Args:
        subscription_id: the subscription.
        name: name of the group.
        say: shows a line to whoever runs the tests.
    """

    def __init__(self, subscription_id: str, name: str, say: Callable[[str], None]) -> None:
        self._say = say
        self.subscription = f"/subscriptions/{subscription_id}"
        self.group = f"{self.subscription}/resourceGroups/{name}"
        self.name = name
        self._client = ResourceManagementClient(DefaultAzureCredential(), subscription_id)
        # The providers that the subscription may use, in lower case. Registering more is its owner's decision.
        self.registered: set[str] = set()

    def __enter__(self) -> Self:
        """Create the group."""
        self.registered = {
            (found.namespace or "").lower()
            for found in self._client.providers.list()
            if found.registration_state == "Registered"
        }
        try:
            self._open()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the group."""
        self._close()

    def _open(self) -> None:
        tags = {"made-by": "pytest --azure", "made-at": datetime.now(UTC).isoformat(timespec="seconds")}
        self._client.resource_groups.create_or_update(self.name, {"location": REGION, "tags": tags})

    def _close(self) -> None:
        """Delete the group with all that is in it, and wait until it is gone."""
        self._say(f"Removing the resource group {self.name} ...")
        try:
            self._client.resource_groups.begin_delete(self.name, polling_interval=POLLING_SECONDS).result()
        except ResourceNotFoundError:
            pass
        except BaseException:
            self._say(f"It may still be there. To remove it: az group delete --name {self.name}")
            raise
        finally:
            self._client.close()

    def put(self, identifier: str, version: str, body: Any) -> Answer:
        """Send a PUT, and wait for the end of its operation."""
        sent = io.BytesIO(json.dumps(body).encode())
        try:
            made = self._client.resources.begin_create_or_update_by_id(
                identifier[1:], sent, api_version=version, polling_interval=POLLING_SECONDS
            ).result()
        except HttpResponseError as error:
            return _refused(error)
        return Answer(200, body=made.as_dict())

    def delete(self, identifier: str, version: str) -> Answer:
        """Send a DELETE, and wait for the end of its operation."""
        try:
            self._client.resources.begin_delete_by_id(
                identifier[1:], api_version=version, polling_interval=POLLING_SECONDS
            ).result()
        except HttpResponseError as error:
            return _refused(error)
        return Answer(200)

    def get(self, identifier: str, version: str) -> Answer:
        """Send a GET."""
        try:
            found = self._client.resources.get_by_id(identifier[1:], api_version=version)
        except HttpResponseError as error:
            return _refused(error)
        return Answer(200, body=found.as_dict())

    def post(self, identifier: str, version: str, action: str, body: Any) -> Answer:  # noqa: ARG002 - see Target
        """Skip the case: the client of Azure Resource Manager has no way to send an action."""
        pytest.skip(f"The client cannot send {action} to {identifier}.")


def _refused(error: HttpResponseError) -> Answer:
    code = (error.error.code if error.error is not None else None) or ""
    message = (error.error.message if error.error is not None else None) or error.message
    return Answer(error.status_code or 0, str(code), " ".join(str(message).split()))


@dataclass
class AzureRun:
    """The true Azure, and what it answered otherwise than the local Azure.

    Args:
        target: the group in which the run works.
        number: what `{n}` stands for in names: random, because some names are unique in the world.
        differences: the cases with another answer.
    """

    target: AzureTarget
    number: str = field(default_factory=lambda: f"t{secrets.token_hex(4)}")
    differences: list[Difference] = field(default_factory=list)
    _stages: dict[str, Stage] = field(default_factory=dict)
    _alone: int = 0

    def stage(self, key: str, *, alone: bool) -> Stage:
        """Return the stage for an example: one of its own, or the one that all its harmless cases share.

        Args:
            key: key of the example.
            alone: whether a case needs its own.
        """
        self._alone += 1
        made = Stage(self.target, EXAMPLES, f"{self.number}{self._alone:x}")
        return made if alone else self._stages.setdefault(key, made)

    def answers_alike(self, case: Case, local: Answer) -> bool:
        """Send a case; tell whether Azure answers as the local Azure does. What it cannot be sent counts as alike.

        Args:
            case: the case.
            local: what the local Azure answered.
        """
        try:
            answer = case.act(self.stage(case.key, alone=case.alone))
        except pytest.skip.Exception:
            return True
        return self._note(f"{case.key}: {case.promise}", local, answer)

    def accept(self, key: str, local: Answer) -> None:
        """Make an example, and check that Azure accepts it as the local Azure does.

        Args:
            key: key of the example.
            local: what the local Azure answered.
        """
        answer = self.stage(key, alone=True).make(key)
        assert self._note(f"{key} as it is", local, answer), answer.message

    def _note(self, what: str, local: Answer, answer: Answer) -> bool:
        alike = (answer.status, answer.code) == (local.status, local.code)
        if not alike:
            self.differences.append(Difference(what, local, answer))
        return alike

    def require(self, key: str) -> None:
        """Skip the tests of what costs more than cents, or of a provider that the subscription has not registered."""
        if dear := costly(EXAMPLES, key):
            pytest.skip(f"Costs more than cents: {', '.join(dear)}")
        namespaces = {EXAMPLES[one].type.partition("/")[0] for one in closure(EXAMPLES, key)}
        if missing := sorted(name for name in namespaces if name.lower() not in self.target.registered):
            pytest.skip(f"The subscription has not registered {', '.join(missing)}.")


def made_by(items: Sequence[pytest.Item]) -> list[str]:
    """Return a line for each example that some tests make in Azure, whose parameters name examples."""
    keys = {
        str(value)
        for item in items
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
        for value in item.callspec.params.values()
    }
    made = {one for key in keys & EXAMPLES.keys() if not costly(EXAMPLES, key) for one in closure(EXAMPLES, key)}
    return [f"{key} ({EXAMPLES[key].type})" for key in sorted(made)]
