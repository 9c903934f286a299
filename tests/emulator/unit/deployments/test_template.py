"""Reading a template: structure, parameters, resources."""

import contextlib
import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulator.core.service_error import ServiceError
from emulator.deployments.templates.parameters import read_given, resolve_parameters, to_external
from emulator.deployments.templates.template import read_template
from tests.emulator.unit.deployments.factories import GROUP_ID, environment, plan, resource, template

NSG = "Microsoft.Network/networkSecurityGroups"
VNET = "Microsoft.Network/virtualNetworks"

BAD_TEMPLATES: list[tuple[str, dict[str, Any], str, str]] = [
    ("no schema", {"contentVersion": "1.0.0.0", "resources": []}, "InvalidTemplate", "property '$schema' is missing"),
    (
        "a schema of no version",
        template() | {"$schema": "https://schema.management.azure.com/schemas/2020-01-01/deploymentTemplate.json#"},
        "NotSupportedByLocalAzure",
        "templates with the schema 'https://schema.management.azure.com/schemas/2020-01-01/deploymentTemplate.json#'.",
    ),
    (
        "an existing resource",
        template(resource(existing=True)),
        "InvalidRequestContent",
        "Could not find member 'existing' on object of type 'TemplateResource'",
    ),
    (
        "a parameter that may be null",
        template(parameters={"p": {"type": "string", "nullable": True}}),
        "InvalidRequestContent",
        "Could not find member 'nullable' on object of type 'TemplateInputParameter'",
    ),
    (
        "copyIndex without a loop",
        template(resource("[concat('a', copyIndex())]")),
        "InvalidTemplate",
        (
            "The template function 'copyIndex' is not expected at this location. The function can only be used in a resource "
            "with copy specified. Please see https://aka.ms/arm-copy for usage details."
        ),
    ),
    (
        "a parameter that nobody declared",
        template(resource("[parameters('p')]")),
        "InvalidTemplate",
        (
            "is not valid: The template parameter 'p' is not found. Please see https://aka.ms/arm-template/#parameters for "
            "usage details.."
        ),
    ),
    (
        "a default value that cannot be evaluated",
        template(parameters={"p": {"type": "string", "defaultValue": "[nope()]"}}),
        "InvalidTemplate",
        "The template resource 'p' is not valid: The template function 'nope'",
    ),
    (
        "an unknown member",
        template(outptus={}),
        "InvalidRequestContent",
        "Could not find member 'outptus' on object of type 'Template'.",
    ),
    (
        "an unknown member of a resource",
        template(resource(dependson=[])),
        "InvalidRequestContent",
        "Could not find member 'dependson' on object of type 'TemplateResource'",
    ),
    ("a resource that is not an object", template(1), "InvalidRequestContent", "'TemplateResource' belongs"),  # type: ignore[arg-type]  # wrong on purpose
    (
        "no name",
        template({"type": NSG, "apiVersion": "2019-07-01"}),
        "InvalidTemplate",
        "The name property cannot be null or empty",
    ),
    ("names too short", template(resource("v", f"{VNET}/subnets")), "InvalidTemplate", "incorrect segment lengths"),
    (
        "an output without a value",
        template(outputs={"o": {"type": "string"}}),
        "InvalidTemplate",
        "The template output 'o' is not valid. The value property cannot be null",
    ),
    ("the same resource twice", template(resource(), resource("A")), "InvalidTemplate", "is defined multiple times"),
    (
        "an unknown function",
        template(resource("[nope()]")),
        "InvalidTemplate",
        "The template function 'nope' is not valid. Please see https://aka.ms/arm-template-expressions for usage details..",
    ),
    (
        "a function of Azure's that is not emulated",
        template(resource("[cidrSubnet('10.0.0.0/16', 24, 0)]")),
        "NotSupportedByLocalAzure",
        "The local Azure does not have the template function 'cidrSubnet'.",
    ),
    (
        "a lambda in a body",
        template(resource(properties={"x": "[map(createArray(1), lambda('i', lambdaVariables('i')))]"})),
        "NotSupportedByLocalAzure",
        "the template function 'map'",
    ),
    (
        "a reference to a name that is not there",
        template(resource(properties={"x": "[reference('b').x]"})),
        "InvalidTemplate",
        "'The template reference 'b' is not valid: could not find template resource or resource copy with this name. ",
    ),
    (
        "a dependency on an id that is not there",
        template(resource(dependsOn=[f"[resourceId('{VNET}', 'b')]"])),
        "InvalidTemplate",
        f"'The resource '{VNET}/b' is not defined in the template. Please see https://aka.ms/arm-template for usage",
    ),
    (
        "an unknown parameter in a body",
        template(resource(properties={"x": "[parameters('p')]"})),
        "InvalidTemplate",
        f"Unable to process template language expressions for resource '{GROUP_ID}/providers/{NSG}/a'. 'The",
    ),
    ("reference in a name", template(resource("[reference('x')]")), "InvalidTemplate", "'reference' is not expected"),
    (
        "a dependency that is not there",
        template(resource(dependsOn=["b"])),
        "InvalidTemplate",
        "The template reference 'b' is not valid: could not find template resource",
    ),
    (
        "a circle",
        template(resource(dependsOn=["b"]), resource("b", dependsOn=["a"])),
        "InvalidTemplate",
        "Circular dependency detected on resource: '/subscriptions/",
    ),
    (
        "a resource that refers to itself",
        template(resource(properties={"x": "[reference('a').id]"})),
        "InvalidTemplate",
        "Circular dependency",
    ),
    (
        "an ambiguous name",
        template(resource(), resource("a", VNET), resource("c", dependsOn=["a"])),
        "InvalidTemplate",
        "The resource name 'a' is ambiguous",
    ),
    (
        "a condition that is not a boolean",
        template(resource(condition="[string(1)]")),
        "InvalidTemplate",
        "not 'Boolean'",
    ),
    (
        "a copy count that is not a number",
        template(resource(copy={"name": "c", "count": "x"})),
        "InvalidTemplate",
        "The copy count must be a non-negative integer value and cannot exceed '800'.",
    ),
    ("user-defined functions", template(functions=[{"namespace": "n"}]), "NotSupportedByLocalAzure", "user-defined"),
    ("symbolic names", template() | {"resources": {}}, "NotSupportedByLocalAzure", "symbolic names"),
    (
        "a resource in another group",
        template(resource("d", resourceGroup="other")),
        "NotSupportedByLocalAzure",
        "resources of a template in another scope",
    ),
]


