"""Liveness and readiness: codes for anybody, messages and remedies for operators, and nothing else without settings."""

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError, ServiceRequestError

from frontend.messages import Reply, Request
from frontend.middleware.chain import respond
from frontend.readiness import MEANINGS, Code
from frontend.routes import ROUTES
from shared import durations, settings
from shared.deadline import TimeIsUp
from shared.settings import Settings, SettingsError
from shared.store import Levels
from tests.product.unit.frontend.callers_world import CallersWorld, token
from tests.product.unit.frontend.clusters.test_lost_answers import Answer
from tests.product.unit.frontend.world import World, admin_certificate
from tests.product.unit.product_world import ENVIRONMENT

COSMOS = "https://rp-eastus-eastus.documents.azure.com/dbs/ARO"


def codes(world: World) -> list[str]:
    """Return the codes for anybody, and check that operators get the same ones with what to do."""
    public = world.send("GET", "/healthz/ready", api_version="", certificate=b"")
    told = world.send("GET", "/sre/healthz/ready", api_version="", certificate=admin_certificate())
    assert public.status == told.status == (503 if public.body["codes"] else 200)
    assert public.body["status"] == told.body["status"] == ("NotReady" if public.body["codes"] else "Ready")
    assert set(public.body) == {"status", "codes"}
    assert list(dict.fromkeys(problem["code"] for problem in told.body["problems"])) == public.body["codes"]
    assert all(problem["message"] and problem["remedy"] for problem in told.body["problems"])
    found: list[str] = public.body["codes"]
    return found


@pytest.mark.parametrize(
    ("account", "client", "want"),
    [
        pytest.param("Strong", "Strong", None, id="ready"),
        pytest.param(
            "Session", "Session", "the account 'rp-eastus' has the level Session, not Strong", id="never deployed again"
        ),
        pytest.param(
            "Session", "Strong", "the account 'rp-eastus' has the level Session, not Strong", id="weakened since"
        ),
        pytest.param(
            "Strong", "Session", "while the account 'rp-eastus' had the level Session", id="not restarted since"
        ),
    ],
)
def test_the_app_is_not_ready_while_its_reads_may_answer_with_the_past(
    world: World, account: str, client: str, want: str | None
) -> None:
    """A superseded attempt could pass its fence. Operators learn the level, and the command that changes it."""
    world.levels = Levels(account, client)
    assert codes(world) == ([] if want is None else ["DatabaseNotStrong"])
    told = world.send("GET", "/sre/healthz/ready", api_version="", certificate=admin_certificate())
    for problem in told.body["problems"]:
        assert str(want) in problem["message"]
        assert "--default-consistency-level Strong" in problem["remedy"]


# The version of the catalogue that OpenShift's own installer makes, and one that needs no such program.
BY_PROGRAM, BUILT_IN = "4.17.9", "4.10.67"


def offer(world: World, version: str) -> None:
    """Offer only one version."""
    for entry in world.cosmos["OpenShiftVersions"].documents.values():
        entry |= {"enabled": entry["version"] == version, "default": entry["version"] == version}
    world.services.store.versions._read_at = float("-inf")


def told(world: World) -> dict[str, str]:
    """Return what operators read, by code."""
    reply = world.send("GET", "/sre/healthz/ready", api_version="", certificate=admin_certificate())
    return {problem["code"]: f"{problem['message']} {problem['remedy']}" for problem in reply.body["problems"]}


@pytest.mark.parametrize(
    ("machine", "want"),
    [
        ((21_000, 3500), ""),
        ((800, 2048), "800 MiB of disk are free, and it takes 1100"),
        ((21_000, 512), "an instance has 512 MiB of memory, and it takes 1536"),
    ],
    ids=["Elastic Premium", "Flex Consumption", "a small instance"],
)
def test_an_instance_that_is_too_small_for_the_installer_is_told_before_the_first_create(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: tuple[int, int], want: str
) -> None:
    """A create would find out after half of its steps."""
    free_mib, memory_mib = machine
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: SimpleNamespace(free=free_mib << 20))
    monkeypatch.setattr("os.sysconf", lambda name: 4096 if name == "SC_PAGE_SIZE" else memory_mib << 8)
    offer(world, BUILT_IN)
    assert told(world) == {}
    offer(world, BY_PROGRAM)
    assert codes(world) == (["InstallerDoesNotFit"] if want else [])
    for text in told(world).values():
        assert want in text
        assert "plan=ElasticPremium" in text
    program = tmp_path / "openshift-install" / BY_PROGRAM / ("5" * 64) / "openshift-install"
    program.parent.mkdir(parents=True)
    program.touch()
    assert told(world) == {}


