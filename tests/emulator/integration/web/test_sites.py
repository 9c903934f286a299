"""Function apps from the plan to the answer of a published package."""

import os
import random
import signal
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

from tests.emulator.integration.web.packages import APP, DEPENDENCIES, package, zipped
from tests.emulator.integration.web.stage import Deployer
from tests.local_azure import TIME_SCALE, LocalAzure, running, unique, wait_for

FLEX = "FlexConsumption"

PREMIUM = "/api/zipdeploy?isAsync=true&Deployer=az_cli_functions"


@pytest.mark.parametrize("tier", ["FlexConsumption", "ElasticPremium"])
def test_a_published_package_answers_under_the_sites_name(azure: LocalAzure, rng: random.Random, tier: str) -> None:
    """It sees its settings and its own dependencies, and nothing of this repository or of its environment."""
    deployer = Deployer(azure, unique(rng, "site"))
    deployer.prepare(tier)
    site = deployer.put(deployer.site, deployer.body(tier))
    assert site["properties"]["sku"] == tier
    assert site["properties"]["defaultHostName"] == f"{deployer.name}.azurewebsites.net"
    deployer.set(tier, COLOUR="red")
    path = PREMIUM if tier == "ElasticPremium" else "/api/publish?RemoteBuild=false&Deployer=az_cli"
    record = deployer.publish(package(), path)
    assert (record["status"], record["complete"]) == (4, True), record["log"]
    report = deployer.report(colour="red", text="first")
    assert report["url"] == f"{deployer.url}/report"
    assert report["python"] == "3.11"
    assert ".python_packages" in report["functions"]
    assert "seen" not in report
    assert not any("site-packages" in path and ".python_packages" not in path for path in report["path"])
    assert report["environment"]["WEBSITE_SITE_NAME"] == deployer.name
    assert deployer.status("Running")
    deployer.set(tier, COLOUR="blue")
    deployer.report(colour="blue")
    assert deployer.publish(package("second"), path)["status"] == 4
    deployer.report(text="second")
    assert deployer.arm("DELETE", deployer.site).status_code == 200


def test_publishing_needs_a_role_on_the_deployment_container(azure: LocalAzure, rng: random.Random) -> None:
    """The log names the identity, the role and the account; with the role, the same package is deployed and runs."""
    deployer = Deployer(azure, unique(rng, "site"))
    deployer.prepare(FLEX, roles=False)
    deployer.put(deployer.site, deployer.body(FLEX))
    deployer.set(FLEX)
    answer = deployer.get()
    assert (answer.status_code, "no package was published" in answer.text) == (503, True)
    record = deployer.publish(package())
    assert (record["status"], record["complete"]) == (3, True)
    assert "AuthorizationPermissionMismatch" in record["log"]
    assert "Storage Blob Data" in record["log"]
    assert deployer.identity in record["log"]
    deployer.grant()
    assert deployer.publish(package())["status"] == 4
    deployer.report(text="first")


@pytest.fixture(scope="module")
def deployer(azure: LocalAzure) -> Deployer:
    """Return the deployer of a Flex Consumption site that runs a package."""
    made = Deployer(azure, f"site{uuid4().hex[:10]}")
    made.prepare(FLEX)
    made.put(made.site, made.body(FLEX))
    made.set(FLEX)
    assert made.publish(package())["status"] == 4
    made.report(text="first")
    return made


@pytest.mark.parametrize(
    ("content", "query", "wanted"),
    [
        (b"not a zip", "RemoteBuild=false", "not a zip file"),
        (zipped({"app/host.json": b"{}", "app/function_app.py": b""}), "RemoteBuild=false", "zip its contents"),
        (zipped({"host.json": b"{}"}), "RemoteBuild=false", "no function_app.py"),
        (zipped({"../host.json": b"{}"}), "RemoteBuild=false", "leads out of the package"),
        (b"", "RemoteBuild=True", "--build-remote false"),
    ],
    ids=["not a zip", "folder zipped", "no app", "outside", "remote build"],
)
def test_what_cannot_be_deployed_fails_with_a_log(deployer: Deployer, content: bytes, query: str, wanted: str) -> None:
    """The site goes on running what it ran."""
    before = deployer.report()["pid"]
    record = deployer.publish(content, f"/api/publish?{query}")
    assert record["status"] == 3
    assert wanted in record["log"]
    assert deployer.report()["pid"] == before


# Packages whose app does not load, and what the status of their host says.
BROKEN = (
    (package(dependencies=False), "no folder .python_packages"),
    (
        package(app=f"import missing\n{APP}", files={f"{DEPENDENCIES}/missing.cpython-399-x86_64-linux-gnu.so": b""}),
        "for another Python or platform than Python 3.11",
    ),
    (package(app="raise ValueError('wrong')"), "ValueError: wrong"),
    (package(host='{"version": "1.0"}'), '"version" must be "2.0"'),
)


def test_an_app_that_does_not_load_is_published_but_its_host_tells_why(deployer: Deployer) -> None:
    """As in Azure, only the host finds out; the next package makes the site work again."""
    for content, wanted in BROKEN:
        assert deployer.publish(content)["status"] == 4
        deployer.status("Error", wanted)
    assert deployer.get("/report").status_code == 503
    assert deployer.get("/admin/host/status").status_code == 401
    assert deployer.publish(package("cured"))["status"] == 4
    deployer.report(text="cured")


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        (
            {"AzureWebJobsStorage__credential": "managedIdentity", "AzureWebJobsStorage__clientId": "x"},
            "not an identity of",
        ),
        ({"AzureWebJobsStorage__queueServiceUri": ""}, "AzureWebJobsStorage__queueServiceUri is missing"),
        ({"AzureWebJobsStorage__tableServiceUri": "https://gone.table.core.windows.net"}, "gone, which"),
    ],
    ids=["identity", "mistyped setting", "no account"],
)
def test_a_host_without_its_storage_does_not_start(deployer: Deployer, settings: dict[str, str], wanted: str) -> None:
    """Its status names what is wrong, and the right settings start it."""
    deployer.set(FLEX, **settings)
    deployer.status("Error", wanted)
    deployer.set(FLEX)
    deployer.status("Running")


