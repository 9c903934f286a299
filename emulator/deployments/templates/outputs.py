"""The outputs of a template."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from emulator.deployments.language.evaluation import evaluate, evaluate_loop
from emulator.deployments.language.expression_error import ExpressionError
from emulator.deployments.language.scope import Runtime, Scope
from emulator.deployments.language.values import Unknown, type_name
from emulator.deployments.templates.parameters import JTOKENS, SECURE, TYPES


def evaluate_output(definition: Mapping[str, Any], name: str, scope: Scope, runtime: Runtime) -> dict[str, Any] | None:
    """Return an output as GET answers it: without the value if it is secure; None if its condition is false.

    Raises:
        ExpressionError: an expression cannot be evaluated, or the value does not have the declared type.
    """
    known = TYPES.get(definition["type"].lower())
    if known is None:
        raise ExpressionError(f"The output type '{definition['type']}' is not valid.", topic="arm-syntax#outputs")
    spelling, wanted = known
    if evaluate(definition.get("condition", True), scope) is False:
        return None
    inside = replace(scope, runtime=runtime)
    if "copy" in definition:
        value = evaluate_loop(definition["copy"], name, inside, unnamed=True)
    else:
        value = evaluate(definition.get("value"), inside)
    if not isinstance(value, Unknown) and type(value) is not wanted:
        raise ExpressionError(
            f"Template output JToken type is not valid. Expected '{JTOKENS[wanted]}'. Actual '{type_name(value)}'.",
            topic="arm-template/#outputs",
        )
    return {"type": spelling} if spelling in SECURE else {"type": spelling, "value": value}
