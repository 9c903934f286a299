"""What expressions mean at a subscription, in loops, and before the deployment runs."""

from dataclasses import replace
from typing import Any

import pytest

from emulator.deployments.language.evaluation import evaluate
from emulator.deployments.language.expression_error import ExpressionError
from emulator.deployments.language.scope import Scope
from emulator.deployments.language.values import UNKNOWN, without_unknown
from emulator.deployments.templates.graph import Directory, Observer
from tests.emulator.unit.deployments.factories import SUBSCRIPTION, environment, scope

PLACE = f"/subscriptions/{SUBSCRIPTION}"
ROLES = "Microsoft.Authorization/roleDefinitions"
GROUPS = "Microsoft.Resources/resourceGroups"


def _at_subscription() -> Scope:
    return Scope(replace(environment(), resource_group=None), parameters={})


def _before_it_runs(**parameters: Any) -> Scope:
    return replace(scope(parameters), runtime=Observer(Directory([])))


@pytest.mark.parametrize(
    ("expression", "want"),
    [
        (f"[resourceId('{ROLES}', 'r')]", f"{PLACE}/providers/{ROLES}/r"),
        (f"[resourceId('{GROUPS}', 'g')]", f"{PLACE}/resourceGroups/g"),
        (f"[resourceId('{GROUPS}/', 'g')]", f"{PLACE}/resourceGroups/g"),
        (f"[subscriptionResourceId('{GROUPS}', 'g')]", f"{PLACE}/resourceGroups/g"),
        ("[resourceId('g', 'Microsoft.Web/sites', 's')]", f"{PLACE}/resourceGroups/g/providers/Microsoft.Web/sites/s"),
    ],
)
def test_ids_at_a_subscription_are_those_of_the_subscription(expression: str, want: str) -> None:
    """A resource group has the short form of its id, whichever function writes it."""
    assert evaluate(expression, _at_subscription()) == want


def test_a_subscription_has_no_resource_group() -> None:
    """The function is refused by its name."""
    with pytest.raises(ExpressionError, match="'resourceGroup' is not expected at this location"):
        evaluate("[resourceGroup().location]", _at_subscription())


def test_an_index_without_a_name_is_that_of_the_resource() -> None:
    """A loop over a property, of any count, must be named, inside a resource's loop and without one."""
    loop = {"name": "inner", "count": 2, "input": "[concat(copyIndex(), '-', copyIndex('inner'))]"}
    outer = scope().in_loop("outer", 7, unnamed=True)
    assert evaluate({"copy": [loop]}, outer) == {"inner": ["7-0", "7-1"]}
    assert evaluate({"copy": [loop | {"count": 0}]}, outer) == {"inner": []}
    with pytest.raises(ExpressionError, match="'copyIndex' is not expected"):
        evaluate({"copy": [loop]}, scope())


@pytest.mark.parametrize(
    ("expression", "want"),
    [
        pytest.param("[reference(concat('/a', '/b'), '1').c[0]]", "[reference('/a/b', '1').c[0]]", id="arguments"),
        pytest.param(
            "[concat('x', listKeys('/a', '1').keys[add(1, 1)].value)]",
            "[concat('x', listKeys('/a', '1').keys[2].value)]",
            id="around it",
        ),
        pytest.param(
            "[if(equals(reference('/a', '1').b, true()), null(), createArray('it''s', 1))]",
            "[if(equals(reference('/a', '1').b, true()), null(), createArray('it''s', 1))]",
            id="both branches",
        ),
        pytest.param(
            "[union(createObject('a', reference('/a', '1').b), parameters('known'))]",
            "[union(createObject('a', reference('/a', '1').b), createObject('k', createArray(false()), 'n', null()))]",
            id="objects",
        ),
        pytest.param("[parameters('later').x]", "[parameters('later').x]", id="a parameter"),
    ],
)
def test_what_only_the_deployment_knows_is_shown_as_an_expression(expression: str, want: str) -> None:
    """Everything in it that is known is evaluated."""
    inside = _before_it_runs(known={"k": [False], "n": None}, later=UNKNOWN)
    assert without_unknown(evaluate({"m": [expression]}, inside)) == {"m": [want]}
