"""The order in which resources are made: by `dependsOn`, `reference` and `list*`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

from emulator.deployments.exceptions import INVALID_TEMPLATE, NOT_IN_TEMPLATE, REFERENCE_NOT_FOUND
from emulator.deployments.language.expression_error import ExpressionError
from emulator.deployments.language.values import UNKNOWN
from emulator.deployments.templates.declarations import Declaration, render
from emulator.deployments.templates.template import Template


@dataclass(frozen=True)
class Plan:
    """The resources that a deployment makes, and their order.

    Args:
        declarations: resources by key, in the order of the template, without those whose condition is false.
        needs: by key of a resource, the keys of those that must exist before it.
        skipped: resources whose condition is false.
    """

    declarations: Mapping[str, Declaration]
    needs: Mapping[str, tuple[str, ...]]
    skipped: tuple[Declaration, ...] = ()

    def not_awaited(self, key: str) -> frozenset[str]:
        """Return the keys of the resources for which a resource does not wait, directly or by way of others."""
        awaited, open_keys = set(), [key]
        while open_keys:
            for need in self.needs.get(open_keys.pop(), ()):
                if need not in awaited:
                    awaited.add(need)
                    open_keys.append(need)
        return frozenset(self.declarations.keys() - awaited)


class Directory:
    """Finds the resources of one template by id, by `type/name`, by name, and by the name of their loop."""

    def __init__(self, declarations: Sequence[Declaration]) -> None:
        self._by_id = {declaration.key: declaration for declaration in declarations}
        self._by_name: dict[str, list[Declaration]] = {}
        self._by_loop: dict[str, list[Declaration]] = {}
        for declaration in declarations:
            for name in _names(declaration):
                self._by_name.setdefault(name.lower(), []).append(declaration)
            if declaration.loop is not None:
                self._by_loop.setdefault(declaration.loop.name.lower(), []).append(declaration)

    def by_identifier(self, identifier: str) -> Declaration | None:
        """Return a resource by its id or name, or None.

        Raises:
            ExpressionError: several resources have this name.
        """
        found = self._by_id.get(identifier.lower())
        if found is not None or identifier.startswith("/"):
            return found
        named = self._by_name.get(identifier.lower(), [])
        if len(named) > 1:
            raise ExpressionError(
                f"The resource name '{identifier}' is ambiguous: it is the name of "
                f"{', '.join(declaration.id for declaration in named)}. Use the resource id.",
                topic="arm-template-expressions/#reference",
            )
        return named[0] if named else None

    def for_dependency(self, text: str) -> list[Declaration]:
        """Return the resources that an entry of `dependsOn` names; the name of a loop stands for all its rounds."""
        found = self.by_identifier(text)
        return [found] if found is not None else self._by_loop.get(text.lower(), [])


def _names(declaration: Declaration) -> set[str]:
    """Return what names a resource besides its id: its name, `type/name`, and the id without its scope."""
    return {
        declaration.name,
        f"{declaration.type}/{declaration.name}",
        declaration.id.rpartition("/providers/")[2],
    }


@dataclass
class Observer:
    """The runtime while a template is checked: answers `UNKNOWN`, and collects the resources that are asked for.

    A resource is waited for if an expression gives its name. As in Azure, an id reads the state at that moment, even if
    the resource is one of the same template; to wait for it, a template must name it in `dependsOn`.

    Source: https://learn.microsoft.com/azure/azure-resource-manager/templates/resource-dependency
    """

    directory: Directory
    seen: list[Declaration] = field(default_factory=list)

    def reference(self, identifier: str, api_version: str | None, *, full: bool) -> Any:
        """Collect the resource of a reference."""
        del full
        found = self.directory.by_identifier(identifier)
        if found is None and not identifier.startswith("/"):
            raise REFERENCE_NOT_FOUND(identifier)
        if found is None and api_version is None:
            raise ExpressionError(
                f"The resource '{identifier}' is not defined in the template: its reference needs an api-version.",
                topic="arm-template-expressions/#reference",
            )
        if found is not None and not identifier.startswith("/"):
            self.seen.append(found)
        return UNKNOWN

    def list_action(self, name: str, identifier: str, api_version: str, body: Any) -> Any:
        """Collect the resource whose action is called."""
        del name, body
        return self.reference(identifier, api_version, full=False)


def make_plan(template: Template, declarations: Sequence[Declaration]) -> Plan:
    """Order the resources of a template, evaluating every expression of theirs once to check it.

    Outputs are evaluated only when everything has been made, as in Azure.

    Raises:
        ServiceError: 400 `InvalidTemplate` for a wrong expression, an unknown dependency or a circular one.
        UndeterminedError: in a nested template, a condition is not known yet.
    """
    directory = Directory(declarations)
    needs: dict[str, tuple[str, ...]] = {}
    for declaration in declarations:
        observer = Observer(directory)
        render(declaration, observer)
        wanted = [
            *_explicit(template, declaration, directory),
            *observer.seen,
        ]
        needs[declaration.key] = tuple(dict.fromkeys(need.key for need in wanted))
    _refuse_circles({declaration.key: declaration for declaration in declarations}, needs)
    made = {declaration.key: declaration for declaration in declarations if declaration.condition}
    # Azure drops a resource that is not deployed from the dependencies of the others.
    return Plan(
        made,
        {key: tuple(need for need in needs[key] if need in made) for key in made},
        tuple(declaration for declaration in declarations if not declaration.condition),
    )


def _explicit(template: Template, declaration: Declaration, directory: Directory) -> list[Declaration]:
    # A loop without rounds has no resources to wait for.
    loops = {resource["copy"]["name"].lower() for resource in template.resources if resource.get("copy")}
    found: list[Declaration] = []
    for text in declaration.depends_on:
        try:
            meant = directory.for_dependency(text)
        except ExpressionError as error:
            raise INVALID_TEMPLATE(error) from error
        if not meant and text.lower() not in loops:
            raise NOT_IN_TEMPLATE(text.rpartition("/providers/")[2]) if "/" in text else REFERENCE_NOT_FOUND(text)
        found.extend(meant)
    return found


def _refuse_circles(declarations: Mapping[str, Declaration], needs: Mapping[str, tuple[str, ...]]) -> None:
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        raise INVALID_TEMPLATE(
            f"Circular dependency detected on resource: '{declarations[error.args[1][0]].id}'. "
            "Please see https://aka.ms/arm-syntax-resources for usage details."
        ) from error
