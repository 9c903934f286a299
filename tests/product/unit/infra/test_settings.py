"""`infra/` sets what the app reads, and nothing else: a setting that only one of them knows is a typo."""

import json
import re
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from frontend.routes import MOST_BODY_BYTES
from shared import settings
from shared.settings import Callers
from shared.store import STRONG, Store

INFRA = Path(__file__).resolve().parents[4] / "infra"
KINDS = ("hosted", "own")
# Read by the platform or by the Functions host, not by us.
PLATFORM = re.compile(r"AzureWebJobsStorage__\w+|APPLICATIONINSIGHTS_\w+|FUNCTIONS_\w+|SCM_\w+|ENABLE_ORYX_BUILD")
PARAMETER = re.compile(r"^\[parameters\('(\w+)'\)\]$")
# A setting whose value exists only while the template is deployed.
CREATED = re.compile(r"'([A-Za-z_]+)', reference\(")
HOSTED = {name for name, setting in settings.table().items() if setting.only is Callers.ARM}


def _read(name: str) -> Any:
    return json.loads((INFRA / name).read_text(encoding="utf-8"))


def _settings(kind: str) -> dict[str, str]:
    """Return the app settings of a kind of deployment, with their expressions."""
    template, parameters = _read("service.json"), _read(f"{kind}.parameters.json")["parameters"]
    variables = template["variables"]
    (app,) = (each for each in template["resources"] if each["name"].endswith("'/appsettings')]"))
    return {
        **variables["settings"],
        **variables["plans"][parameters["plan"]["value"]]["settings"],
        **dict.fromkeys(CREATED.findall(app["properties"]), "(created)"),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_the_template_sets_every_setting_that_has_no_default(kind: str) -> None:
    """The app would not start."""
    required = {name for name, setting in settings.table().items() if setting.default is None}
    assert required - set(_settings(kind)) == set()


@pytest.mark.parametrize("kind", KINDS)
def test_the_template_sets_nothing_that_nobody_reads(kind: str) -> None:
    """A setting that was renamed in the code is renamed here."""
    known = set(settings.table()) | set(settings.HOST_SETTINGS)
    assert {name for name in _settings(kind) if name not in known and not PLATFORM.fullmatch(name)} == set()


@pytest.mark.parametrize("kind", KINDS)
def test_the_host_takes_no_body_that_no_path_takes(kind: str) -> None:
    """It reads a body whole, and copies it, before the app can tell who sends it."""
    assert _settings(kind)["FUNCTIONS_REQUEST_BODY_SIZE_LIMIT"] == str(MOST_BODY_BYTES)
    example = json.loads((INFRA.parent / "local.settings.example.json").read_text(encoding="utf-8"))
    assert example["Values"]["FUNCTIONS_REQUEST_BODY_SIZE_LIMIT"] == str(MOST_BODY_BYTES)


def test_in_ones_own_subscription_nothing_is_hosted() -> None:
    """The file says so of each hosted-only setting; a default would be Microsoft's."""
    template, given = _read("service.json"), _read("own.parameters.json")["parameters"]
    for name in HOSTED:
        (parameter,) = PARAMETER.findall(template["variables"]["settings"][name])
        assert "defaultValue" not in template["parameters"][parameter], name
        assert given[parameter] == {"value": ""}, name


def test_the_template_makes_the_containers_that_the_product_opens() -> None:
    """A missing one fails only at its first use."""
    opened = Mock()
    Store(opened, Mock(), Mock())
    rows = _read("service.json")["variables"]["containers"]
    assert {row["name"] for row in rows} == {call.args[0] for call in opened.call_args_list}


def test_the_apps_subnet_can_be_let_into_storage_accounts() -> None:
    """The setting names the subnet that the app is integrated with, and the subnet has the endpoint of storage."""
    template = _read("service.json")
    name, kinds = (
        "[variables('ids').appSubnet]",
        {each["type"]: each.get("properties") for each in template["resources"]},
    )
    assert template["variables"]["settings"]["APP_SUBNET_ID"] == name
    assert kinds["Microsoft.Web/sites"]["virtualNetworkSubnetId"] == name
    (app,) = (each for each in kinds["Microsoft.Network/virtualNetworks"]["subnets"] if each["name"] == "app")
    assert app["properties"]["serviceEndpoints"] == [{"service": "Microsoft.Storage"}]


def test_everybody_reads_the_documents_of_token_issuers_and_only_the_app_writes_them() -> None:
    """Entra ID fetches them without signing in: a static website, no public blobs, no keys."""
    template = _read("service.json")
    names = ("[variables('names').issuers]", "[concat(variables('names').issuers, '/default')]")
    account, service = (
        next(each for each in template["resources"] if each["name"] == name)["properties"] for name in names
    )
    assert not account["allowBlobPublicAccess"]
    assert not account["allowSharedKeyAccess"]
    assert (account["publicNetworkAccess"], account["networkAcls"]) == ("Enabled", {"defaultAction": "Allow"})
    assert service["staticWebsite"] == {"enabled": True}
    granted = [each["role"] for each in template["variables"]["grants"] if each["on"] == "[variables('ids').issuers]"]
    assert granted == ["[variables('roles')['Storage Blob Data Contributor']]"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_deployment_knows_where_documents_of_token_issuers_are(kind: str) -> None:
    """Where the app writes them, and where everybody reads them, which Azure tells once the account exists."""
    assert _settings(kind)["ISSUER_ACCOUNT_URL"] == "[variables('endpoints').issuers]"
    assert _settings(kind)["ISSUER_URL"] == "(created)"


def test_every_read_of_the_database_sees_every_write_before_it() -> None:
    """At any weaker level a superseded attempt may pass its fence. Several regions of writes do not allow this one."""
    (account,) = (
        each for each in _read("service.json")["resources"] if each["type"] == "Microsoft.DocumentDB/databaseAccounts"
    )
    assert account["properties"]["consistencyPolicy"] == {"defaultConsistencyLevel": STRONG}
    assert len(account["properties"]["locations"]) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_parameter_file_gives_only_parameters_of_the_template(kind: str) -> None:
    """ARM refuses others."""
    assert set(_read(f"{kind}.parameters.json")["parameters"]) <= set(_read("service.json")["parameters"])


def test_no_template_takes_or_returns_a_secret() -> None:
    """Deployment history is readable to everybody with read rights; secrets are written to the vault by commands."""
    for path in INFRA.glob("*.json"):
        document = json.loads(path.read_text(encoding="utf-8"))
        text = json.dumps(document)
        assert "listKeys" not in text, path
        assert "newGuid" not in text, path
        kinds = {each["type"].lower() for section in ("parameters", "outputs") for each in _typed(document, section)}
        assert not kinds & {"securestring", "secureobject"}, path


def _typed(document: Any, section: str) -> list[Any]:
    return [each for each in (document.get(section) or {}).values() if "type" in each]
