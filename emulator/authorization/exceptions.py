"""The errors of Microsoft.Authorization: role definitions and assignments, deny assignments, policies, filters."""

from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, OWN, documentation, public_output

# The negative tests of role definitions in the SDK for .NET, which ran against Azure: they tell status and code. The
# texts are from memory.
_SDK_TESTS = public_output(
    "Azure/azure-sdk-for-net: the recorded tests of role definitions of Microsoft.Azure.Management.Authorization"
)
_TROUBLESHOOTING = documentation("https://learn.microsoft.com/en-us/azure/role-based-access-control/troubleshooting")

# fmt: off
# Role definitions
ROLE_DEFINITION_EXISTS = Refusal(409, "RoleDefinitionExists", _SDK_TESTS,
    "The role definition already exists. It can be updated as {identifier}.")
BUILT_IN_ROLE = Refusal(400, "RoleDefinitionUpdateNotPermitted", MEMORY,
    "A built-in role definition cannot be updated or deleted.")
ROLE_NAME_EXISTS = Refusal(409, "RoleDefinitionWithSameNameExists", _SDK_TESTS,
    "A custom role with the same name already exists in this directory. Use a different name.")
ASSIGNABLE_SCOPE_NOT_EMULATED = Refusal(400, "NotSupportedByLocalAzure", OWN,
    "The local Azure does not have custom roles that are assignable at '{scope}': it knows subscriptions and resource "
    "groups.")
ROLE_CONDITIONS = Refusal(400, "ConditionNotSupported", OWN,
    "The local Azure does not support conditions in the permissions of a role.")
ROLE_HAS_ASSIGNMENTS = Refusal(400, "RoleDefinitionHasAssignments", _TROUBLESHOOTING,
    "There are existing role assignments referencing role.")
ROLE_DEFINITION_NOT_FOUND = Refusal(404, "RoleDefinitionDoesNotExist",
    public_output("an answer of Azure to a GET by the provider azurerm for Terraform, status 404"),
    "The specified role definition with ID '{guid}' does not exist.")

# Role assignments
ROLE_ASSIGNMENT_ID = Refusal(400, "InvalidRoleAssignmentId", MEMORY,
    "The role assignment ID '{name}' is not valid. The role assignment ID must be a GUID.")
ASSIGNED_ROLE_ID = Refusal(400, "InvalidRoleDefinitionId",
    public_output("https://github.com/hashicorp/terraform-provider-azurerm/issues/8547"),
    "The role definition ID '{name}' is not valid.")
ASSIGNED_ROLE_NOT_FOUND = Refusal(400, "RoleDefinitionDoesNotExist", MEMORY,
    "The specified role definition with ID '{guid}' does not exist.")
ROLE_ASSIGNMENT_UPDATE = Refusal(400, "RoleAssignmentUpdateNotPermitted",
    public_output("https://learn.microsoft.com/en-us/answers: deployments that assign a role again for a new principal"),
    "Tenant ID, application ID, principal ID, and scope are not allowed to be updated.")
PRINCIPAL_ID = Refusal(400, "InvalidPrincipalId", MEMORY,
    "A valid principal ID must be provided for role assignment: {identifier}.")

ROLE_ASSIGNMENT_EXISTS = Refusal(409, "RoleAssignmentExists", MEMORY,
    "The role assignment already exists. The ID of the conflicting role assignment is {guid}.")
PRINCIPAL_NOT_FOUND = Refusal(400, "PrincipalNotFound", MEMORY,
    "Principal {guid} does not exist in the directory {tenant_id}. Check that you have the correct principal ID. If you "
    "are creating this principal and then immediately assigning a role, this error might be related to a replication "
    "delay. In this case, set the role assignment principalType property to a value, such as ServicePrincipal, User, or "
    "Group. See https://aka.ms/docs-principaltype")
# The typing error is Azure's.
PRINCIPAL_OF_ANOTHER_TYPE = Refusal(400, "UnmatchedPrincipalType",
    public_output("Azure/azure-dev: the patterns of errors that its tools recognise"),
    "The PrincipalId '{guid}' has type '{found}' , which is different from specified PrinciaplType '{given}'.")

# Deny assignments, locks, policies, filters
UNSUPPORTED_FILTER = Refusal(400, "UnsupportedQuery", MEMORY,
    "The filter '{text}' is not supported. Supported filters are either 'atScope()' or 'principalId eq '{{value}}' or "
    "assignedTo('{{value}}')'.")
FILTER_OF_DEFINITIONS = Refusal(400, "InvalidFilter", MEMORY, "The filter '{text}' is not supported.")
ASSIGNED_TO_GROUP = Refusal(400, "UnsupportedPrincipalType", MEMORY,
    "The principal '{object_id}' is a group: 'assignedTo' takes the object ID of a user or a service principal.")
# fmt: on
