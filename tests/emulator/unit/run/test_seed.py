"""What exists before anybody sends a request."""

import asyncio
from pathlib import Path

from emulator.arm.access.roles import ROLES
from emulator.core.store import Document
from emulator.core.world import World
from emulator.cosmos import CosmosModel
from emulator.keyvault import IssuerModel
from emulator.run.azure import make_platform, make_seed
from emulator.run.seed import Seed, fill
from emulator.run.state import PORTS
from emulator.run.tables import CONTAINERS, DATABASE, GRANTS, RESOURCES
from shared import settings

WORLD = World()
# These are not identities of the service, and the page is about those.
PEOPLE = {"owner", "deployer"}
FREE = dict.fromkeys(PORTS, 1)


async def _seeded(root: Path) -> tuple[Seed, dict[str, Document]]:
    seeded = await make_seed(root, FREE, world=WORLD)
    platform = make_platform(root, FREE, time_scale=1, world=WORLD)
    resources = dict(platform.store.table("arm_resources").scan())
    await platform.stop()
    return seeded, resources


def test_seeding_again_changes_nothing(tmp_path: Path) -> None:
    """Every `up` seeds; secrets that people have pasted elsewhere stay valid."""
    first = asyncio.run(_seeded(tmp_path))
    assert asyncio.run(_seeded(tmp_path)) == first


def test_secrets_can_be_pasted_after_an_option(tmp_path: Path) -> None:
    """`az login -p` would mistake a secret that begins with a dash for an option."""
    seeded, _ = asyncio.run(_seeded(tmp_path))
    assert all(application.secret.isalnum() for application in (seeded.owner, seeded.cluster, *seeded.extra))


def test_every_name_in_the_tables_exists() -> None:
    """Otherwise a misspelt name in braces would only be found by `up`."""
    for path, body in RESOURCES:
        assert "{" not in fill(path, WORLD)
        fill(body, WORLD)
    for grant in GRANTS:
        assert fill(grant.where, WORLD).startswith("/subscriptions/")


def test_operators_are_told_to_assign_the_same_roles() -> None:
    """A real deployment needs exactly the roles that the local Azure grants."""
    page = (Path(__file__).parents[4] / "docs/operations.md").read_text(encoding="utf-8")
    table = page.partition("## What the identities may do\n")[2].partition("\n## ")[0]
    told = {role.name for role in ROLES.values() if f"| {role.name}" in table}
    assert told == {ROLES[grant.role].name for grant in GRANTS if grant.who not in PEOPLE}


def test_the_database_has_the_containers_of_the_table(tmp_path: Path) -> None:
    """The product opens containers by name, and a missing one fails only at its first use."""
    asyncio.run(make_seed(tmp_path, FREE, world=WORLD))
    platform = make_platform(tmp_path, FREE, time_scale=1, world=WORLD)
    containers = platform.model(CosmosModel).containers(WORLD.cosmos_account, DATABASE)
    assert {container["id"] for container in containers} == {row.name for row in CONTAINERS}
    asyncio.run(platform.stop())


def test_the_clusters_vault_knows_the_issuer_from_whom_the_app_orders(tmp_path: Path) -> None:
    """The app is deployed with its default issuer; with another name every create would fail."""
    asyncio.run(make_seed(tmp_path, FREE, world=WORLD))
    platform = make_platform(tmp_path, FREE, time_scale=1, world=WORLD)
    _, issuer = settings.table()["CERTIFICATE_ISSUER"]
    assert issuer is not None
    assert platform.model(IssuerModel).find(WORLD.cluster_vault, issuer) is not None
    asyncio.run(platform.stop())
