"""Where the property tables of the emulated types rightly differ from the models of the newest SDKs."""

import re
from dataclasses import dataclass

from tests.models.tables import Mismatch, Problem

_NEWER = "an api-version that the newest SDK does not have"
_OLDER = "older api-versions have it"
_SHOWN = "answers have it, so clients send it back"
_CHECKED = "checked by a hook, with an error of its own"
_KEPT = "kept as it is sent: nobody sends a wrong one"
_REFUSED = "the local Azure does not emulate the others"


@dataclass(frozen=True)
class TableDifference:
    """Members of a table that differ from a model.

    Args:
        type: regular expression for the emulated type.
        path: regular expression for the path of the member.
        problem: what differs.
        reason: why it is right.
    """

    type: str
    path: str
    problem: Problem
    reason: str

    def covers(self, found: Mismatch) -> bool:
        """Tell whether this row is about a mismatch."""
        return (
            found.problem == self.problem
            and re.fullmatch(self.type, found.type) is not None
            and re.fullmatch(self.path, found.path) is not None
        )


TABLE_DIFFERENCES = (
    TableDifference("Microsoft.*", "etag|systemData", "unknown member", "every type takes them and drops them"),
    TableDifference("Microsoft.Web/.*", "location|tags", "unknown member", "Azure answers them for each of its types"),
    TableDifference(".*/roleAssignments", r"properties\.canDelegate", "unknown member", _OLDER),
    TableDifference(".*/locks", r"properties\.level", "missing values", "answers never have NotSpecified"),
    TableDifference(".*/policyAssignments", "sku", "unknown member", _OLDER),
    TableDifference(".*/policyAssignments", r"properties\.enforcementMode", "missing values", _REFUSED),
    TableDifference(".*/virtualMachines", r"properties\.priority", "missing values", _REFUSED),
    TableDifference(".*/virtualMachines", r".*[dD]isks?(\[\])?\.createOption", "missing values", _REFUSED),
    TableDifference(
        ".*/virtualMachines",
        r"properties\.hardwareProfile\.vmSize",
        "open values",
        "the list of the SDK ended years ago",
    ),
    TableDifference(".*/roleAssignments", r"properties\.principalType", "open values", _CHECKED),
    TableDifference(".*", r".*\.partitionKey\.kind", "open values", _CHECKED),
    TableDifference(".*/sqlRoleDefinitions", r"properties\.type", "open values", _CHECKED),
    TableDifference("Microsoft.Web/.*", r".*\.scmType", "open values", _KEPT),
    TableDifference(".*/workspaces", r"properties\.sku\.name", "open values", _KEPT),
    TableDifference(".*/vaults", r"properties\.createMode", "missing values", _REFUSED),
    TableDifference(".*/vaults", r".*", "open values", _KEPT),
    TableDifference(".*/storageAccounts", r".*\.bypass", "open values", "several, separated by commas"),
    TableDifference(".*/dnsZones", r"properties\.signingKeys", "unknown member", _NEWER),
    TableDifference(".*/dnsZones/.*", r"properties\.trafficManagementProfile", "unknown member", _NEWER),
    TableDifference(".*/databaseAccounts(/.*)?", r".*\.createMode", "missing values", _REFUSED),
    TableDifference(".*/databaseAccounts", r"properties\.(EnabledApiTypes|sqlEndpoint)", "unknown member", _SHOWN),
    TableDifference(".*/sqlDatabases(/containers)?", r"properties\.resource\._[a-z]+", "unknown member", _SHOWN),
    TableDifference(".*/containers", r"properties\.resource\.geospatialConfig", "unknown member", _SHOWN),
    TableDifference(
        ".*/virtualNetworkPeerings", r"properties\.(remoteGateways|routeServiceVips)", "unknown member", _SHOWN
    ),
    TableDifference(".*/loadBalancers", r"sku\.name", "missing values", _REFUSED),
    TableDifference(".*/loadBalancers(/.*)?", r".*\.protocol", "missing values", _REFUSED),
    TableDifference(".*/loadBalancers(/.*)?", r".*\.privateLinkService", "unknown member", _SHOWN),
    TableDifference(".*/registries", r"properties\.storageAccount", "unknown member", _OLDER),
    TableDifference(".*/serverfarms", r"properties\.(name|serverFarmId)", "unknown member", _SHOWN),
    TableDifference(".*/sites", r"properties\.(adminEnabled|name)", "unknown member", _SHOWN),
    TableDifference(".*/sites", r"properties\.provisioningState", "unknown member", "it is dropped"),
    TableDifference(".*/components", r"properties\.publicNetworkAccessFor.*", "other values", _NEWER),
    TableDifference(".*/workspaces", r"properties\.features\.(searchVersion|legacy)", "unknown member", _SHOWN),
)