def test_a_stopped_site_answers_403_until_it_is_started(deployer: Deployer) -> None:
    """Stop, start and restart are what the CLI sends."""
    first = deployer.report()["pid"]
    assert deployer.arm("POST", f"{deployer.site}/stop").status_code == 200
    wait_for(lambda: deployer.get().status_code == 403, "the stop")
    assert deployer.arm("GET", deployer.site).json()["properties"]["state"] == "Stopped"
    assert deployer.arm("POST", f"{deployer.site}/start").status_code == 200
    second = deployer.report()["pid"]
    assert deployer.arm("POST", f"{deployer.site}/restart").status_code == 200
    wait_for(lambda: deployer.report()["pid"] not in (first, second), "another process")


def test_a_worker_that_dies_is_replaced(deployer: Deployer) -> None:
    """The host starts another one, as in Azure."""
    before = deployer.report()["pid"]
    os.kill(before, signal.SIGKILL)
    wait_for(lambda: deployer.report()["pid"] != before, "another worker")


def test_certificates_of_clients_reach_the_app_only_where_they_are_required(deployer: Deployer) -> None:
    """Elsewhere the header that a client sends is dropped, and no certificate is asked for."""
    forged = {"X-ARR-ClientCert": "forged"}
    endpoints = deployer.azure.endpoints
    certificate = (endpoints["wrong_client_cert"], endpoints["wrong_client_key"])
    assert deployer.get("/report", headers=forged, cert=certificate).json()["certificate"] is None
    required = {"properties": {"clientCertEnabled": True, "clientCertMode": "Required"}}
    assert deployer.arm("PATCH", deployer.site, required).status_code == 200
    deployer.session.close()
    wait_for(lambda: deployer.get("/report").status_code == 403, "the refusal")
    deployer.session.close()
    shown = wait_for(
        lambda: (answer := deployer.get("/report", headers=forged, cert=certificate)).ok and answer.json(),
        "an answer",
    )
    assert shown["certificate"] not in (None, "forged")


@pytest.mark.slow
def test_sites_come_back_with_the_platform(tmp_path: Path, rng: random.Random) -> None:
    """`down` ends them, a kill does too, and the next `up` runs what was published, with the same keys."""
    name = unique(rng, "site")
    with running(tmp_path) as azure:
        deployer = Deployer(azure, name)
        deployer.prepare(FLEX)
        deployer.put(deployer.site, deployer.body(FLEX))
        deployer.set(FLEX, COLOUR="red")
        assert deployer.publish(package())["status"] == 4
        deployer.report(colour="red")
        keys = deployer.arm("POST", f"{deployer.site}/host/default/listkeys").json()
    with running(tmp_path) as azure:
        deployer = Deployer(azure, name)
        before = deployer.report(colour="red", text="first")["pid"]
        assert deployer.arm("POST", f"{deployer.site}/host/default/listkeys").json() == keys
        platform = azure.pid("azure")
        assert platform is not None
        os.kill(platform, signal.SIGKILL)
        azure.command("up", "--detach", "--time-scale", str(TIME_SCALE))
        assert Deployer(azure, name).report(colour="red", text="first")["pid"] != before
        assert not psutil.pid_exists(before)


def test_the_cli_finds_what_it_reads_besides_the_site(deployer: Deployer) -> None:
    """The versions of Python, the publishing profile, whether a name is free, the configuration without secrets."""
    for path in ("", "/locations/eastus"):
        [stack] = deployer.arm("GET", f"/providers/Microsoft.Web{path}/functionAppStacks").json()["value"]
        versions = [minor["value"] for minor in stack["properties"]["majorVersions"][0]["minorVersions"]]
        assert versions == ["3.14", "3.13", "3.12", "3.11", "3.10"]
    profile = deployer.arm("POST", f"{deployer.site}/publishxml", {"format": "WebDeploy"})
    assert f"{deployer.name}.scm.azurewebsites.net:443" in profile.text
    check = f"{deployer.subscription}/providers/Microsoft.Web/checknameavailability"
    for name, free in ((deployer.name, False), (f"{deployer.name}-other", True)):
        answer = deployer.arm("POST", check, {"name": name, "type": "Microsoft.Web/sites"}).json()
        assert answer["nameAvailable"] is free
    for method in ("GET", "PATCH"):
        assert deployer.arm(method, f"{deployer.site}/config/appsettings", {}).status_code == 405
    shown = deployer.arm("PUT", f"{deployer.site}/config/appsettings", {"properties": deployer.settings()}).json()
    assert shown["properties"] == deployer.settings()
    listed = deployer.arm("GET", f"{deployer.site}/config").json()["value"]
    assert [each["name"] for each in listed] == ["web"]
    assert deployer.arm("GET", f"{deployer.site}/config/web").json()["properties"]["linuxFxVersion"] == ""
    assert deployer.arm("PATCH", f"{deployer.site}/config/web", {"properties": {"http20Enabled": True}}).ok
