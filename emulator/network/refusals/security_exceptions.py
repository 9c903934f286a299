"""The errors of network security groups and their rules, in Azure's wording."""

from collections.abc import Sequence

from emulator.arm.schema import Found
from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, public_output, said


@said(public_output("https://github.com/DataBiosphere/terra-workspace-manager/pull/502"))
def in_use_security_group(group_id: str, holders: Sequence[str]) -> ServiceError:
    """Return the error for deleting a network security group that is attached to something."""
    return ServiceError(
        400,
        "InUseNetworkSecurityGroupCannotBeDeleted",
        f"Network security group {group_id} cannot be deleted because it is in use by the following resources: "
        f"{', '.join(holders)}. In order to delete the Network security group, remove the association with the "
        "resource(s). To learn how to do this, see aka.ms/deletensg.",
    )


@said(MEMORY)
def invalid_priority(found: Found) -> ServiceError:
    """Return the error for a priority that rules of customers cannot have."""
    return ServiceError(
        400,
        "SecurityRuleInvalidPriority",
        f"Security rule has invalid Priority. Value provided: {found.value} Allowed range 100-4096.",
    )


@said(public_output("https://github.com/Azure/azure-cli/issues/23499"))
def invalid_port(found: Found) -> ServiceError:
    """Return the error for a text that is neither a port nor a range of ports."""
    return ServiceError(
        400,
        "SecurityRuleInvalidPortRange",
        f"Security rule has invalid Port range. Value provided: {found.value}. Value should be an integer OR integer "
        "range with '-' delimiter. Valid range 0-65535.",
    )


@said(public_output("https://github.com/Azure/azure-powershell/issues/4557"))
def invalid_prefix(found: Found) -> ServiceError:
    """Return the error for a text that is no address, range or service tag, or a range with host bits set."""
    return ServiceError(
        400,
        "SecurityRuleInvalidAddressPrefix",
        f"Security rule {found.id} has invalid Address prefix. Value provided: {found.value}",
    )


@said(public_output("https://github.com/hashicorp/terraform-provider-azurerm/issues/5617"))
def tag_in_list(rule_id: str, member: str, value: str) -> ServiceError:
    """Return the error for a service tag, or for everything, in a list of addresses or ports.

    Args:
        rule_id: the rule.
        member: the member that may have it, with a capital, such as `DestinationAddressPrefix`.
        value: the tag.
    """
    return ServiceError(
        400,
        "SecurityRuleParameterContainsUnsupportedValue",
        f"Security rule parameter {member} for rule with Id {rule_id} cannot specify existing VIRTUALNETWORK, INTERNET, "
        f"AZURELOADBALANCER, '*' or system tags. Unsupported value used: {value}.",
    )


@said(public_output("https://github.com/alan-turing-institute/data-safe-haven/issues/2077"))
def overlapping_prefixes(rule_id: str, member: str, ranges: Sequence[str]) -> ServiceError:
    """Return the error for two ranges of one end of a rule that overlap.

    Args:
        rule_id: the rule.
        member: the member for one range, with a capital.
        ranges: the two ranges.
    """
    return ServiceError(
        400,
        "OverlappingSubnetsNotPermittedInSecurityRule",
        f"Security rule parameter {member} for rule with Id {rule_id} contains overlapping subnets "
        f"[{', '.join(ranges)}], which is not permitted.",
    )


@said(MEMORY)
def both_given(rule_id: str, one: str, many: str) -> ServiceError:
    """Return the error for a rule with a member for one address or port, and with the one for several.

    Args:
        rule_id: the rule.
        one: the member for one.
        many: the member for several.
    """
    return ServiceError(
        400,
        "SecurityRuleParameterContainsBothSingularAndPluralValues",
        f"Security rule with Id {rule_id} specifies both {one} and {many}. Only one of them may be specified.",
    )


@said(MEMORY)
def end_missing(rule_id: str, one: str, many: str) -> ServiceError:
    """Return the error for a rule that does not say where packets come from or go to.

    Args:
        rule_id: the rule.
        one: the member for one address or port.
        many: the member for several.
    """
    return ServiceError(
        400,
        "SecurityRuleParameterContainsUnspecifiedValue",
        f"Required security rule parameters are missing for security rule with Id: {rule_id}. Security rule must specify "
        f"{one} or {many}.",
    )


@said(public_output("https://github.com/jenkins-infra/azure/pull/439"))
def rule_conflict(rule: str, other: str) -> ServiceError:
    """Return the error for two rules of a group with one priority in one direction."""
    return ServiceError(
        400,
        "SecurityRuleConflict",
        f"Security rule {rule} conflicts with rule {other}. Rules cannot have the same Priority and Direction. To learn "
        "more, see aka.ms/nsgrules.",
    )


@said(MEMORY)
def long_description(found: Found) -> ServiceError:
    """Return the error for a description of more than 140 characters."""
    return ServiceError(
        400,
        "SecurityRuleInvalidDescription",
        f"Security rule {found.id} has a description of {len(found.value)} characters. It can have 140.",
    )
