"""The errors of Microsoft.Web, in Azure's wording as far as it is public.

A refused write is a 400 with the code `BadRequest`, or a 409 `Conflict` if others stand in its way.
"""

from collections.abc import Sequence

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, documentation, public_output, said

FLEX_PLAN = documentation("https://learn.microsoft.com/azure/azure-functions/flex-consumption-plan")


@said(OWN)
def not_supported(what: str) -> ServiceError:
    """Build the 400 for something that Azure has and the local Azure does not emulate."""
    return ServiceError(400, "NotSupportedByLocalAzure", f"The local Azure does not support {what}.")


# Plans


@said(MEMORY)
def invalid_plan_name(name: str) -> ServiceError:
    """Build the 400 for a name that a plan cannot have."""
    return ServiceError(
        400, "BadRequest", f"The plan name '{name}' is invalid: it has only letters, digits and hyphens, at most 60."
    )


@said(public_output("https://github.com/microsoft/vscode-azurefunctions/issues/2255"))
def plan_not_found(name: str) -> ServiceError:
    """Build the 404 for a site in a plan that does not exist."""
    return ServiceError(404, "NotFound", f"Cannot find ServerFarm with name {name}.")


@said(MEMORY)
def unknown_sku(name: str) -> ServiceError:
    """Build the 400 for a SKU that no plan has."""
    return ServiceError(
        400, "BadRequest", f"The parameter SKU.Name has an invalid value. Cannot find SkuName '{name}'."
    )


@said(MEMORY)
def wrong_tier(sku: str, tier: str, given: str) -> ServiceError:
    """Build the 400 for a SKU with another tier than its own.

    Args:
        sku: name of the SKU.
        tier: its tier.
        given: the tier in the body.
    """
    return ServiceError(400, "BadRequest", f"The SKU {sku} has the tier {tier}, not {given}.")


@said(MEMORY)
def tier_fixed(plan: str, before: str, tier: str) -> ServiceError:
    """Build the 400 for changing a plan to another tier.

    Args:
        plan: name of the plan.
        before: its tier.
        tier: the tier in the body.
    """
    return ServiceError(400, "BadRequest", f"Cannot change the App Service plan {plan} from {before} to {tier}.")


@said(FLEX_PLAN)
def flex_too_new(version: str) -> ServiceError:
    """Build the 400 for a Flex Consumption plan in an api-version before this one."""
    return ServiceError(400, "BadRequest", f"Flex Consumption plans need api-version {version} or later.")


@said(MEMORY)
def worker_count(count: int, most: int) -> ServiceError:
    """Build the 400 for more or fewer workers than a plan may have."""
    return ServiceError(
        400,
        "BadRequest",
        f"The parameter maximumElasticWorkerCount has the value {count}; it must be from 1 to {most}.",
    )


@said(public_output("an answer to the deletion of a plan in a published list of known problems"))
def plan_in_use(identifier: str, holders: list[str]) -> ServiceError:
    """Build the 409 for the deletion of a plan that still has sites, given by their ids."""
    names = ", ".join(holder.rsplit("/", 1)[-1] for holder in holders)
    return ServiceError(
        409,
        "Conflict",
        f"Server farm '{identifier.rsplit('/', 1)[-1]}' cannot be deleted because it has web app(s) {names} assigned to "
        "it.",
    )


# Sites


@said(public_output("https://github.com/MicrosoftDocs/azure-docs/issues/26710"))
def invalid_host_name(host: str) -> ServiceError:
    """Build the 400 for a site whose name cannot be part of a host name."""
    return ServiceError(400, "BadRequest", f"The host name {host} is invalid.")


@said(documentation("https://learn.microsoft.com/azure/app-service/scripts/cli-deploy-local-git"))
def name_taken(name: str) -> ServiceError:
    """Build the 409 for a name that another site has. Names are unique in all of Azure."""
    return ServiceError(409, "Conflict", f"Website with given name {name} already exists.")


@said(FLEX_PLAN)
def plan_full(plan: str, site: str) -> ServiceError:
    """Build the 409 for a second site in a Flex Consumption plan."""
    return ServiceError(
        409,
        "Conflict",
        f"The Flex Consumption plan {plan} already has the site {site}. A Flex Consumption plan can have one site.",
    )


@said(MEMORY)
def other_tier(site: str, tier: str) -> ServiceError:
    """Build the 400 for moving a site to a plan of another tier."""
    return ServiceError(400, "BadRequest", f"The site {site} cannot change to a plan of the tier {tier}.")


@said(MEMORY)
def functions_not_on_flex(site: str, tier: str) -> ServiceError:
    """Build the 400 for a `functionAppConfig` on another tier than Flex Consumption."""
    return ServiceError(
        400,
        "BadRequest",
        f"Site.FunctionAppConfig is only valid for Flex Consumption sites; the plan of {site} is {tier}.",
    )


