"""What `up` registers as the resource provider."""

import asyncio
from pathlib import Path

import pytest

from emulator.arm.models import ArmModel
from emulator.core.world import World
from emulator.run.azure import NO_WAITING, make_platform
from emulator.run.provider.deployment_record import Deployed
from emulator.run.provider.hosted_deployment import register
from emulator.run.seed import seed
from emulator.run.state import PORTS
from emulator.web.models import SitesModel
from tests import provider_registration

HOST = "mine.azurewebsites.net"


@pytest.mark.parametrize(
    ("exists", "want"), [(True, provider_registration.HOST), (False, HOST)], ids=["another", "a removed one"]
)
def test_the_working_tree_is_the_provider_unless_somebody_has_registered_another_site(
    tmp_path: Path, exists: bool, want: str
) -> None:
    """A site that was removed since would leave ARM without a provider."""
    platform = make_platform(tmp_path, dict.fromkeys(PORTS, 1), time_scale=NO_WAITING, world=World())
    seed(platform)
    provider_registration.register(platform)
    arm = platform.model(ArmModel)
    if exists:
        site = f"/subscriptions/{platform.world.spare_subscription_id}/resourceGroups/g/providers/Microsoft.Web/sites/arorp"
        arm.documents.put({"id": site, "name": "arorp", "type": "Microsoft.Web/sites", "properties": {}})
        platform.model(SitesModel).claim("arorp", site)
    definitions = (
        f"/subscriptions/{platform.world.rp_subscription_id}/providers/Microsoft.Authorization/roleDefinitions"
    )
    roles = {
        "subscriptionRole": f"{definitions}/{provider_registration.SERVED}",
        "clusterRole": f"{definitions}/{provider_registration.MANAGED}",
    }
    register(platform, Deployed(site="site", outputs={"host": HOST}, identities=(), roles=roles, settings={}))
    assert arm.registration.host == want
    asyncio.run(platform.stop())
