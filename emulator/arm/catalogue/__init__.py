"""What exists in Azure and not here, by name: namespaces, types and api-versions.

Who asks for something of Azure's that is not emulated must not be told that it does not exist. What is in no table here
and in no row gets Azure's own refusal.

`namespaces.txt` has the namespaces. `types.txt` has the types of those namespaces of which some types are emulated, and
behind each emulated type the api-versions of it that are not.

Source: the headings of the types in https://github.com/Azure/bicep-types-az, the paths of the newest SDKs for Python, and
for namespaces without types there https://learn.microsoft.com/azure/azure-resource-manager/management/azure-services-resource-providers.
"""

from pathlib import Path

from emulator.core.refusals import Refusal
from emulator.core.sources import OWN

_FOLDER = Path(__file__).parent


def _lines(name: str) -> list[str]:
    return (_FOLDER / name).read_text(encoding="utf-8").splitlines()


# By lower-case name, the name as Azure writes it.
NAMESPACES = {name.lower(): name for name in _lines("namespaces.txt")}
# By lower-case name, the name as Azure writes it and the versions that are not emulated.
TYPES = {words[0].lower(): (words[0], words[1:]) for words in map(str.split, _lines("types.txt"))}


def require_namespace(namespace: str) -> None:
    """Check that a namespace that is not emulated does not exist in Azure either.

    Raises:
        ServiceError: 400 `NotSupportedByLocalAzure`.
    """
    if known := NAMESPACES.get(namespace.lower()):
        raise NOT_EMULATED(f"the namespace '{known}'")


def require_type(resource_type: str) -> None:
    """Check that a type that is not emulated does not exist in Azure either.

    Args:
        resource_type: full type, such as `Microsoft.Network/virtualNetworks`.

    Raises:
        ServiceError: 400 `NotSupportedByLocalAzure`.
    """
    if known := TYPES.get(resource_type.lower()):
        raise NOT_EMULATED(f"the resource type '{known[0]}'")


def require_version(resource_type: str, version: str) -> None:
    """Check that an api-version that is not emulated does not exist in Azure either.

    Args:
        resource_type: full type, such as `Microsoft.Network/virtualNetworks`.
        version: the api-version of the request.

    Raises:
        ServiceError: 400 `NotSupportedByLocalAzure`.
    """
    name, versions = TYPES.get(resource_type.lower(), ("", []))
    if version.lower() in versions:
        raise NOT_EMULATED(f"the api-version '{version}' of '{name}'")


# fmt: off
NOT_EMULATED = Refusal(400, "NotSupportedByLocalAzure", OWN, "The local Azure does not have {what}.")
# fmt: on
