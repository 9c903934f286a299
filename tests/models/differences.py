"""Where Azure itself differs from the models of its newest SDKs: each row with its reason.

A row that is not a difference any more fails a test, and so does one that a whole run of the integration tests does not
meet. A member that the local Azure should not have is mended there and gets no row.
"""

import re
from dataclasses import dataclass

from tests.models.exchanges import Exchange, Finding, Unknown
from tests.models.validation import Problem, Violation

_CERTIFICATES = "azure.keyvault.certificates._generated"
_COMPUTE = "azure.mgmt.compute"
_COSMOS = "azure.mgmt.cosmosdb"
_DEPLOYMENTS = "azure.mgmt.resource.deployments"
_STORAGE = "azure.mgmt.storage"
_WEB = "azure.mgmt.web"


@dataclass(frozen=True)
class Difference:
    """A member with which Azure differs from a model.

    Args:
        problem: what the validation says.
        library: package of the model.
        model: name of the model.
        member: name of the member.
        reason: why it is right.
    """

    problem: Problem
    library: str
    model: str
    member: str
    reason: str

    def covers(self, found: Finding) -> bool:
        """Tell whether this row is about a violation."""
        if not isinstance(found, Violation):
            return False
        known = (found.problem, found.library, found.model, found.member)
        return known == (self.problem, self.library, self.model, self.member)


@dataclass(frozen=True)
class WithoutModel:
    """A call for which no SDK has a model.

    Args:
        operation: regular expression for the whole name of the operation in the journal.
        reason: why there is none.
    """

    operation: str
    reason: str

    def covers(self, found: Finding) -> bool:
        """Tell whether this row is about a call."""
        return isinstance(found, Unknown) and re.fullmatch(self.operation, found.exchange.operation) is not None


Row = Difference | WithoutModel

# The names of the principals that act for the product, and of the one that deploys its templates.
PRINCIPALS = frozenset({"Azure Red Hat OpenShift RP", "arorp-eastus", "deployer"})

DIFFERENCES: tuple[Row, ...] = (
    WithoutModel("GET metadata/(endpoints|authentication)", "documents about a cloud, of no resource provider"),
    WithoutModel("(GET|PUT) Microsoft.MarketplaceOrdering/.*", "the tests use no SDK for it: one call, by its id"),
    WithoutModel("(GET|PUT) Microsoft.Authorization/policyExemptions", "the newest SDK has left them out"),
    WithoutModel("PUT Microsoft.Authorization/denyAssignments", "the newest SDK only reads deny assignments"),
    WithoutModel("PUT Microsoft.Insights/diagnosticSettings", "the newest SDK has left them out"),
    WithoutModel(
        "(GET|POST) Microsoft.Features/features",
        "its paths end with the namespace of the feature, by which this looks for an SDK",
    ),
    Difference(
        "unknown member",
        "azure.mgmt.redhatopenshift",
        "NetworkProfile",
        "softwareDefinedNetwork",
        "older API versions have it, the newest has not",
    ),
    Difference(
        "unknown member",
        "azure.mgmt.redhatopenshift",
        "OpenShiftCluster",
        "etag",
        "the provider's own API version has it, Microsoft's have not",
    ),
    Difference(
        "unknown member",
        "azure.mgmt.redhatopenshift",
        "OpenShiftClusterProperties",
        "conditions",
        "the provider's own API version has it, Microsoft's have not",
    ),
    Difference(
        "unknown member",
        "azure.mgmt.redhatopenshift",
        "OpenShiftClusterProperties",
        "powerState",
        "the provider's own API version has it, Microsoft's have not",
    ),
    WithoutModel(
        "(GET|POST) Microsoft.RedHatOpenShift/openShiftClusters/(operations(/cancel)?|dryRuns?)",
        "the provider's own API version has them, Microsoft's have not",
    ),
    Difference("unknown member", "azure.mgmt.monitor", "EventData", "channels", "published events have it"),
    Difference("unknown member", "arm", "Error", "Code", "the activity log has a form of its own for errors"),
    Difference("unknown member", "arm", "Error", "Message", "the activity log has a form of its own for errors"),
    Difference("missing member", "arm", "Error", "error", "the activity log has a form of its own for errors"),
    Difference(
        "unknown member",
        _CERTIFICATES,
        "X509CertificateProperties",
        "basic_constraints",
        "recorded answers of Key Vault have it",
    ),
    Difference(
        "unknown member", _CERTIFICATES, "CertificateBundle", "pending", "recorded answers of Key Vault have it"
    ),
    Difference(
        "unknown member",
        _COSMOS,
        "DatabaseAccountGetProperties",
        "EnabledApiTypes",
        "recorded answers have it, with this capital",
    ),
    Difference("unknown member", _COSMOS, "DatabaseAccountGetProperties", "sqlEndpoint", "recorded answers have it"),
    Difference(
        "unknown member", _COSMOS, "SqlContainerGetPropertiesResource", "geospatialConfig", "recorded answers have it"
    ),
    Difference(
        "other kind",
        _DEPLOYMENTS,
        "ProviderResourceType",
        "locations",
        "for types without a location Azure answers an array with null",
    ),
    Difference(
        "other value",
        _COMPUTE,
        "HardwareProfile",
        "vmSize",
        "the SDK's list of sizes ended years ago, and says so itself",
    ),
    Difference(
        "other value",
        _DEPLOYMENTS,
        "ExpressionEvaluationOptions",
        "scope",
        "the documentation of templates writes it in lower case",
    ),
    Difference(
        "unknown member",
        _DEPLOYMENTS,
        "DeploymentValidateResult",
        "location",
        "from memory: for a subscription, the answer is that of the deployment",
    ),
    Difference(
        "unknown member", _DEPLOYMENTS, "DeploymentOperationProperties", "trackingId", "recorded answers have it"
    ),
    Difference("unknown member", _WEB, "FunctionAppRuntimeSettings", "Sku", "the Azure CLI reads it"),
    Difference(
        "unknown member",
        _WEB,
        "FunctionAppRuntimeSettings",
        "supportedFunctionsExtensionVersionsInfo",
        "the Azure CLI reads it",
    ),
    Difference("other value", _WEB, "FunctionAppStackProperties", "preferredOs", "from memory: in lower case"),
    Difference("other value", _WEB, "ResourceNameAvailability", "reason", "from memory: empty for a free name"),
    Difference("unknown member", _WEB, "AppServicePlanProperties", "name", "recorded answers have it"),
    Difference("unknown member", _WEB, "AppServicePlanProperties", "serverFarmId", "recorded answers have it"),
    Difference("unknown member", _WEB, "SiteProperties", "adminEnabled", "recorded answers have it"),
    Difference("unknown member", _WEB, "SiteProperties", "name", "recorded answers have it"),
    Difference("write-only member", _WEB, "SiteProperties", "siteConfig", "recorded answers have some of its members"),
    Difference("other value", _STORAGE, "StorageAccountKey", "permissions", "answered as FULL; clients ignore case"),
)


def row_of(found: Finding) -> Row | None:
    """Return the row that explains a violation, or None."""
    return next((row for row in DIFFERENCES if row.covers(found)), None)


def is_of_product(exchange: Exchange) -> bool:
    """Tell whether the product made a call: its activities name their step, and ARM its principals.

    The resources of its templates have no step: Azure Resource Manager makes these calls in the product's name.
    """
    return bool(exchange.step) or exchange.caller in PRINCIPALS
