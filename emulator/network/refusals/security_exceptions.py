"""The errors of network security groups and their rules, in Azure's wording."""

from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, public_output

# fmt: off
INVALID_PRIORITY = Refusal(400, "SecurityRuleInvalidPriority", MEMORY,
    "Security rule has invalid Priority. Value provided: {found.value} Allowed range 100-4096.")
INVALID_PORT = Refusal(400, "SecurityRuleInvalidPortRange",
    public_output("https://github.com/Azure/azure-cli/issues/23499"),
    "Security rule has invalid Port range. Value provided: {found.value}. Value should be an integer OR integer range "
    "with '-' delimiter. Valid range 0-65535.")
INVALID_PREFIX = Refusal(400, "SecurityRuleInvalidAddressPrefix",
    public_output("https://github.com/Azure/azure-powershell/issues/4557"),
    "Security rule {found.id} has invalid Address prefix. Value provided: {found.value}")
RULE_CONFLICT = Refusal(400, "SecurityRuleConflict", public_output("https://github.com/jenkins-infra/azure/pull/439"),
    "Security rule {rule} conflicts with rule {other}. Rules cannot have the same Priority and Direction. To learn "
    "more, see aka.ms/nsgrules.")
IN_USE_SECURITY_GROUP = Refusal(400, "InUseNetworkSecurityGroupCannotBeDeleted",
    public_output("https://github.com/DataBiosphere/terra-workspace-manager/pull/502"),
    "Network security group {identifier} cannot be deleted because it is in use by the following resources: {holders:, }. "
    "In order to delete the Network security group, remove the association with the resource(s). To learn how to do "
    "this, see aka.ms/deletensg.")
# fmt: on