def breaks(world: World, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Let every call to the database fail."""

    def fail(*_arguments: Any, **_options: Any) -> Any:
        raise error

    for container in world.cosmos.values():
        monkeypatch.setattr(container, "read_item", fail)


def test_health_is_for_any_caller(world: World) -> None:
    """The platform's probes have their own certificate, or none."""
    for path, want in (("/healthz", {}), ("/healthz/ready", {"status": "Ready", "codes": []})):
        reply = world.send("GET", path, api_version="", certificate=b"")
        assert (reply.status, reply.body) == (200, want)
    assert world.send("GET", "/sre/healthz/ready", api_version="").status == 403


def test_the_app_is_not_ready_without_arms_certificates(world: World) -> None:
    """It would refuse ARM. It is alive even so."""
    world.arm_certificates = [each._replace(not_after=world.now - timedelta(days=1)) for each in world.arm_certificates]
    assert codes(world) == ["CertificatesUnknown"]
    assert world.send("GET", "/healthz", api_version="").status == 200


def test_the_app_is_not_ready_without_a_default_version_that_can_be_installed(world: World) -> None:
    """Creates that name no version would fail. Operators learn what is wrong with the entries."""
    for document in world.cosmos["OpenShiftVersions"].documents.values():
        document.pop("openShiftPullspec")
    assert codes(world) == ["NoVersion"]
    told = world.send("GET", "/sre/healthz/ready", api_version="", certificate=admin_certificate())
    assert "4.17.9 has no 'openShiftPullspec'" in told.body["problems"][0]["message"]
    world.services.store.versions._read_at = float("-inf")
    world.cosmos["OpenShiftVersions"].documents.clear()
    world.now += durations.SITE_READINESS_KEPT
    assert codes(world) == ["NoVersion"]


def test_the_app_is_not_ready_without_a_container_that_it_needs(world: World) -> None:
    """A deployment of an older release lacks it. Operators learn which, and what makes it."""
    del world.cosmos["Sites"]
    assert codes(world) == ["DatabaseIncomplete"]
    told = world.send("GET", "/sre/healthz/ready", api_version="", certificate=admin_certificate())
    assert told.body["problems"][0]["message"] == "the account 'rp-eastus' has no Sites"
    assert "infra/service.json" in told.body["problems"][0]["remedy"]


def test_the_app_is_not_ready_without_a_paging_key(world: World) -> None:
    """Lists of clusters would fail. Only operators learn which secret is missing."""
    world.service_secrets.versions.clear()
    assert codes(world) == ["PagingKeyMissing"]
    told = world.send("GET", "/sre/healthz/ready", api_version="", certificate=admin_certificate())
    assert told.body["problems"][0]["message"] == "the vault 'rp-svc' has no secret 'fe-encryption-key', or it is empty"


@pytest.mark.parametrize(
    ("error", "want"),
    [
        pytest.param(HttpResponseError("no", response=Answer(COSMOS, 403)), "DatabaseForbidden", id="no role"),
        pytest.param(HttpResponseError("no", response=Answer(COSMOS, 503)), "DatabaseUnavailable", id="away"),
        pytest.param(ServiceRequestError("no address"), "DatabaseUnavailable", id="no such name"),
        pytest.param(TimeIsUp(), "DatabaseUnavailable", id="silent"),
        pytest.param(ClientAuthenticationError("no identity"), "IdentityUnavailable", id="no token"),
    ],
)
def test_the_code_tells_what_is_wrong_with_the_database(
    world: World, monkeypatch: pytest.MonkeyPatch, error: BaseException, want: str
) -> None:
    """A missing role, an outage and a missing token have different remedies."""
    breaks(world, monkeypatch, error)
    assert codes(world) == [want]


@pytest.mark.parametrize(
    ("method", "status", "want"),
    [
        ("get_service_secret", 403, "ServiceVaultForbidden"),
        ("get_service_secret", 503, "ServiceVaultUnavailable"),
        ("ask_for_access", 403, "ClusterVaultForbidden"),
        ("ask_for_access", 503, "ClusterVaultUnavailable"),
    ],
)
def test_the_code_tells_which_vault_it_is(
    world: World, monkeypatch: pytest.MonkeyPatch, method: str, status: int, want: str
) -> None:
    """The two vaults have roles of their own."""

    def fail(*_arguments: Any) -> Any:
        raise HttpResponseError("no", response=Answer("https://rp-svc.vault.azure.net/secrets/x", status))

    monkeypatch.setattr(world.services.vault, method, fail)
    assert codes(world) == [want]


def codes_of_own(own: CallersWorld) -> list[str]:
    """Return the codes of the service in one's own subscription; anybody may ask."""
    found: list[str] = own.call("GET", "/healthz/ready", token="", api_version="").body["codes"]
    told = own.call("GET", "/sre/healthz/ready", token=token(roles=["Operator"]), api_version="")
    if told.status != 503 or "problems" in told.body:
        assert [problem["code"] for problem in told.body["problems"]] == found
    return found


def test_ones_own_service_needs_an_identity_for_the_installer(own: CallersWorld) -> None:
    """A package that came before its template lacks it."""
    own.services = replace(own.services, settings=replace(own.services.settings, first_party_client_id=""))
    assert codes_of_own(own) == ["InstallerIdentityMissing"]


def test_ones_own_service_needs_keys_and_rights_instead_of_arms_certificates(own: CallersWorld) -> None:
    """Without the keys nobody can be told from anybody, and without ARM it is not known what they may do."""
    own.arm_certificates = []
    assert codes_of_own(own) == []
    own.rights.nothing = True
    own.now += durations.SITE_READINESS_KEPT
    assert codes_of_own(own) == ["RightsForbidden"]
    assert own.rights.asked[-1] == (
        "Microsoft.Authorization/roleAssignments/read",
        f"/subscriptions/{ENVIRONMENT['AZURE_SUBSCRIPTION_ID']}",
    )


def test_ones_own_service_is_not_ready_without_an_action_that_it_needs(own: CallersWorld) -> None:
    """The roles of an older release lack it. Operators learn which."""
    own.rights.deny("Microsoft.Compute/disks/write", f"/subscriptions/{ENVIRONMENT['AZURE_SUBSCRIPTION_ID']}")
    assert codes_of_own(own) == ["RolesIncomplete"]
    told = own.call("GET", "/sre/healthz/ready", token=token(roles=["Operator"]), api_version="")
    assert told.body["problems"][0]["message"].endswith(": Microsoft.Compute/disks/write")


def test_ones_own_service_is_not_ready_while_entra_or_arm_is_away(own: CallersWorld) -> None:
    """It is alive even so."""
    own.entra_is_away = own.rights.is_away = True
    assert codes_of_own(own) == ["SigningKeysUnknown", "RightsUnavailable"]
    assert own.call("GET", "/healthz", token="", api_version="").status == 200


def test_anybody_who_asks_causes_a_check_every_few_seconds(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check asks every dependency. Operators get one of their own."""
    checks: list[int] = []
    monkeypatch.setattr(world.services.vault, "ask_for_access", lambda: checks.append(1))
    for _ in range(20):
        assert world.send("GET", "/healthz/ready", api_version="", certificate=b"").status == 200
    assert len(checks) == 1
    assert world.send("GET", "/sre/healthz/ready", api_version="", certificate=admin_certificate()).status == 200
    world.now += durations.SITE_READINESS_KEPT
    assert world.send("GET", "/healthz/ready", api_version="", certificate=b"").status == 200
    assert len(checks) == 3


def test_several_problems_are_told_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A code appears once, whatever number of checks it spoils."""
    world.arm_certificates = []
    world.service_secrets.versions.clear()
    breaks(world, monkeypatch, ClientAuthenticationError("no identity"))
    assert codes(world) == ["CertificatesUnknown", "IdentityUnavailable", "PagingKeyMissing"]


def test_every_code_has_a_meaning_and_a_remedy_that_name_nothing() -> None:
    """Neither a setting, nor a role, nor a host."""
    assert set(MEANINGS) == set(Code)
    for name in settings.table():
        assert not any(name in text for texts in MEANINGS.values() for text in texts)


@pytest.fixture
def unconfigured(world: World) -> Callable[..., Reply]:
    """Send a request to an app with invalid settings, as an operator."""

    def services() -> Any:
        return replace(world.services, settings=parse_wrong())

    def send(method: str, name: str, **parameters: str) -> Reply:
        route = next(route for route in ROUTES if route.name == name)
        return respond(route, Request(method, headers={"host": "rp.example"}, parameters=parameters), services)

    return send


def parse_wrong() -> Settings:
    """Parse an environment with two mistakes."""
    return settings.parse({**ENVIRONMENT, "LOCATION": "", "RP_OBJECT_ID": "canary"})


def test_invalid_settings_are_a_code_and_all_of_them_are_in_the_log(
    unconfigured: Callable[..., Reply], caplog: pytest.LogCaptureFixture
) -> None:
    """The app starts and is alive even so."""
    reply = unconfigured("GET", "http_health_ready")
    assert (reply.status, reply.body) == (503, {"status": "NotReady", "codes": ["SettingsInvalid"]})
    assert "LOCATION is missing" in caplog.text
    assert "RP_OBJECT_ID is not a GUID" in caplog.text
    assert unconfigured("GET", "http_health").status == 200


@pytest.mark.parametrize("route", [route for route in ROUTES if not route.name.startswith("http_health")])
def test_with_invalid_settings_every_other_route_is_503(
    unconfigured: Callable[..., Reply], caplog: pytest.LogCaptureFixture, route: Any
) -> None:
    """Nobody's certificate can be recognized. The answer names no setting, the log every one."""
    for verb in route.verbs or ["GET"]:
        reply = unconfigured(verb, route.name, portalFile="config.json")
        assert (reply.status, reply.body["error"]["code"]) == (503, "ServiceUnavailable")
        assert "LOCATION" not in json.dumps(reply.body)
        assert [record.levelno for record in caplog.records if "LOCATION" in record.getMessage()] == [logging.ERROR]
        caplog.clear()


def test_the_problems_of_settings_are_one_error() -> None:
    """So that one restart fixes all of them."""
    with pytest.raises(SettingsError) as caught:
        parse_wrong()
    assert len(caught.value.problems) == 2
