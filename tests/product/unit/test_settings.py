"""Settings: one table, every problem at once, and every wait scaled in one place."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from shared.settings import HOST_SETTINGS, SettingsError, parse, table
from tests.product.unit.product_world import ENVIRONMENT

ROOT = Path(__file__).parents[3]


def test_the_example_file_holds_every_setting_and_no_other() -> None:
    """A copy of the file has every setting; the defaults are the code's."""
    values = json.loads((ROOT / "local.settings.example.json").read_text(encoding="utf-8"))["Values"]
    assert set(values) == set(table()) | set(HOST_SETTINGS)
    for name, (_, default) in table().items():
        if default is not None and name != "BUILD":
            assert values[name] == default


def test_every_problem_is_reported_at_once() -> None:
    """One restart fixes all of it."""
    with pytest.raises(SettingsError) as caught:
        parse({"AZURE_TENANT_ID": "x", "TIME_SCALE": "0", "ARM_ENDPOINT": "http://arm", "ADMIN_API_CA": "/nowhere"})
    text = str(caught.value)
    for name in (
        "AZURE_TENANT_ID is not a GUID",
        "TIME_SCALE",
        "ARM_ENDPOINT is not an https",
        "ADMIN_API_CA",
        "LOCATION is missing",
    ):
        assert name in text


def test_an_empty_setting_counts_as_absent() -> None:
    """App settings cannot be removed from a slot, only emptied."""
    assert parse(ENVIRONMENT | {"COSMOSDB_DATABASE": ""}).cosmosdb_database == "ARO"


def test_a_certificate_may_be_a_file(tmp_path: Path) -> None:
    """Laptops hold a path, Azure holds the text."""
    file = tmp_path / "ca.pem"
    file.write_text("-----BEGIN CERTIFICATE-----", encoding="ascii")
    assert parse(ENVIRONMENT | {"ADMIN_API_CA": str(file)}).admin_ca_certificates == "-----BEGIN CERTIFICATE-----"


@pytest.mark.parametrize(
    ("scale", "want_deadline", "want_poll", "want_retry_after"),
    [("1", 1800, 10, 10), ("40", 45, 0.25, 1), ("1000", 15, 0.25, 1)],
)
def test_waits_are_scaled_down_to_their_floors(
    scale: str, want_deadline: float, want_poll: float, want_retry_after: int
) -> None:
    """Deadlines at least 15 s, Retry-After whole seconds and at least one."""
    own = parse(ENVIRONMENT | {"TIME_SCALE": scale})
    assert own.deadline_seconds(timedelta(minutes=30)) == want_deadline
    assert own.poll_seconds(timedelta(seconds=10)) == want_poll
    assert own.retry_after_seconds(timedelta(seconds=10)) == want_retry_after
    assert own.look_back(timedelta(seconds=1)) == timedelta(seconds=15)
