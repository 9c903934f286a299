"""The language versions of function apps, and `functionAppStacks`, which lists them for clients."""

import re
from dataclasses import dataclass

from starlette.responses import Response

from emulator.arm.call import Call, Row, answer
from emulator.arm.exceptions import LOCATION_NOT_AVAILABLE
from emulator.arm.groups import LOCATIONS, normal_location
from emulator.json_object import Json
from emulator.web.names import NAMESPACE, VERSIONS


@dataclass(frozen=True)
class PythonVersion:
    """A Python version that function apps may ask for."""

    version: str
    ends: str
    default: bool = False


PYTHON = (
    PythonVersion("3.14", "2030-10-31T00:00:00Z"),
    PythonVersion("3.13", "2029-10-31T00:00:00Z"),
    PythonVersion("3.12", "2028-10-31T00:00:00Z", default=True),
    PythonVersion("3.11", "2027-10-31T00:00:00Z"),
    PythonVersion("3.10", "2026-10-31T00:00:00Z"),
)
PYTHON_VERSIONS = tuple(known.version for known in PYTHON)
# The runtimes that Flex Consumption has. The local Azure runs only Python.
RUNTIMES = ("dotnet-isolated", "node", "java", "powershell", "python", "custom")
_LINUX_FX = re.compile(r"python\|([0-9.]+)", re.IGNORECASE)


def python_of(linux_fx_version: str) -> str:
    """Return the Python version that `linuxFxVersion` asks for, or "" if function apps do not have it."""
    found = _LINUX_FX.fullmatch(linux_fx_version)
    return found[1] if found is not None and found[1] in PYTHON_VERSIONS else ""


def _skus(version: str) -> list[Json]:
    runtime = {"name": "python", "version": version}
    flex = {
        "skuCode": "FC1",
        "instanceMemoryMB": [
            {"size": 512, "isDefault": False},
            {"size": 2048, "isDefault": True},
            {"size": 4096, "isDefault": False},
        ],
        "maximumInstanceCount": {
            "lowestMaximumInstanceCount": 40,
            "highestMaximumInstanceCount": 1000,
            "defaultValue": 100,
        },
        "functionAppConfigProperties": {"runtime": runtime},
    }
    return [flex, {"skuCode": "EP"}]


def _minor(known: PythonVersion) -> Json:
    settings = {
        "runtimeVersion": f"Python|{known.version}",
        "remoteDebuggingSupported": False,
        "isDefault": known.default,
        "isPreview": False,
        "isDeprecated": False,
        "isHidden": False,
        "appInsightsSettings": {"isSupported": True},
        "gitHubActionSettings": {"isSupported": True, "supportedVersion": known.version},
        "appSettingsDictionary": {"FUNCTIONS_WORKER_RUNTIME": "python"},
        "siteConfigPropertiesDictionary": {
            "use32BitWorkerProcess": False,
            "linuxFxVersion": f"Python|{known.version}",
        },
        "supportedFunctionsExtensionVersions": ["~4"],
        "supportedFunctionsExtensionVersionsInfo": [
            {"version": "~4", "isDeprecated": False, "isDefault": True, "notSupportedInCreates": False}
        ],
        "endOfLifeDate": known.ends,
        "Sku": _skus(known.version),
    }
    return {
        "displayText": f"Python {known.version}",
        "value": known.version,
        "stackSettings": {"linuxRuntimeSettings": settings},
    }


def python_stack(location: str = "") -> Json:
    """Return the entry for Python."""
    where = f"/locations/{location}" if location else ""
    return {
        "id": f"/providers/{NAMESPACE}{where}/functionAppStacks/python",
        "name": "python",
        "type": f"{NAMESPACE}{'/locations' if location else ''}/functionAppStacks",
        "properties": {
            "displayText": "Python",
            "value": "python",
            "preferredOs": "linux",
            "majorVersions": [
                {"displayText": "Python 3", "value": "3", "minorVersions": [_minor(known) for known in PYTHON]}
            ],
        },
    }


async def list_stacks(call: Call) -> Response:
    """GET /providers/Microsoft.Web/functionAppStacks, for all regions or for one."""
    location = normal_location(call.params.get("location", ""))
    if location and location not in LOCATIONS:
        raise LOCATION_NOT_AVAILABLE(
            location=location, resource_type=f"{NAMESPACE}/locations/functionAppStacks", available=",".join(LOCATIONS)
        )
    wanted = call.request.query_params.get("stack", "").lower()
    return answer({"value": [python_stack(location)] if wanted in ("", "python") else [], "nextLink": None})


ROWS = (
    Row(
        "GET",
        "/providers/Microsoft.Web/functionAppStacks",
        list_stacks,
        "Microsoft.Web/functionAppStacks",
        VERSIONS,
    ),
    Row(
        "GET",
        "/providers/Microsoft.Web/locations/{location}/functionAppStacks",
        list_stacks,
        "Microsoft.Web/locations/functionAppStacks",
        VERSIONS,
    ),
)