@pytest.mark.parametrize(
    ("document", "want_code", "want_message"),
    [pytest.param(*case[1:], id=case[0]) for case in BAD_TEMPLATES],
)
def test_a_bad_template_is_refused_with_code_and_reason(
    document: dict[str, Any], want_code: str, want_message: str
) -> None:
    """Each problem is found before anything is deployed."""
    with pytest.raises(ServiceError) as error:
        plan(document)
    assert error.value.status_code == 400
    assert error.value.code == want_code
    assert want_message in error.value.message


PARAMETERS = {
    "name": {"type": "string", "minLength": 2, "maxLength": 4},
    "count": {"type": "INT", "defaultValue": 3, "minValue": 1, "maxValue": 5},
    "size": {"type": "string", "defaultValue": "[concat('s', string(parameters('count')))]"},
    "kind": {"type": "string", "defaultValue": "a", "allowedValues": ["a", "b"]},
    "secret": {"type": "secureString", "defaultValue": "", "allowedValues": ["", "known"]},
    "when": {"type": "string", "defaultValue": "[utcNow('yyyy-MM-dd')]"},
    "id": {"type": "string", "defaultValue": "[newGuid()]"},
}


def test_defaults_are_evaluated_and_see_the_parameters_before_them() -> None:
    """Defaults may use `utcNow` and `newGuid`."""
    resolved = resolve_parameters(read_template(template(parameters=PARAMETERS)), {"NAME": "ab"}, environment())
    assert {name: parameter.value for name, parameter in resolved.items()} == {
        "name": "ab",
        "count": 3,
        "size": "s3",
        "kind": "a",
        "secret": "",
        "when": "2020-06-07",
        "id": "00000000-0000-4000-8000-000000000000",
    }


