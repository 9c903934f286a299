"""The directory, as the services that ask it see it."""

import timeit
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from emulator import entra
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.core.world import World
from emulator.entra.models import EntraModel
from emulator.entra.resources import ARM, COSMOS, GRAPH, find_resource
from tests.emulator.unit.entra.conftest import Stopped

WORLD = World()
APP = WORLD.owner_client_id
AUDIENCE = "https://management.azure.com/"


@pytest.fixture
def start(tmp_path: Path, time: Stopped) -> Iterator[Callable[[], EntraModel]]:
    """Return a function that starts the directory on one state folder, as often as asked."""
    opened: list[Platform] = []

    def begin() -> EntraModel:
        platform = Platform(tmp_path, clock=Clock(40, time), world=WORLD)
        opened.append(platform)
        entra.create(platform)
        return platform.model(EntraModel)

    yield begin
    for platform in opened:
        with closing(platform.store), closing(platform.journal):
            pass


@pytest.fixture
def directory(start: Callable[[], EntraModel]) -> EntraModel:
    """Return a directory with one application."""
    model = start()
    model.ensure_application(APP, "owner", tenant_id=WORLD.tenant_id, secrets=["secret"])
    model.ensure_service_principal(WORLD.tenant_id, APP)
    return model


def _refusal(directory: EntraModel, authorization: str | None, *audiences: str) -> ServiceError:
    with pytest.raises(ServiceError) as refused:
        directory.authenticate(authorization, audiences or ARM.identifiers)
    assert refused.value.status_code == 401
    assert refused.value.headers["WWW-Authenticate"].startswith("Bearer authorization_uri=")
    return refused.value


def test_a_token_tells_who_sent_a_request(directory: EntraModel) -> None:
    """Any spelling of the audience works: with a slash, the older name, or the service's application id."""
    for audience in (AUDIENCE, "https://management.core.windows.net", ARM.app_id):
        token = directory.issue_token(WORLD.tenant_id, APP, audience)
        caller = directory.authenticate(f"bearer {token}", ARM.identifiers)
        assert (caller.client_id, caller.tenant_id, caller.name) == (APP, WORLD.tenant_id, "owner")
        assert caller.audience == audience


def test_tokens_outlive_a_restart(directory: EntraModel, start: Callable[[], EntraModel]) -> None:
    """The signing key, applications and principals are in the state folder."""
    token = directory.issue_token(WORLD.tenant_id, APP, AUDIENCE)
    again = start()
    assert again.authenticate(f"Bearer {token}", ARM.identifiers) == directory.authenticate(
        f"Bearer {token}", ARM.identifiers
    )
    again.check_secret(APP, "secret")


def test_object_ids_are_the_same_on_every_machine(directory: EntraModel) -> None:
    """Commands pasted from two machines look alike; one application has different ids in two tenants."""
    directory.ensure_application(APP, "owner")
    ids = [directory.ensure_service_principal(tenant, APP) for tenant in (WORLD.tenant_id, WORLD.rp_tenant_id)]
    assert ids == ["3089d668-17e9-58ee-9d6b-af7e645e6511", ids[1]]
    assert ids[0] != ids[1]


@pytest.mark.parametrize(
    ("authorization", "want_code"),
    [
        (None, "AuthenticationFailed"),
        ("Basic abc", "AuthenticationFailed"),
        ("Bearer", "AuthenticationFailed"),
        ("Bearer not-a-token", "InvalidAuthenticationToken"),
        ("Bearer {token}x", "InvalidAuthenticationToken"),
    ],
)
def test_what_is_no_token_is_refused(directory: EntraModel, authorization: str | None, want_code: str) -> None:
    """The answer has ARM's codes and a challenge."""
    token = directory.issue_token(WORLD.tenant_id, APP, AUDIENCE)
    given = authorization and authorization.format(token=token)
    assert _refusal(directory, given).code == want_code


def test_a_token_of_another_directory_is_refused(directory: EntraModel, tmp_path: Path) -> None:
    """The token's claims are the same, but its key is another."""
    other = Platform(tmp_path / "other", clock=Clock(40), world=WORLD)
    with closing(other.store), closing(other.journal):
        entra.create(other)
        stranger = other.model(EntraModel)
        stranger.ensure_application(APP, "owner")
        stranger.ensure_service_principal(WORLD.tenant_id, APP)
        token = stranger.issue_token(WORLD.tenant_id, APP, AUDIENCE)
    assert _refusal(directory, f"Bearer {token}").code == "InvalidAuthenticationToken"


