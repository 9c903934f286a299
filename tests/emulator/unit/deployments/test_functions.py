"""The functions of the template language."""

import pytest

from emulator.deployments.language.evaluation import evaluate
from emulator.deployments.language.expression_error import ExpressionError
from emulator.deployments.language.functions import FUNCTIONS
from emulator.deployments.language.hashes import arm_guid, unique_string
from tests.emulator.unit.deployments.factories import GROUP_ID, SUBSCRIPTION, scope

OTHER = "11111111-0000-4000-8000-000000000001"
PROVIDERS = f"{GROUP_ID}/providers"

RESULTS: list[tuple[str, object]] = [
    ("concat('a', 1, true(), '')", "a1True"),
    ("concat(createArray(1), createArray('b'))", [1, "b"]),
    ("format('{0}-{1:D3}-{{x}}-{0}', 'a', 7)", "a-007-{x}-a"),
    ("format('{0:X4}{1:00}', 255, 3)", "00FF03"),
    ("string(createObject('a', createArray(1, true(), null())))", '{"a":[1,true,null]}'),
    ("string(false())", "False"),
    ("int('42')", 42),
    ("bool('TRUE')", True),
    ("json('{\"a\": [1, {}]}').a[0]", 1),
    ("toLower('AbC')", "abc"),
    ("toUpper('AbC')", "ABC"),
    ("trim('  x ')", "x"),
    ("startsWith('Hello', 'hE')", True),
    ("endsWith('Hello', 'LO')", True),
    ("indexOf('Hello', 'L')", 2),
    ("indexOf('Hello', 'x')", -1),
    ("substring('abcdef', 2)", "cdef"),
    ("substring('abcdef', 2, 3)", "cde"),
    ("split('a,b;c', ',')", ["a", "b;c"]),
    ("split('a,b;c', createArray(',', ';'))", ["a", "b", "c"]),
    ("join(createArray('a', 1), '-')", "a-1"),
    ("replace('10.0.0.0', '.', '-')", "10-0-0-0"),
    ("base64('héllo')", "aMOpbGxv"),
    ("base64ToString('aMOpbGxv')", "héllo"),
    ("length('abc')", 3),
    ("length(createObject('a', 1))", 1),
    ("empty('')", True),
    ("empty(createArray(1))", False),
    ("first('abc')", "a"),
    ("last(createArray(1, 2))", 2),
    ("take('abc', 9)", "abc"),
    ("skip(createArray(1, 2, 3), 1)", [2, 3]),
    ("contains('abc', 'b')", True),
    ("contains(createArray(1, 'b'), 'b')", True),
    ("contains(createObject('Key', 1), 'key')", True),
    ("contains(createArray(1), true())", False),
    ("union(createArray(1, 2), createArray(2, 3))", [1, 2, 3]),
    (
        "union(createObject('a', createObject('x', 1)), createObject('a', createObject('y', 2)))",
        {"a": {"x": 1, "y": 2}},
    ),
    ("range(3, 3)", [3, 4, 5]),
    ("array('a')", ["a"]),
    ("items(createObject('b', 1, 'a', 2))", [{"key": "a", "value": 2}, {"key": "b", "value": 1}]),
    ("add(1, -3)", -2),
    ("sub(1, 3)", -2),
    ("mul(2, 3)", 6),
    ("div(-7, 2)", -3),
    ("mod(-7, 2)", -1),
    ("min(3, 1, 2)", 1),
    ("max(createArray(3, 1))", 3),
    ("if(equals('a', 'A'), 1, 2)", 2),
    ("if(true(), 'chosen', substring('', 9))", "chosen"),
    ("and(true(), true(), false())", False),
    ("or(false(), true())", True),
    ("not(false())", True),
    ("equals(createObject('a', 1, 'b', 2), createObject('b', 2, 'a', 1))", True),
    ("equals(1, true())", False),
    ("less(1, 2)", True),
    ("greaterOrEquals('b', 'a')", True),
    ("coalesce(null(), 'x')", "x"),
    ("resourceGroup().location", "eastus"),
    ("subscription().subscriptionId", SUBSCRIPTION),
    ("deployment().name", "d"),
    ("environment().name", "AzureCloud"),
    ("tenant().tenantId", "aaaaaaaa-0000-4000-8000-000000000001"),
    ("resourceId('Microsoft.Network/virtualNetworks', 'v')", f"{PROVIDERS}/Microsoft.Network/virtualNetworks/v"),
    (
        "resourceId('Microsoft.Network/virtualNetworks/subnets', 'v', 's')",
        f"{PROVIDERS}/Microsoft.Network/virtualNetworks/v/subnets/s",
    ),
    (
        "resourceId('other', 'Microsoft.Network/virtualNetworks/subnets', 'v/s')",
        f"/subscriptions/{SUBSCRIPTION}/resourceGroups/other/providers/Microsoft.Network/virtualNetworks/v/subnets/s",
    ),
    (
        f"resourceId('{OTHER}', 'o', 'Microsoft.Network/publicIPAddresses', 'p')",
        f"{PROVIDERS}/Microsoft.Network/publicIPAddresses/p".replace(SUBSCRIPTION, OTHER).replace("/rg/", "/o/"),
    ),
    (
        "subscriptionResourceId('Microsoft.Authorization/roleDefinitions', 'r')",
        f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/r",
    ),
    (
        "tenantResourceId('Microsoft.Authorization/roleDefinitions', 'r')",
        "/providers/Microsoft.Authorization/roleDefinitions/r",
    ),
    (
        "extensionResourceId(resourceGroup().id, 'Microsoft.Authorization/roleAssignments', 'x')",
        f"{PROVIDERS}/Microsoft.Authorization/roleAssignments/x",
    ),
]


