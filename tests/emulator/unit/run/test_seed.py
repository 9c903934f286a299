"""What exists before anything is deployed."""

import asyncio
import re
from pathlib import Path

from emulator.arm.models import ArmModel
from emulator.arm.subscriptions import ALWAYS_REGISTERED
from emulator.core.store import Document
from emulator.core.world import World
from emulator.run.azure import NO_WAITING, make_platform
from emulator.run.exports import deployer_environment
from emulator.run.seed import Seed, seed
from emulator.run.state import PORTS

WORLD = World()


def _seeded(root: Path) -> tuple[Seed, dict[str, Document]]:
    platform = make_platform(root, dict.fromkeys(PORTS, 1), time_scale=NO_WAITING, world=WORLD)
    seeded = seed(platform)
    resources = dict(platform.store.table("arm_resources").scan())
    asyncio.run(platform.stop())
    return seeded, resources


def test_seeding_again_changes_nothing(tmp_path: Path) -> None:
    """Every `up` seeds; secrets that people have pasted elsewhere stay valid."""
    first = _seeded(tmp_path)
    assert _seeded(tmp_path) == first


def test_secrets_can_be_pasted_after_an_option(tmp_path: Path) -> None:
    """`az login -p` would mistake a secret that begins with a dash for an option."""
    seeded, _ = _seeded(tmp_path)
    applications = (seeded.owner, seeded.deployer, seeded.cluster, *seeded.extra)
    assert all(application.secret.isalnum() for application in applications)


def test_the_deployer_owns_a_subscription_with_nothing_in_it(tmp_path: Path) -> None:
    """The page's commands begin there; `env --deployer` gives them the names that the page uses."""
    _, resources = _seeded(tmp_path)
    platform = make_platform(tmp_path, dict.fromkeys(PORTS, 1), time_scale=1, world=WORLD)
    arm = platform.model(ArmModel)
    namespaces = arm.subscriptions.namespaces()
    registered = {
        name
        for name in namespaces
        if arm.subscriptions.registration_state(WORLD.spare_subscription_id, name) == "Registered"
    }
    asyncio.run(platform.stop())
    inside = f"/subscriptions/{WORLD.spare_subscription_id}/"
    types = {document["type"] for path, document in resources.items() if path.lower().startswith(inside)}
    assert types == {"Microsoft.Authorization/roleAssignments"}
    assert registered == set(ALWAYS_REGISTERED) & set(namespaces)


def test_the_deployers_terminal_has_the_variables_of_the_page() -> None:
    """A page that named another variable would sign in as nobody."""
    page = (Path(__file__).parents[4] / "docs/deploy.md").read_text(encoding="utf-8")
    deployer = {"tenant_id": "t", "subscription_id": "s", "client_id": "c", "client_secret": "x"}
    exported = deployer_environment({"proxy": "p", "ca_bundle": "b", "deployer": deployer})
    assert set(re.findall(r"\$\{?(AZURE_\w+)", page)) <= exported.keys()


def test_there_is_nothing_but_the_owners_of_subscriptions(tmp_path: Path) -> None:
    """Everything else is what `infra/` deploys."""
    _, resources = _seeded(tmp_path)
    assert {found["type"] for found in resources.values()} == {"Microsoft.Authorization/roleAssignments"}