def test_a_token_is_good_for_its_audience_alone(directory: EntraModel) -> None:
    """A vault's token does not open ARM, nor one Cosmos DB account's token another account."""
    vault = directory.issue_token(WORLD.tenant_id, APP, "https://vault.azure.net")
    refused = _refusal(directory, f"Bearer {vault}")
    assert refused.code == "InvalidAuthenticationTokenAudience"
    assert "https://vault.azure.net" in refused.message
    account = directory.issue_token(WORLD.tenant_id, APP, "https://one.documents.azure.com")
    _refusal(directory, f"Bearer {account}", "https://two.documents.azure.com")
    assert find_resource("https://one.documents.azure.com/") is COSMOS


def test_a_token_expires_after_an_hour_even_when_it_was_seen_before(directory: EntraModel, time: Stopped) -> None:
    """The cache keeps signatures, not validity; the time scale does not shorten the hour."""
    token = directory.issue_token(WORLD.tenant_id, APP, AUDIENCE)
    time.moment += timedelta(minutes=59)
    directory.authenticate(f"Bearer {token}", ARM.identifiers)
    time.moment += timedelta(minutes=1)
    assert _refusal(directory, f"Bearer {token}").code == "ExpiredAuthenticationToken"


def test_authentication_costs_microseconds(directory: EntraModel) -> None:
    """Every call pays it: for a token seen before it is far cheaper than verifying an RSA signature."""
    header = "Bearer " + directory.issue_token(WORLD.tenant_id, APP, AUDIENCE)
    best = min(timeit.repeat(lambda: directory.authenticate(header, ARM.identifiers), number=100, repeat=5)) / 100
    assert best < 100e-6


def test_a_new_principal_and_secret_take_their_time_to_be_known(directory: EntraModel, time: Stopped) -> None:
    """A test can ask for propagation, which is scaled like every latency."""
    directory.propagation_seconds = 120
    client_id = WORLD.cluster_client_id
    directory.ensure_application(client_id, "cluster", tenant_id=WORLD.tenant_id, secrets=["secret"])
    directory.ensure_service_principal(WORLD.tenant_id, client_id)
    with pytest.raises(ServiceError, match="AADSTS7000229"):
        directory.usable_principal(WORLD.tenant_id, client_id)
    with pytest.raises(ServiceError, match="AADSTS7000215"):
        directory.check_secret(client_id, "secret")
    time.moment += timedelta(seconds=120 / 40)
    directory.usable_principal(WORLD.tenant_id, client_id)
    directory.check_secret(client_id, "secret")


def test_a_secret_expires_and_can_be_removed(directory: EntraModel, time: Stopped) -> None:
    """An expired secret gets AADSTS7000222, an unknown one AADSTS7000215."""
    key_id, value = directory.add_secret(APP, expires=time.moment + timedelta(days=1))
    directory.check_secret(APP, value)
    time.moment += timedelta(days=2)
    with pytest.raises(ServiceError, match="AADSTS7000222"):
        directory.check_secret(APP, value)
    assert directory.remove_secret(APP, key_id)
    assert not directory.remove_secret(APP, key_id)
    with pytest.raises(ServiceError, match="AADSTS7000215"):
        directory.check_secret(APP, value)
    directory.check_secret(APP, "secret")


def test_a_secret_is_no_use_before_it_starts(directory: EntraModel, time: Stopped) -> None:
    """A secret's start may be in the future."""
    _, value = directory.add_secret(APP, starts=time.moment + timedelta(days=1))
    with pytest.raises(ServiceError, match="AADSTS7000215"):
        directory.check_secret(APP, value)
    time.moment += timedelta(days=1)
    directory.check_secret(APP, value)


def test_ensuring_twice_changes_nothing(directory: EntraModel) -> None:
    """`up` ensures the same applications and principals at every start."""
    before = directory.application(APP)
    after = directory.ensure_application(APP, "owner", tenant_id=WORLD.tenant_id, secrets=["secret"])
    assert before == after
    assert len(after["secrets"]) == 1
    assert "secret" not in str(after).replace("'secrets'", "")


def test_roles_and_missing_principals_show_in_tokens(directory: EntraModel) -> None:
    """Graph's roles are claims of tokens for Graph; a principal found by object id is the one that the token names."""
    directory.update_service_principal(WORLD.tenant_id, APP, {"roles": ["Application.ReadWrite.OwnedBy"]})
    token = directory.issue_token(WORLD.tenant_id, APP, GRAPH.app_id)
    caller = directory.authenticate(f"Bearer {token}", GRAPH.identifiers)
    assert caller.claims["roles"] == ["Application.ReadWrite.OwnedBy"]
    other = directory.authenticate(f"Bearer {directory.issue_token(WORLD.tenant_id, APP, AUDIENCE)}", ARM.identifiers)
    assert "roles" not in other.claims
    found = directory.find_principal(caller.object_id)
    assert found is not None
    assert (found["clientId"], found["tenantId"]) == (APP, WORLD.tenant_id)
    assert directory.find_principal("00000000-0000-0000-0000-000000000000") is None