@pytest.mark.parametrize(("expression", "want"), RESULTS, ids=[expression for expression, _ in RESULTS])
def test_a_function_gives_what_arm_gives(expression: str, want: object) -> None:
    """Each result comes from the documentation's examples, or follows from them."""
    result = evaluate(f"[{expression}]", scope())
    assert result == want
    assert type(result) is type(want)


FAILURES = [
    ("nope('x')", "The template function 'nope' is not valid."),
    ("concat()", "function requires at least 1 argument(s) while 0 were provided"),
    ("sub(1)", "function requires 2 argument(s) while 1 were provided"),
    (
        "toLower(3)",
        "'toLower' expects its parameter to be a string. The provided value is of type 'Integer'. Please see",
    ),
    (
        "add(1, true())",
        "expects its parameters to be of type int and int. The provided value is of type 'Integer' and 'Boolean'.",
    ),
    ("parameters('none')", "The template parameter 'none' is not found."),
    ("variables('none')", "The template variable 'none' is not found."),
    ("variables('circle')", "The template variables 'circle', 'circle' form a circle."),
    (
        "resourceGroup().nope",
        "The language expression property 'nope' doesn't exist, available properties are 'id, name, location'.",
    ),
    ("createArray(1)[1]", "array index '1' is out of bounds"),
    ("string('a').b", "'b' can't be evaluated, property name must be a string and the value must be an object"),
    ("substring('abc', 2, 2)", "must refer to a location within the string"),
    ("div(1, 0)", "the divisor is 0"),
    ("int('x')", "'x' is not an integer"),
    ("json('{')", "the text is not JSON"),
    ("json('[NaN, 1e999]')", "the text is not JSON"),
    ("mul(9223372036854775807, 2)", "the result is not a 64-bit integer"),
    ("less(1, 'a')", "cannot be compared"),
    ("resourceId('Microsoft.Network/virtualNetworks/subnets', 'v')", "requires '2' resource name argument(s)"),
    ("resourceId('v', 'x')", "fully qualified resource type"),
    ("reference('x')", "The template function 'reference' is not expected at this location."),
    ("listKeys('x', '2019-04-01')", "The template function 'listKeys' is not expected at this location."),
    ("newGuid()", "The template function 'newGuid' is not expected at this location."),
    ("utcNow()", "The template function 'utcNow' is not expected at this location."),
    ("copyIndex()", "The template function 'copyIndex' is not expected at this location"),
    ("format('{1}', 'a')", "'{1}' in the format string names no argument"),
    ("replace('" + "a" * 400 + "', 'a', '" + "b" * 400 + "')", "longer than"),
]


@pytest.mark.parametrize(("expression", "want_message"), FAILURES, ids=[expression[:40] for expression, _ in FAILURES])
def test_a_wrong_call_names_the_function_and_the_reason(expression: str, want_message: str) -> None:
    """Each failure is one that authors of templates meet."""
    with pytest.raises(ExpressionError) as error:
        evaluate(f"[{expression}]", scope(variables={"circle": "[variables('circle')]"}))
    assert want_message in str(error.value)


def test_names_of_functions_parameters_and_members_have_no_case() -> None:
    """ARM compares them case-insensitively."""
    inside = scope({"vmSize": {"Name": "x"}}, {"vnet": "[toupper(Parameters('VMSIZE').name)]"})
    assert evaluate("[CONCAT(variables('VNET'), '1')]", inside) == "X1"


def test_every_function_of_the_table_says_what_it_takes() -> None:
    """The table is long enough, and no function requires more arguments than it accepts."""
    assert len(FUNCTIONS) > 60
    assert all(function.minimum <= (function.maximum or 99) for function in FUNCTIONS.values())


@pytest.mark.parametrize(
    ("texts", "want"),
    [
        (["test"], "rbgf3xv4ufgzg"),
        (["hello", "world"], "a7wkljktk6wne"),
        (["abc"], "cgtzqvhu4i23s"),
        (["foo", "bar", "baz"], "xzi4ioaxtmth4"),
        (["/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/my-rg"], "bmg7c6xu4tw46"),
    ],
)
def test_unique_string_gives_the_values_recorded_from_arm(texts: list[str], want: str) -> None:
    """Others recorded these values from Bicep's uniqueString."""
    assert unique_string(*texts) == want


def test_guid_is_a_version_5_id_of_the_texts_joined_by_hyphens() -> None:
    """One argument with hyphens and several without give the same id, as in ARM."""
    assert arm_guid("a", "b") == arm_guid("a-b")
    assert arm_guid("a")[14] == "5"
    assert evaluate("[guid('a', 'b')]", scope()) == arm_guid("a", "b")


def test_property_copy_makes_an_array_of_one_input_for_each_round() -> None:
    """The member is named after the loop."""
    value = {"copy": [{"name": "disks", "count": 2, "input": {"lun": "[copyIndex('disks', 1)]"}}], "x": 1}
    assert evaluate(value, scope()) == {"disks": [{"lun": 1}, {"lun": 2}], "x": 1}


def test_a_property_that_is_called_copy_is_left_alone() -> None:
    """Only an array of loops is a loop."""
    assert evaluate({"copy": {"a": 1}}, scope()) == {"copy": {"a": 1}}


def test_a_copy_among_variables_makes_variables() -> None:
    """Each loop becomes a variable of its name."""
    variables = {"copy": [{"name": "zones", "count": 3, "input": "[string(copyIndex('zones', 1))]"}], "x": 1}
    assert evaluate("[concat(variables('zones'), createArray(variables('x')))]", scope(variables=variables)) == [
        "1",
        "2",
        "3",
        1,
    ]
