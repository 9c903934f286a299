"""Conditions: true, false or unknown, and only a true one allows."""

import pytest

from shared.azure.rights.conditions import allow

READ = "Microsoft.RedHatOpenShift/openShiftClusters/read"
YES, NO = "ActionMatches{'*/read'}", "ActionMatches{'*/write'}"
UNKNOWN = "@Request[Microsoft.Authorization/roleAssignments:PrincipalType] StringEquals 'User'"


@pytest.mark.parametrize(
    "condition",
    [
        YES,
        f"!{NO}",
        f"!({NO})",
        f"NOT {NO}",
        f"!!{YES}",
        f"({YES})",
        f"{YES} AND {YES}",
        f"{YES} && !{NO} && {YES}",
        f"{NO} OR {YES}",
        f"{YES} || {UNKNOWN}",
        f"{UNKNOWN} OR {UNKNOWN} OR {YES}",
        f"({NO} AND {UNKNOWN}) OR {YES}",
        f"!({NO} AND {UNKNOWN})",
        f"(!({NO} AND SubOperationMatches{{'Blob.List'}})) OR ({UNKNOWN})",
        f"(\r\n\t!({NO})\n)\nOR\n(\n{UNKNOWN}\n)",
        "ActionMatches{'microsoft.redhatopenshift/*'}",
        "ActionMatches { 'Microsoft.RedHatOpenShift/openShiftClusters/read' }",
    ],
)
def test_a_condition_that_is_true_whatever_the_rest_is_allows(condition: str) -> None:
    """An action outside its guards passes."""
    assert allow(condition, "2.0", READ)


@pytest.mark.parametrize(
    "condition",
    [
        NO,
        f"!{YES}",
        f"{YES} AND {NO}",
        f"{NO} OR !{YES}",
        f"{UNKNOWN} AND {NO}",
        # Unknown, whatever is made of it.
        UNKNOWN,
        f"!({UNKNOWN})",
        f"NOT {UNKNOWN}",
        f"{UNKNOWN} OR NOT {UNKNOWN}",
        f"{YES} AND {UNKNOWN}",
        f"!{YES} OR {UNKNOWN}",
        (
            "Exists "
            "@Resource[Microsoft.Storage/storageAccounts/blobServices/containers/blobs/tags:Project<$key_case_sensitive$>]"
        ),
        "NOT Exists @Principal[Microsoft.Directory/CustomSecurityAttributes/Id:Engineering_Project]",
        "SubOperationMatches{'Blob.List'}",
        "!(SubOperationMatches{'Blob.List'})",
        "@Resource[x:name] StringLike 'it\\'s*'",
        "@Principal[x:y] ForAnyOfAllValues:NumericLessThan {15, -18, 2.5}",
        "@Request[x:y] BoolEquals true",
        "@Environment[UtcNow] DateTimeGreaterThan '2026-05-01T13:00:00.000Z'",
        "@Request[x:y] StringEquals @Principal[x:z]",
        "@Request[x:y] GuidEquals acdd72a7-3385-48ef-bd42-f606fba81ae7",
        # What only resembles a guard.
        "!(ActionMatches{'Microsoft.RedHatOpenShift\\/openShiftClusters\\/read'})",
        "!(ActionMatches{'?'})",
        "!(actionmatches{'*/write'})",
        "!(ActionMatchesNot{'*/write'})",
    ],
)
def test_a_condition_that_may_be_false_does_not_allow(condition: str) -> None:
    """What it depends on is not known here."""
    assert not allow(condition, "2.0", READ)


@pytest.mark.parametrize(
    "condition",
    [
        "",
        " ",
        "true",
        f"{YES} AND",
        f"({YES}",
        f"{YES})",
        f"{YES} {YES}",
        f"{YES} XOR {YES}",
        f"{NO} AND {NO} OR {YES}",
        f"{YES} OR {NO} AND {NO}",
        "ActionMatches{*/read}",
        "ActionMatches{'*/read', '*/write'}",
        "ActionMatches('*/read')",
        'ActionMatches{"*/read"}',
        "ActionMatches{'*/read'",
        f"{YES} // {NO}",
        f"{YES}; {NO}",
        f"{YES} AND\u00a0{YES}",
        "\uff21ctionMatches{'*/read'}",
        "(" * 5000 + YES + ")" * 5000,
    ],
    ids=lambda condition: str(condition)[:40],
)
def test_a_condition_that_cannot_be_read_does_not_allow(condition: str) -> None:
    """Nor does one in which AND and OR meet without parentheses, which Azure does not take."""
    assert not allow(condition, "2.0", READ)


def test_a_deep_condition_is_read() -> None:
    """However deep it is, no recursion ends in an error."""
    assert allow("!" * 8000 + YES, "2.0", READ)
    assert allow("(" * 4000 + YES + ")" * 4000, "2.0", READ)


def test_a_condition_that_is_longer_than_any_of_azures_does_not_allow() -> None:
    """Reading it would take long."""
    assert not allow(" " * 8192 + YES, "2.0", READ)
