"""The property tables of the emulated types have the members and the values that the newest SDKs have."""

import pytest

from emulator.arm.resources import ResourceType
from emulator.arm.schema import Choice
from emulator.arm.writes.put_body import table_of
from emulator.run.arm import TYPES
from tests.models.table_differences import TABLE_DIFFERENCES
from tests.models.tables import Comparison, Mismatch
from tests.models.types import model_of

# Types that no SDK reads.
WITHOUT_MODEL = {
    "Microsoft.Insights/diagnosticSettings": "the newest SDK has left them out",
    "Microsoft.Network/privateLinkServices/ipConfigurations": "only a part of its parent's body",
    "Microsoft.Web/sites/host": "clients only call its actions",
}


def _mismatches(row: ResourceType) -> list[Mismatch]:
    found = model_of(row.name)
    return [] if found is None else list(Comparison(row.name, found[0]).object(table_of(row), found[1]))


@pytest.mark.parametrize("row", TYPES, ids=lambda row: row.name)
def test_every_emulated_type_has_a_model(row: ResourceType) -> None:
    """A new type needs its SDK in `tests/models/packages.py`, or a reason here."""
    assert (model_of(row.name) is None) == (row.name in WITHOUT_MODEL)


@pytest.mark.parametrize("row", TYPES, ids=lambda row: row.name)
def test_a_table_differs_from_the_model_only_where_a_row_says_why(row: ResourceType) -> None:
    """Clients can send what Azure knows, and nothing else."""
    found = _mismatches(row)
    assert [str(one) for one in found if not any(known.covers(one) for known in TABLE_DIFFERENCES)] == []


def test_every_difference_still_exists() -> None:
    """A row that explains nothing goes."""
    found = [one for row in TYPES for one in _mismatches(row)]
    assert [known for known in TABLE_DIFFERENCES if not any(known.covers(one) for one in found)] == []


@pytest.mark.parametrize(
    ("table", "wanted"),
    [
        ({"properties": {"addressSpaces": object}}, ("properties.addressSpaces", "unknown member")),
        ({"properties": {"enableDdosProtection": str}}, ("properties.enableDdosProtection", "other kind")),
        ({"properties": {"subnets": {}}}, ("properties.subnets", "other kind")),
        (
            {"properties": {"encryption": {"enforcement": Choice(("DropUnencrypted", "Allow"))}}},
            ("properties.encryption.enforcement", "other values"),
        ),
        (
            {"properties": {"encryption": {"enforcement": Choice(("DropUnencrypted",))}}},
            ("properties.encryption.enforcement", "missing values"),
        ),
    ],
)
def test_a_wrong_table_is_found(table: dict[str, object], wanted: tuple[str, str]) -> None:
    """A name, a kind or a value that the model does not have is reported with its path."""
    name = "Microsoft.Network/virtualNetworks"
    found = model_of(name)
    assert found is not None
    assert wanted in {(one.path, one.problem) for one in Comparison(name, found[0]).object(table, found[1])}
