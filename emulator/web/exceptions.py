"""The errors of Microsoft.Web, in Azure's wording as far as it is public.

A refused write is a 400 with the code `BadRequest`, or a 409 `Conflict` if others stand in its way.
"""

from collections.abc import Sequence

from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY, OWN, documentation, public_output

FLEX_PLAN = documentation("https://learn.microsoft.com/azure/azure-functions/flex-consumption-plan")

# fmt: off
NOT_SUPPORTED = Refusal(400, "NotSupportedByLocalAzure", OWN, "The local Azure does not support {what}.")

# Plans
PLAN_NOT_FOUND = Refusal(404, "NotFound",
    public_output("https://github.com/microsoft/vscode-azurefunctions/issues/2255"),
    "Cannot find ServerFarm with name {name}.")
FLEX_TOO_NEW = Refusal(400, "BadRequest", FLEX_PLAN, "Flex Consumption plans need api-version {version} or later.")
PLAN_IN_USE = Refusal(409, "Conflict",
    public_output("an answer to the deletion of a plan in a published list of known problems"),
    "Server farm '{identifier!n}' cannot be deleted because it has web app(s) {holders!n:, } assigned to it.")

# Sites
INVALID_HOST_NAME = Refusal(400, "BadRequest",
    public_output("https://github.com/MicrosoftDocs/azure-docs/issues/26710"),
    "The host name {host} is invalid.")
NAME_TAKEN = Refusal(409, "Conflict",
    documentation("https://learn.microsoft.com/azure/app-service/scripts/cli-deploy-local-git"),
    "Website with given name {name} already exists.")
PLAN_FULL = Refusal(409, "Conflict", FLEX_PLAN,
    "The Flex Consumption plan {plan} already has the site {site}. A Flex Consumption plan can have one site.")
OTHER_TIER = Refusal(400, "BadRequest", MEMORY, "The site {site} cannot change to a plan of the tier {tier}.")
FUNCTIONS_NOT_ON_FLEX = Refusal(400, "BadRequest", MEMORY,
    "Site.FunctionAppConfig is only valid for Flex Consumption sites; the plan of {site} is {tier}.")
FUNCTIONS_MISSING = Refusal(400, "BadRequest", MEMORY,
    "Site.FunctionAppConfig is missing. Flex Consumption sites need functionAppConfig with deployment, runtime and "
    "scaleAndConcurrency.")
INVALID_STACK = Refusal(400, "BadRequest", MEMORY,
    "The parameter LinuxFxVersion has an invalid value '{given}'. The local Azure runs {known}.")

# Networks and identities
MISSING_DELEGATION = Refusal(400, "BadRequest", MEMORY,
    "Subnet {subnet} in VNET {network} is missing a delegation to {wanted}. Please add the delegation and try again.")
UNDERSCORE_IN_SUBNET = Refusal(400, "BadRequest", FLEX_PLAN,
    "Subnet {subnet} in VNET {network} cannot be used: for Flex Consumption, the name of a subnet must not have an "
    "underscore.")
IDENTITY_NOT_ASSIGNED = Refusal(400, "BadRequest", MEMORY,
    "The parameter keyVaultReferenceIdentity has an invalid value. The identity {identity} is not assigned to the "
    "site {site}.")
INVALID_ON_FLEX = Refusal(400, "BadRequest",
    public_output("published answers to deployments of Flex Consumption sites with such settings"),
    "The following {subject} ({names:, }) for Flex Consumption sites is invalid. Please remove or rename {pronoun} before "
    "retrying.")
# fmt: on


def invalid_on_flex(kind: str, names: Sequence[str]) -> ServiceError:
    """Build the 400 for settings or site configuration properties that a Flex Consumption site must not have.

    Args:
        kind: `app setting` or `site configuration property`.
        names: their names, as `Site.SiteConfig.…`.
    """
    many = {"app setting": "app settings", "site configuration property": "site configuration properties"}
    subject = f"list of {len(names)} {many[kind]}" if len(names) > 1 else kind
    pronoun = "them" if len(names) > 1 else "it"
    return INVALID_ON_FLEX(subject=subject, names=names, pronoun=pronoun)
