"""Conditions of role assignments."""

import pytest

from emulator.arm.access.conditions import Facts, check, holds
from emulator.core.service_error import ServiceError

ASSIGNMENTS = "Microsoft.Authorization/roleAssignments"
WRITE, DELETE, READ = (f"{ASSIGNMENTS}/{verb}" for verb in ("write", "delete", "read"))
READER, OWNER = "acdd72a7-3385-48ef-bd42-f606fba81ae7", "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"


def _part(action: str, source: str) -> str:
    return (
        f"((!(ActionMatches{{'{action}'}})) OR (@{source}[{ASSIGNMENTS}:RoleDefinitionId] ForAnyOfAnyValues:GuidEquals "
        f"{{{READER}, {OWNER.upper()}}} AND\n @{source}[{ASSIGNMENTS}:PrincipalType] "
        "ForAnyOfAnyValues:StringEqualsIgnoreCase {'ServicePrincipal'}))"
    )


DELEGATED = f"{_part(WRITE, 'Request')} AND {_part(DELETE, 'Resource')}"
ALLOWED = {"RoleDefinitionId": READER.upper(), "PrincipalType": "servicePrincipal"}


@pytest.mark.parametrize(
    ("action", "facts", "wanted"),
    [
        (READ, Facts(), True),
        (WRITE, Facts(ALLOWED), True),
        (WRITE, Facts(resource=ALLOWED), False),
        (WRITE, Facts(ALLOWED | {"RoleDefinitionId": ASSIGNMENTS}), False),
        (WRITE, Facts({"RoleDefinitionId": READER}), False),
        (WRITE, None, None),
        (DELETE, Facts(resource=ALLOWED), True),
        (DELETE, Facts(ALLOWED), False),
    ],
)
def test_the_form_of_delegated_assignment_is_evaluated(action: str, facts: Facts | None, wanted: bool | None) -> None:
    """A write is judged by the request, a deletion by the resource, and any other action is free."""
    check(DELEGATED, "2.0")
    assert holds(DELEGATED, action, facts) is wanted


def test_a_condition_that_facts_cannot_change_needs_none() -> None:
    """`None` only stands where an attribute decides."""
    matches = f"ActionMatches{{'{ASSIGNMENTS}/*'}}"
    named = f"@Request[{ASSIGNMENTS}:PrincipalId] GuidEquals {READER}"
    assert holds(f"{matches} OR {named}", WRITE, None) is True
    assert holds(f"NOT {matches} && {named}", WRITE, None) is False


@pytest.mark.parametrize(
    ("condition", "code", "part"),
    [
        ("", "InvalidConditionSyntax", "too early"),
        ("(", "InvalidConditionSyntax", "too early"),
        (f"ActionMatches{{'{WRITE}'}} XOR true", "InvalidConditionSyntax", "'XOR true'"),
        (f"@Request[{ASSIGNMENTS}:PrincipalId] GuidEquals 'me'", "InvalidConditionSyntax", "'me'"),
        (
            f"@Request[{ASSIGNMENTS}:PrincipalId] GuidEquals {{{READER}, {OWNER}}}",
            "InvalidConditionSyntax",
            "takes one value",
        ),
        ("SubOperationMatches{'Blob.List'}", "ConditionNotSupported", "function 'SubOperationMatches'"),
        ("@Principal[x:y] GuidEquals 'a'", "ConditionNotSupported", "source '@Principal'"),
        (
            "@Resource[Microsoft.Storage/a/b:name] StringEquals 'a'",
            "ConditionNotSupported",
            "Microsoft.Storage/a/b:name",
        ),
        (f"@Request[{ASSIGNMENTS}:PrincipalId] StringLike 'a*'", "ConditionNotSupported", "operator 'StringLike'"),
        (f"Exists @Request[{ASSIGNMENTS}:PrincipalId]", "ConditionNotSupported", "operator 'Exists'"),
        (
            f"@Request[{ASSIGNMENTS}:PrincipalId] ForAnyOfAllValues:GuidNotEquals {{{READER}}}",
            "ConditionNotSupported",
            "ForAnyOfAllValues:GuidNotEquals",
        ),
    ],
)
def test_what_is_wrong_or_not_supported_is_named(condition: str, code: str, part: str) -> None:
    """Nobody can mistake a condition that nothing evaluates for a limit."""
    with pytest.raises(ServiceError) as caught:
        check(condition, "2.0")
    assert (caught.value.status_code, caught.value.code) == (400, code)
    assert part in caught.value.message


def test_only_version_2_is_a_condition() -> None:
    """As Azure refuses version 1.0, and a condition without a version."""
    for version in ("1.0", None):
        with pytest.raises(ServiceError, match="InvalidConditionSyntax"):
            check(DELEGATED, version)
