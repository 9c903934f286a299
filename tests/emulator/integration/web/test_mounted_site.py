"""A site that runs a working tree, as the resource provider's own site does at `up`."""

import asyncio
from pathlib import Path

import requests

from emulator.arm.models import ArmModel
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.host.keys import load_keys
from emulator.json_object import Json
from emulator.run.azure import Azure, make_platform
from emulator.run.sites import Sites
from emulator.run.state import PORTS
from emulator.web.models import SitesModel
from tests.emulator.groups import ensure_group
from tests.emulator.integration.web.packages import APP, HOST
from tests.platform_server import free_port

WORLD = World()
GROUP = f"/subscriptions/{WORLD.rp_subscription_id}/resourceGroups/{WORLD.rp_resource_group}"
NAME = "arorp"


def _platform(folder: Path) -> Platform:
    ports = {name: free_port() for name in PORTS}
    platform = make_platform(folder, ports, time_scale=100, world=WORLD)
    arm = platform.model(ArmModel)
    arm.subscriptions.ensure(WORLD.rp_subscription_id, WORLD.rp_tenant_id, "Provider")
    ensure_group(arm, WORLD.rp_subscription_id, WORLD.rp_resource_group, WORLD.location)
    return platform


def _seed(platform: Platform, app: Path) -> None:
    """Write the documents that a deployment writes, and mount the app."""
    documents, model = platform.model(ArmModel).documents, platform.model(SitesModel)
    plan, site = f"{GROUP}/providers/Microsoft.Web/serverfarms/plan", f"{GROUP}/providers/Microsoft.Web/sites/{NAME}"
    sku = {"name": "EP1", "tier": "ElasticPremium"}
    documents.put({"id": plan, "name": "plan", "type": "Microsoft.Web/serverfarms", "properties": {}, "sku": sku})
    properties = {"serverFarmId": plan, "clientCertEnabled": True, "clientCertMode": "Required"}
    documents.put({"id": site, "name": NAME, "type": "Microsoft.Web/sites", "properties": properties})
    settings = {
        "AzureWebJobsStorage": "UseDevelopmentStorage=true",
        "FUNCTIONS_WORKER_RUNTIME": "python",
        "FUNCTIONS_EXTENSION_VERSION": "~4",
        "COLOUR": "red",
    }
    model.set_config(site, "appsettings", {}, settings)
    model.claim(NAME, site)
    model.mount(site, app)


def _report(ports: dict[str, int]) -> Json:
    with requests.Session() as session:
        session.trust_env = False
        found: Json = session.get(f"http://localhost:{ports['functions']}/report", timeout=60).json()
    return found


async def _run(platform: Platform) -> tuple[Json, int]:
    """Run the platform until its site answers; return what the app reports, and the status without a certificate."""
    azure, sites = Azure(platform), Sites(platform, lambda _name, _process: None, lambda _name: None)
    await azure.start()
    try:
        await sites.start()
        [child] = sites.children
        assert child.program.name == "functions"
        await child.wait_ready()
        report = await asyncio.to_thread(_report, platform.ports)
        assert platform.sites == {f"{NAME}.azurewebsites.net": platform.ports["front_end"]}
        answer = await asyncio.to_thread(
            requests.get,
            f"https://localhost:{platform.ports['front_end']}/report",
            verify=str(platform.authority.certificate_path),
            timeout=60,
        )
    finally:
        await sites.stop()
        await azure.stop()
    return report, answer.status_code


def test_a_mounted_folder_runs_as_the_service(tmp_path: Path) -> None:
    """It has the ports, the state folder and the log of the service, this environment's packages, and the site's settings."""
    app = tmp_path / "app"
    app.mkdir()
    (app / "host.json").write_text(HOST)
    (app / "function_app.py").write_text(f"TEXT = 'mounted'\n{APP}")
    state = tmp_path / "state"
    state.mkdir()
    platform = _platform(state)
    _seed(platform, app)
    report, refused = asyncio.run(_run(platform))
    assert (report["text"], report["colour"], refused) == ("mounted", "red", 403)
    assert "httpx" in report["seen"]
    assert (state / "logs" / "functions.log").exists()
    keys = load_keys(state / "functions")
    again = _platform(state)
    assert again.model(SitesModel).keys(_site(again))["masterKey"] == keys.master
    report, _ = asyncio.run(_run(again))
    assert report["text"] == "mounted"


def _site(platform: Platform) -> Json:
    found = platform.model(SitesModel).find(NAME)
    if found is None:
        raise LookupError(NAME)
    return found