@said(MEMORY)
def functions_missing() -> ServiceError:
    """Build the 400 for a Flex Consumption site without `functionAppConfig`."""
    return ServiceError(
        400,
        "BadRequest",
        "Site.FunctionAppConfig is missing. Flex Consumption sites need functionAppConfig with deployment, runtime and "
        "scaleAndConcurrency.",
    )


@said(MEMORY)
def functions_invalid(name: str, value: object, wanted: str) -> ServiceError:
    """Build the 400 for a value of `functionAppConfig` that is not allowed.

    Args:
        name: path of the value.
        value: the value that was given.
        wanted: what it must be.
    """
    return ServiceError(
        400,
        "BadRequest",
        f"The parameter Site.FunctionAppConfig.{name} has an invalid value '{value}'; it must be {wanted}.",
    )


@said(MEMORY)
def invalid_stack(given: str, known: str) -> ServiceError:
    """Build the 400 for a language version that sites do not have."""
    return ServiceError(
        400,
        "BadRequest",
        f"The parameter LinuxFxVersion has an invalid value '{given}'. The local Azure runs {known}.",
    )


@said(public_output("published answers to deployments of Flex Consumption sites with such settings"))
def invalid_on_flex(kind: str, names: Sequence[str]) -> ServiceError:
    """Build the 400 for settings or site configuration properties that a Flex Consumption site must not have.

    Args:
        kind: `app setting` or `site configuration property`.
        names: their names, as `Site.SiteConfig.…`.
    """
    many = {"app setting": "app settings", "site configuration property": "site configuration properties"}
    subject = f"list of {len(names)} {many[kind]}" if len(names) > 1 else kind
    pronoun = "them" if len(names) > 1 else "it"
    return ServiceError(
        400,
        "BadRequest",
        f"The following {subject} ({', '.join(names)}) for Flex Consumption sites is invalid. Please remove or rename "
        f"{pronoun} before retrying.",
    )


# Settings


@said(MEMORY)
def settings_not_strings(names: Sequence[str]) -> ServiceError:
    """Build the 400 for app settings that are not strings."""
    return ServiceError(
        400,
        "BadRequest",
        f"The parameter properties has an invalid value. The app settings {', '.join(names)} must be strings.",
    )


@said(MEMORY)
def setting_names(names: Sequence[str]) -> ServiceError:
    """Build the 400 for names that app settings cannot have on Linux."""
    return ServiceError(
        400,
        "BadRequest",
        f"AppSetting with name(s) '{', '.join(names)}' is not allowed: on Linux, a name has only letters, digits, periods, "
        "hyphens and underscores.",
    )


@said(MEMORY)
def settings_differ_by_case(names: Sequence[str]) -> ServiceError:
    """Build the 400 for app settings whose names differ only in case."""
    return ServiceError(
        400, "BadRequest", f"App setting names differ by more than case: {', '.join(names)} are repeated."
    )


@said(MEMORY)
def settings_repeated(names: Sequence[str]) -> ServiceError:
    """Build the 400 for app settings that are given twice."""
    return ServiceError(400, "BadRequest", f"AppSetting with name(s) '{', '.join(names)}' is repeated.")


# Networks and identities


@said(MEMORY)
def missing_delegation(subnet: str, network: str, wanted: str) -> ServiceError:
    """Build the 400 for a subnet that is not delegated to the plan's service.

    Args:
        subnet: name of the subnet.
        network: name of its virtual network.
        wanted: the service.
    """
    return ServiceError(
        400,
        "BadRequest",
        f"Subnet {subnet} in VNET {network} is missing a delegation to {wanted}. Please add the delegation and try again.",
    )


@said(FLEX_PLAN)
def underscore_in_subnet(subnet: str, network: str) -> ServiceError:
    """Build the 400 for a subnet with an underscore in its name, which Flex Consumption cannot use."""
    return ServiceError(
        400,
        "BadRequest",
        f"Subnet {subnet} in VNET {network} cannot be used: for Flex Consumption, the name of a subnet must not have an "
        "underscore.",
    )


@said(MEMORY)
def subnet_too_small(subnet: str, network: str, tier: str, prefix: int) -> ServiceError:
    """Build the 400 for a subnet with too few addresses.

    Args:
        subnet: name of the subnet.
        network: name of its virtual network.
        tier: tier of the site's plan.
        prefix: the longest prefix that the tier can use.
    """
    return ServiceError(
        400,
        "BadRequest",
        f"Subnet {subnet} in VNET {network} is too small: {tier} needs a /{prefix} or larger.",
    )


@said(MEMORY)
def identity_not_assigned(identity: str, site: str) -> ServiceError:
    """Build the 400 for reading Key Vault references with an identity that the site does not have."""
    return ServiceError(
        400,
        "BadRequest",
        f"The parameter keyVaultReferenceIdentity has an invalid value. The identity {identity} is not assigned to the "
        f"site {site}.",
    )
