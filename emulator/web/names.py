"""Names of types, settings and hosts that several modules of this package use, and the api-versions."""

VERSIONS = (
    "2018-02-01",
    "2018-11-01",
    "2019-08-01",
    "2020-06-01",
    "2020-09-01",
    "2020-10-01",
    "2020-12-01",
    "2021-01-01",
    "2021-01-15",
    "2021-02-01",
    "2021-03-01",
    "2022-03-01",
    "2022-09-01",
    "2023-01-01",
    "2023-12-01",
    "2024-04-01",
    "2024-11-01",
    "2025-03-01",
    "2025-05-01",
)
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
