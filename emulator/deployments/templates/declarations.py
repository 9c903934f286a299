"""The resources of a template as a flat list: copy loops expanded, children listed, names and conditions evaluated.

Bodies stay as written, because they may need the state of other resources. The engine evaluates each one when it is the
resource's turn (`render`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from emulator.deployments.exceptions import INVALID_EXPRESSION, INVALID_TEMPLATE
from emulator.deployments.groups_and_deployments import DEPLOYMENTS
from emulator.deployments.language.evaluation import copy_count, evaluate
from emulator.deployments.language.expression_error import ExpressionError, UndeterminedError
from emulator.deployments.language.functions.identifiers import join_id
from emulator.deployments.language.scope import Runtime, Scope
from emulator.deployments.language.values import Unknown, holds_unknown, type_name
from emulator.deployments.templates.placement import scope_of, text_of
from emulator.deployments.templates.template import Template

# Members of a resource that are for the deployment; all other members are its body.
NOT_BODY = {
    "name",
    "type",
    "apiVersion",
    "comments",
    "metadata",
    "dependsOn",
    "condition",
    "copy",
    "scope",
    "resources",
    "resourceGroup",
    "subscriptionId",
}
USAGE = "Please see https://aka.ms/arm-syntax-resources for usage details."


@dataclass(frozen=True)
class Loop:
    """The round of a copy loop that makes a resource."""

    name: str
    index: int


@dataclass(frozen=True)
class Declaration:
    """One resource that the deployment makes.

    Args:
        id: resource id.
        type: full type as written.
        name: full name.
        api_version: the version for its PUT.
        condition: false if the deployment must not make it.
        depends_on: entries of `dependsOn`: ids, names, names of loops.
        body: location, properties and so on, not evaluated.
        scope: the scope for evaluating the body, without a runtime.
        loop: the round of a copy loop that makes it, if any.
    """

    id: str
    type: str
    name: str
    api_version: str
    condition: bool
    depends_on: tuple[str, ...]
    body: Mapping[str, Any]
    scope: Scope
    loop: Loop | None = None

    @property
    def key(self) -> str:
        """The id in lower case, by which resources are compared."""
        return self.id.lower()

    @property
    def nested(self) -> bool:
        """Whether it is a nested deployment."""
        return self.type.lower() == DEPLOYMENTS.lower()


def declare(template: Template, scope: Scope, scope_id: str) -> list[Declaration]:
    """Return every resource of a template.

    Raises:
        ServiceError: 400 `InvalidTemplate`.
        UndeterminedError: in a nested template, the list depends on a value that is not known yet.
    """
    found: dict[str, Declaration] = {}
    for resource in template.resources:
        for declaration in _rounds(resource, scope, scope_id):
            if declaration.key in found:
                raise INVALID_TEMPLATE(
                    f"The resource '{declaration.id}' is defined multiple times in a template. {USAGE}"
                )
            found[declaration.key] = declaration
    return list(found.values())


def _rounds(resource: Mapping[str, Any], scope: Scope, scope_id: str) -> Iterator[Declaration]:
    copy = resource.get("copy")
    if copy is None:
        yield from _with_children(resource, scope, scope_id)
        return
    with _Explained(resource):
        count = copy_count(copy["count"], copy["name"], scope)
    for index in range(count):
        inside = scope.in_loop(copy["name"], index, unnamed=True)
        for declaration in _with_children(resource, inside, scope_id):
            yield replace(declaration, loop=Loop(copy["name"], index))


def _with_children(
    resource: Mapping[str, Any], scope: Scope, scope_id: str, parent: Declaration | None = None
) -> Iterator[Declaration]:
    declaration = _declaration(resource, scope, scope_id, parent)
    yield declaration
    for child in resource.get("resources") or []:
        yield from _with_children(child, scope, scope_id, declaration)


def _declaration(resource: Mapping[str, Any], scope: Scope, scope_id: str, parent: Declaration | None) -> Declaration:
    with _Explained(resource):
        resource_type, name = text_of(resource, "type", scope), text_of(resource, "name", scope)
        api_version = text_of(resource, "apiVersion", scope)
        condition = evaluate(resource.get("condition", True), scope)
        depends_on = evaluate(resource.get("dependsOn") or [], scope)
        if isinstance(condition, Unknown) or holds_unknown(depends_on):
            raise UndeterminedError(name)
        base = scope_of(resource, resource_type, scope, scope_id)
    # A child may have only its own segment of type and name, or both in full.
    if parent is not None and "/" not in resource_type:
        resource_type, name = f"{parent.type}/{resource_type}", f"{parent.name}/{name}"
    reason = _problem(resource_type, name, condition, depends_on)
    if reason:
        raise INVALID_TEMPLATE(f"The template resource '{name}' for type '{resource_type}' {reason} {USAGE}")
    return Declaration(
        join_id(base, resource_type, name.split("/")),
        resource_type,
        name,
        api_version,
        condition,
        tuple(depends_on),
        {member: value for member, value in resource.items() if member not in NOT_BODY},
        scope,
    )


def _problem(resource_type: str, name: str, condition: Any, depends_on: Sequence[Any]) -> str:
    """Return what is wrong with the members of a resource, as a predicate; "" if nothing is."""
    if type(condition) is not bool:
        return f"is not valid: its condition is a value of type '{type_name(condition)}', not 'Boolean'."
    if not all(isinstance(item, str) for item in depends_on):
        return "is not valid: dependsOn holds something else than strings."
    if not resource_type.count("/") or resource_type.count("/") != name.count("/") + 1 or "" in name.split("/"):
        return (
            "has incorrect segment lengths. A nested resource type must have identical number of segments as its "
            "resource name. A root resource type must have segment length one greater than its resource name."
        )
    return ""


def render(declaration: Declaration, runtime: Runtime) -> dict[str, Any]:
    """Evaluate the body of a resource.

    Raises:
        ServiceError: 400 `InvalidTemplate`, with the resource and the reason.
    """
    scope = replace(declaration.scope, runtime=runtime)
    try:
        body: dict[str, Any] = (
            _render_deployment(declaration, scope) if declaration.nested else evaluate(dict(declaration.body), scope)
        )
    except ExpressionError as error:
        raise INVALID_EXPRESSION(resource_id=declaration.id, reason=error) from error
    return body


def _render_deployment(declaration: Declaration, scope: Scope) -> dict[str, Any]:
    """Evaluate the body of a nested deployment, with its template if the expressions in that are the outer template's.

    A template with the scope `inner` stays as it is, and the nested deployment evaluates it.
    """
    written = declaration.body.get("properties")
    if not isinstance(written, dict):
        raise ExpressionError("The properties of a nested deployment are not an object.")
    options = evaluate(written.get("expressionEvaluationOptions"), scope)
    is_inner = isinstance(options, dict) and str(options.get("scope")).lower() == "inner"
    held = {"template": written["template"]} if is_inner and isinstance(written.get("template"), dict) else {}
    rest = {name: value for name, value in written.items() if name not in held}
    body: dict[str, Any] = evaluate(dict(declaration.body) | {"properties": rest}, scope)
    body["properties"] |= held
    return body


class _Explained:
    """Adds to the error of an expression which resource of the template it is in."""

    def __init__(self, resource: Mapping[str, Any]) -> None:
        self._resource = resource

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, ExpressionError):
            raise INVALID_TEMPLATE(
                f"The template resource '{self._resource.get('name')}' is not valid: {error}. Please see "
                "https://aka.ms/arm-functions for usage details."
            ) from error
