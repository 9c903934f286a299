"""The functions of Azure's template language that the local Azure does not have.

Who uses one must not look for a mistake of his own, as Azure's "is not valid" would make him do.

Source: https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions, its page for each group of
functions, and for those that only Bicep writes: `Azure/bicep`, src/Bicep.Core/Semantics/Namespaces.
"""

from emulator.core.refusals import Refusal
from emulator.core.sources import OWN

_NAMES = (
    *("base64ToJson", "buildUri", "dataUri", "dataUriToString", "float", "parseUri", "uri", "uriComponent"),
    *("flatten", "intersection", "lastIndexOf", "objectKeys", "padLeft", "pickZones", "uriComponentToString"),
    *("cidrHost", "cidrSubnet", "parseCidr"),
    *("dateTimeAdd", "dateTimeFromEpoch", "dateTimeToEpoch"),
    *("deployer", "externalInput", "externalInputs", "fail", "managementGroup", "managementGroupResourceId"),
    *("filter", "groupBy", "lambda", "lambdaVariables", "map", "mapValues", "reduce", "sort", "toObject"),
    *("indexFromEnd", "tryGet", "tryIndexFromEnd", "shallowMerge"),
    *("providers", "references", "resourceInfo"),
    *("toLogicalZone", "toLogicalZones", "toPhysicalZone", "toPhysicalZones"),
)
# By lower-case name, the name as Azure writes it.
ABSENT = {name.lower(): name for name in _NAMES}

# fmt: off
NOT_EMULATED = Refusal(400, "NotSupportedByLocalAzure", OWN,
    "The local Azure does not have the template function '{name}'.")
# fmt: on
