"""Names of types, settings and hosts that several modules of this package use, and the api-versions."""

from emulator.arm.api_versions import versions

VERSIONS = versions("Microsoft.Web")
# The first api-version whose sites have `functionAppConfig`.
FLEX_SINCE = "2023-12-01"

NAMESPACE = "Microsoft.Web"
PLANS = "Microsoft.Web/serverfarms"
SITES = "Microsoft.Web/sites"
CONFIG = f"{SITES}/config"
HOST = f"{SITES}/host"
POLICIES = f"{SITES}/basicPublishingCredentialsPolicies"
SUBNETS = "Microsoft.Network/virtualNetworks/subnets"
IDENTITIES = "Microsoft.ManagedIdentity/userAssignedIdentities"

FLEX, PREMIUM = "FlexConsumption", "ElasticPremium"

SUFFIX = ".azurewebsites.net"
SCM_SUFFIX = ".scm.azurewebsites.net"

HOST_STORAGE = "AzureWebJobsStorage"