@pytest.mark.parametrize(
    ("given", "want_message"),
    [
        pytest.param({}, "The value for the template parameter 'name' is not provided.", id="missing"),
        pytest.param(
            {"name": "ab", "x": 1}, "The template parameters 'x' in the parameters file are not valid", id="unknown"
        ),
        pytest.param(
            {"name": 1}, "Expected a value of type 'String, Uri', but received a value of type 'Integer'", id="type"
        ),
        pytest.param(
            {"name": "ab", "count": True}, "received a value of type 'Boolean'", id="a boolean is not an integer"
        ),
        pytest.param({"name": "a"}, "greater than or equal to '2'", id="too short"),
        pytest.param({"name": "abcde"}, "less than or equal to '4'", id="too long"),
        pytest.param({"name": "ab", "count": 0}, "greater than or equal to '1'", id="too small"),
        pytest.param({"name": "ab", "count": 6}, "less than or equal to '5'", id="too large"),
        pytest.param(
            {"name": "ab", "kind": "c"}, "The value 'c' is not part of the allowed value(s): 'a,b'", id="not allowed"
        ),
    ],
)
def test_a_wrong_parameter_is_refused(given: dict[str, Any], want_message: str) -> None:
    """The message names the parameter and what is allowed."""
    with pytest.raises(ServiceError) as error:
        resolve_parameters(read_template(template(parameters=PARAMETERS)), given, environment())
    assert (error.value.status_code, error.value.code) == (400, "InvalidTemplate")
    assert want_message in error.value.message


def test_a_secure_value_is_in_no_message_and_no_answer() -> None:
    """A secure value is hidden both when it is refused and when parameters are shown."""
    checked = read_template(template(parameters=PARAMETERS))
    with pytest.raises(ServiceError) as error:
        resolve_parameters(checked, {"name": "ab", "secret": "hunter2"}, environment())
    assert "hunter2" not in str(error.value)
    shown = to_external(resolve_parameters(checked, {"name": "ab", "secret": "known"}, environment()))
    assert shown["secret"] == {"type": "SecureString"}
    assert shown["name"] == {"type": "String", "value": "ab"}


@pytest.mark.parametrize(
    ("raw", "want_code"),
    [
        ({"a": {"value": None}}, "InvalidDeploymentParameterValue"),
        ({"a": "x"}, "InvalidDeploymentParameterValue"),
        ({"a": {"reference": {}}}, "NotSupportedByLocalAzure"),
    ],
)
def test_parameters_of_a_wrong_form_are_refused(raw: dict[str, Any], want_code: str) -> None:
    """A parameter has to be an object with a value."""
    with pytest.raises(ServiceError) as error:
        read_given(raw)
    assert (error.value.status_code, error.value.code) == (400, want_code)


FULL = template(
    resource(
        "[concat('a', copyIndex('l'))]",
        copy={"name": "l", "count": "[length(variables('v'))]"},
        dependsOn=["b"],
        properties={"copy": [{"name": "x", "count": 2, "input": {"y": "[copyIndex('x')]"}}]},
    ),
    resource(
        "b",
        VNET,
        condition="[bool(parameters('p'))]",
        scope="Microsoft.Storage/storageAccounts/s",
        tags={"[toLower('K')]": "[reference('c').x]"},
        resources=[resource("s", "subnets")],
    ),
    resource("c"),
    parameters={"p": {"type": "string", "defaultValue": "true", "allowedValues": ["true"], "minLength": 1}},
    variables={"v": [1, "[parameters('p')]"], "copy": [{"name": "w", "count": 1, "input": 1}]},
    outputs={"o": {"type": "array", "copy": {"count": 2, "input": "[copyIndex()]"}, "condition": True}},
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-2, 900), st.floats(allow_nan=False), st.text(max_size=8))
EXPRESSIONS = st.sampled_from(["[copyIndex()]", "[reference('b')]", "[variables('v')]", "[null()]", "[createArray(1)]"])
JSON = st.recursive(
    SCALARS | EXPRESSIONS,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["name", "count", "input", "copy"]), inner)
    ),
    max_leaves=4,
)


def _places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in items for place in _places(item, (*path, key)))]


@settings(max_examples=400)
@given(place=st.sampled_from(_places(FULL)[1:]), value=JSON)
def test_whatever_stands_anywhere_in_a_template_is_planned_or_refused(place: tuple[str | int, ...], value: Any) -> None:
    """Nothing in a request crashes the reader."""
    document: Any = copy.deepcopy(FULL)
    target = document
    for step in place[:-1]:
        target = target[step]
    target[place[-1]] = value
    with contextlib.suppress(ServiceError):
        plan(document)


def test_the_template_of_the_test_before_can_be_planned() -> None:
    """A failure there therefore comes from the change that it makes."""
    assert len(plan(FULL).declarations) == 5
