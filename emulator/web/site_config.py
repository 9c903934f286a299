"""`siteConfig` of a site, which is also its resource `config/web`."""

from emulator.arm.schema import Choice, Required, Since
from emulator.json_object import Json
from emulator.web import exceptions
from emulator.web.names import FLEX
from emulator.web.stacks import PYTHON_VERSIONS, python_of

_TLS = Choice(("1.0", "1.1", "1.2", "1.3"))
SITE_CONFIG: Json = {
    "alwaysOn": bool,
    "appSettings": [{"name": Required(str), "value": object}],
    "cors": object,
    "elasticWebAppScaleLimit": Since("2022-09-01", int),
    "ftpsState": Choice(("AllAllowed", "FtpsOnly", "Disabled")),
    "functionAppScaleLimit": int,
    "functionsRuntimeScaleMonitoringEnabled": bool,
    "http20Enabled": bool,
    "ipSecurityRestrictions": [object],
    "keyVaultReferenceIdentity": str,
    "linuxFxVersion": str,
    "minTlsVersion": _TLS,
    "minimumElasticInstanceCount": int,
    "netFrameworkVersion": str,
    "numberOfWorkers": int,
    "preWarmedInstanceCount": int,
    "publicNetworkAccess": str,
    "scmIpSecurityRestrictions": [object],
    "scmMinTlsVersion": _TLS,
    "scmType": str,
    "use32BitWorkerProcess": bool,
    "vnetRouteAllEnabled": bool,
}
# What Flex Consumption answers with "is invalid", because the plan decides it or does not have it.
REFUSED_ON_FLEX = (
    "alwaysOn",
    "elasticWebAppScaleLimit",
    "ftpsState",
    "functionAppScaleLimit",
    "functionsRuntimeScaleMonitoringEnabled",
    "linuxFxVersion",
    "minimumElasticInstanceCount",
    "netFrameworkVersion",
    "preWarmedInstanceCount",
    "use32BitWorkerProcess",
    "vnetRouteAllEnabled",
)
# Members that would change who may call, which is not emulated.
NOT_EMULATED = ("ipSecurityRestrictions", "scmIpSecurityRestrictions")
DEFAULTS: Json = {
    "numberOfWorkers": 1,
    "linuxFxVersion": "",
    "scmType": "None",
    "http20Enabled": False,
    "minTlsVersion": "1.2",
    "scmMinTlsVersion": "1.2",
    "ftpsState": "FtpsOnly",
    "minimumElasticInstanceCount": 0,
    "functionAppScaleLimit": 0,
    "alwaysOn": False,
    "publicNetworkAccess": "Enabled",
}
# The members of `config/web` that GET of a site shows in its `siteConfig`.
SHOWN = (
    "numberOfWorkers",
    "linuxFxVersion",
    "alwaysOn",
    "http20Enabled",
    "functionAppScaleLimit",
    "minimumElasticInstanceCount",
)


def check(config: Json, tier: str) -> None:
    """Check a `siteConfig` against the tier of the site's plan.

    Raises:
        ServiceError: 400 with every member that is refused.
    """
    refused = [name for name in REFUSED_ON_FLEX if tier == FLEX and config.get(name) not in (None, DEFAULTS.get(name))]
    if refused:
        raise exceptions.invalid_on_flex(
            "site configuration property", [f"Site.SiteConfig.{name[0].upper()}{name[1:]}" for name in refused]
        )
    for name in NOT_EMULATED:
        if config.get(name):
            raise exceptions.NOT_SUPPORTED(f"siteConfig.{name}")
    version = config.get("linuxFxVersion")
    if version and not python_of(version):
        raise exceptions.INVALID_STACK(given=version, known=", ".join(f"Python|{known}" for known in PYTHON_VERSIONS))
