"""Plans: which resources a template makes, and in which order."""

import json
import re

import pytest

from emulator.deployments.language.syntax import parse
from tests.emulator.unit.deployments.factories import GROUP_ID, plan, resource, template

NSG = "Microsoft.Network/networkSecurityGroups"
VNET = "Microsoft.Network/virtualNetworks"
STORAGE = "Microsoft.Storage/storageAccounts"
ROLES = "Microsoft.Authorization/roleAssignments"


def _key(kind: str, *names: str) -> str:
    namespace, *types = kind.split("/")
    pairs = [part for pair in zip(types, names, strict=True) for part in pair]
    return "/".join([GROUP_ID, "providers", namespace, *pairs]).lower()


@pytest.mark.parametrize(
    "dependency",
    [
        pytest.param("a", id="by name"),
        pytest.param(f"[resourceId('{NSG}', 'A')]", id="by id"),
        pytest.param(f"[concat('{NSG}/', 'a')]", id="by type and name"),
    ],
)
def test_depends_on_finds_a_resource(dependency: str) -> None:
    """`dependsOn` accepts all the ways in which templates name a resource."""
    made = plan(template(resource(), resource("b", VNET, dependsOn=[dependency])))
    assert made.needs[_key(VNET, "b")] == (_key(NSG, "a"),)
    assert made.needs[_key(NSG, "a")] == ()


@pytest.mark.parametrize(
    ("expression", "want_dependency"),
    [
        pytest.param("[reference('a').x]", True, id="reference by name"),
        pytest.param(f"[reference(resourceId('{NSG}', 'a')).x]", False, id="reference by id"),
        pytest.param(f"[reference('{NSG}/a').x]", True, id="reference by type and name"),
        pytest.param(
            f"[reference(resourceId('{NSG}', 'a'), '2019-07-01').x]", False, id="by id and version, as outside"
        ),
        pytest.param("[listKeys('a', '2019-07-01').keys[0]]", True, id="an action by name"),
        pytest.param("[if(equals(reference('a').x, 1), 'y', 'z')]", True, id="reference in a condition"),
        pytest.param("[if(true(), 'y', reference('a').x)]", False, id="reference in a branch not taken"),
    ],
)
def test_a_reference_is_a_dependency(expression: str, want_dependency: bool) -> None:
    """A resource of the template is read only after it was made."""
    made = plan(template(resource(), resource("b", VNET, properties={"deep": [{"x": expression}]})))
    assert made.needs[_key(VNET, "b")] == ((_key(NSG, "a"),) if want_dependency else ())


def test_a_resource_whose_condition_is_false_is_not_made_and_not_waited_for() -> None:
    """ARM drops it from the dependencies of the others."""
    made = plan(template(resource(condition="[equals(1, 2)]"), resource("b", dependsOn=["a"])))
    assert list(made.needs.values()) == [()]
    assert [declaration.name for declaration in made.skipped] == ["a"]


def test_a_copy_loop_makes_a_resource_for_each_round_and_can_be_waited_for() -> None:
    """Other resources depend on the loop by its name, or on one round."""
    loop = resource("[concat('n', copyIndex(1))]", copy={"name": "nics", "count": "[parameters('n')]"})
    made = plan(
        template(
            loop,
            resource("all", VNET, dependsOn=["nics"]),
            resource("one", VNET, dependsOn=[f"[resourceId('{NSG}', 'n2')]"]),
            parameters={"n": {"type": "int"}},
        ),
        n=3,
    )
    rounds = [_key(NSG, name) for name in ("n1", "n2", "n3")]
    assert made.needs[_key(VNET, "all")] == tuple(rounds)
    assert made.needs[_key(VNET, "one")] == (rounds[1],)
    assert all(made.needs[key] == () for key in rounds)


def test_a_loop_of_no_rounds_makes_nothing() -> None:
    """Other resources may still depend on it."""
    made = plan(template(resource(copy={"name": "l", "count": 0}), resource("b", dependsOn=["l"])))
    assert list(made.needs) == [_key(NSG, "b")]


def test_children_take_type_and_name_of_their_parent() -> None:
    """A child does not wait for its parent unless it says so, as in ARM."""
    made = plan(
        template(
            resource(
                "v",
                VNET,
                resources=[{"type": "subnets", "name": "s", "apiVersion": "2019-07-01", "dependsOn": ["v"]}],
            )
        )
    )
    assert made.needs[_key(f"{VNET}/subnets", "v", "s")] == (_key(VNET, "v"),)


@pytest.mark.parametrize(
    ("member", "want_id"),
    [
        pytest.param(resource("g", ROLES), f"{GROUP_ID}/providers/{ROLES}/g", id="on the group"),
        pytest.param(
            resource("g", ROLES, scope=f"{STORAGE}/s"),
            f"{GROUP_ID}/providers/{STORAGE}/s/providers/{ROLES}/g",
            id="on a resource by scope",
        ),
        pytest.param(
            resource("g", ROLES, scope=f"[resourceId('{STORAGE}', 's')]"),
            f"{GROUP_ID}/providers/{STORAGE}/s/providers/{ROLES}/g",
            id="on a resource by the id in scope",
        ),
        pytest.param(
            resource("s/Microsoft.Authorization/g", f"{STORAGE}/providers/roleAssignments"),
            f"{GROUP_ID}/providers/{STORAGE}/s/providers/{ROLES}/g",
            id="on a resource by type and name",
        ),
    ],
)
def test_an_extension_resource_gets_the_id_of_what_it_extends(member: dict[str, object], want_id: str) -> None:
    """Both spellings in templates lead to the same id."""
    [declaration] = plan(template(member)).declarations.values()
    assert declaration.id == want_id


def test_each_expression_of_a_template_is_parsed_once() -> None:
    """Repeated expressions and repeated plans parse nothing again: parsing is most of the work."""
    resources = [
        resource(
            f"[concat(parameters('p'), '-{index}')]",
            dependsOn=[f"[resourceId('{NSG}', concat(parameters('p'), '-{index - 1}'))]"] if index else [],
            properties={"rules": [{"port": "[variables('port')]", "name": f"[format('r{{0}}', {index})]"}] * 4},
        )
        for index in range(30)
    ]
    document = template(*resources, parameters={"p": {"type": "string"}}, variables={"port": 6443})
    written = set(re.findall(r'"(\[[^"]*\])"', json.dumps(document)))
    parse.cache_clear()
    plan(document, p="x")
    plan(document, p="y")
    assert parse.cache_info().misses == len(written) == 90
