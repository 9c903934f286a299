"""Settings: one table, every problem at once, and every wait scaled in one place."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from shared.settings import HOST_SETTINGS, Callers, SettingsError, parse, table
from tests.product.unit.product_world import ENVIRONMENT

ROOT = Path(__file__).parents[4]


def test_the_example_file_holds_every_setting_and_no_other() -> None:
    """A copy of the file has every setting; the defaults are the code's."""
    values = json.loads((ROOT / "local.settings.example.json").read_text(encoding="utf-8"))["Values"]
    assert set(values) == set(table()) | set(HOST_SETTINGS)
    for name, setting in table().items():
        if setting.default is not None and name != "BUILD":
            assert values[name] == setting.default


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
    assert parse(ENVIRONMENT | {"COSMOSDB_SUFFIX": ""}).cosmosdb_suffix == "documents.azure.com"


OWN = {
    "CALLERS": "entra",
    "API_CLIENT_ID": "11111111-2222-3333-4444-555555555555",
    "WEBSITE_HOSTNAME": "arorp.azurewebsites.net",
}
HOSTED = [name for name, setting in table().items() if setting.only is Callers.ARM]


@pytest.mark.parametrize("value", [None, ""], ids=["absent", "empty"])
def test_a_hosted_service_needs_every_setting_of_what_only_it_has(value: str | None) -> None:
    """Each has no default: a hosted service that lacks its registry would create clusters that pull from elsewhere."""
    environment = {name: text for name, text in ENVIRONMENT.items() if name not in HOSTED}
    with pytest.raises(SettingsError) as caught:
        parse(environment | ({} if value is None else dict.fromkeys(HOSTED, value)))
    assert [problem.partition(" ")[0] for problem in caught.value.problems] == HOSTED


def test_in_ones_own_subscription_an_empty_setting_means_that_the_service_does_without() -> None:
    """Empty never means a default: the first-party application is Microsoft's."""
    own = parse(ENVIRONMENT | dict.fromkeys(HOSTED, "") | OWN)
    assert own.first_party_client_id == own.acr_resource_id == own.certificate_issuer == own.domain == ""


@pytest.mark.parametrize(
    ("given", "want"),
    [
        ("FP_CLIENT_ID", ["FP_CERTIFICATE_SECRET is missing, but FP_CLIENT_ID is given"]),
        (
            "CLUSTER_LOGGING_ENVIRONMENT",
            [
                "CLUSTER_LOGGING_CERTIFICATE_SECRET is missing, but CLUSTER_LOGGING_ENVIRONMENT is given",
                "CLUSTER_LOGGING_CONFIG_VERSION is missing, but CLUSTER_LOGGING_ENVIRONMENT is given",
            ],
        ),
    ],
)
def test_half_of_what_belongs_together_is_refused(given: str, want: list[str]) -> None:
    """A first-party application without its certificate could not act."""
    with pytest.raises(SettingsError) as caught:
        parse(ENVIRONMENT | dict.fromkeys(HOSTED, "") | OWN | {given: ENVIRONMENT[given]})
    assert caught.value.problems == want


def test_in_ones_own_subscription_the_service_needs_its_registration() -> None:
    """Without it, no token could be told from another application's."""
    with pytest.raises(SettingsError, match="API_CLIENT_ID is missing"):
        parse(ENVIRONMENT | {"CALLERS": "entra"})


@pytest.mark.parametrize("missing", ["ISSUER_ACCOUNT_URL", "ISSUER_URL"])
def test_where_issuers_documents_are_written_and_read_belongs_together(missing: str) -> None:
    """In every kind of deployment; with neither, no cluster has workload identity."""
    (given,) = {"ISSUER_ACCOUNT_URL", "ISSUER_URL"} - {missing}
    for more in ({}, dict.fromkeys(HOSTED, "") | OWN):
        with pytest.raises(SettingsError) as error:
            parse(ENVIRONMENT | more | {missing: ""})
        assert error.value.problems == [f"{missing} is missing, but {given} is given"]
        assert not parse(ENVIRONMENT | more | {missing: "", given: ""}).issuer_url


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ({"WEBSITE_HOSTNAME": "arorp.azurewebsites.net"}, "https://arorp.azurewebsites.net"),
        ({"WEBSITE_HOSTNAME": "localhost:7071", "PUBLIC_URL": "http://localhost:7071"}, "http://localhost:7071"),
        ({"PUBLIC_URL": ""}, ""),
    ],
)
def test_links_begin_with_the_platforms_host_name_or_with_a_setting(given: dict[str, str], address: str) -> None:
    """A laptop serves plain http, and a company may put its own name in front."""
    assert parse(ENVIRONMENT | given).public_url == address


def test_without_arm_the_service_must_know_its_address() -> None:
    """ARM sends the address that its callers use; a token does not, and a relative link cannot be polled."""
    with pytest.raises(SettingsError, match="PUBLIC_URL is missing, and so is WEBSITE_HOSTNAME"):
        parse(ENVIRONMENT | OWN | {"WEBSITE_HOSTNAME": ""})


@pytest.mark.parametrize("address", ["arorp.example.com", "ftp://arorp", "https://arorp.example.com/api", "https://"])
def test_an_address_of_the_service_has_no_path(address: str) -> None:
    """The paths of resources follow it."""
    with pytest.raises(SettingsError, match="PUBLIC_URL is not an http or https address without a path"):
        parse(ENVIRONMENT | {"PUBLIC_URL": address})


def test_a_setting_of_what_only_a_hosted_service_has_is_checked_wherever_it_is_given() -> None:
    """A typo must not pass as absent."""
    with pytest.raises(SettingsError, match="ACR_RESOURCE_ID is not the resource id"):
        parse(ENVIRONMENT | OWN | {"ACR_RESOURCE_ID": "arosvc"})


def test_nobody_guesses_who_calls() -> None:
    """A misspelt value must not open the service to other callers."""
    with pytest.raises(SettingsError, match="CALLERS is not one of arm, entra"):
        parse(ENVIRONMENT | {"CALLERS": "Entra"})


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
