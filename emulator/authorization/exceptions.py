"""The errors of Microsoft.Authorization: role definitions and assignments, deny assignments, policies, filters."""

from collections.abc import Sequence

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, documentation, public_output, said

# The negative tests of role definitions in the SDK for .NET, which ran against Azure: they tell status and code. The
# texts are from memory.
_SDK_TESTS = public_output(
    "Azure/azure-sdk-for-net: the recorded tests of role definitions of Microsoft.Azure.Management.Authorization"
)
_TROUBLESHOOTING = documentation("https://learn.microsoft.com/en-us/azure/role-based-access-control/troubleshooting")


# Role definitions


@said(MEMORY)
def role_definition_id(name: str) -> ServiceError:
    """Return the 400 for a role definition whose name is not a GUID."""
    return ServiceError(400, "InvalidRoleDefinitionId", f"The role definition ID '{name}' is not a GUID.")


@said(_SDK_TESTS)
def role_definition_exists(identifier: str) -> ServiceError:
    """Return the 409 for a GUID that a built-in role has, or a custom one at another scope."""
    return ServiceError(
        409, "RoleDefinitionExists", f"The role definition already exists. It can be updated as {identifier}."
    )


@said(MEMORY)
def built_in_role() -> ServiceError:
    """Return the 400 for the deletion of a built-in role."""
    return ServiceError(
        400, "RoleDefinitionUpdateNotPermitted", "A built-in role definition cannot be updated or deleted."
    )


@said(_SDK_TESTS)
def role_definition_type(kind: str) -> ServiceError:
    """Return the 400 for writing a role definition that is not a custom role."""
    return ServiceError(
        400,
        "InvalidRoleDefinitionType",
        f"The role definition type '{kind}' is invalid. Only role definitions of type 'CustomRole' can be written.",
    )


@said(_SDK_TESTS)
def role_name_empty() -> ServiceError:
    """Return the 400 for a custom role without a name."""
    return ServiceError(400, "RoleDefinitionNameNullOrEmpty", "The role definition name is null or empty.")


@said(MEMORY)
def role_name_too_long(longest: int) -> ServiceError:
    """Return the 400 for the name of a custom role that is too long."""
    return ServiceError(
        400,
        "RoleDefinitionNameTooLong",
        f"The role definition name exceeds the maximum allowed length of '{longest}' characters.",
    )


@said(_SDK_TESTS)
def role_name_exists() -> ServiceError:
    """Return the 409 for a name that another role of the directory has."""
    return ServiceError(
        409,
        "RoleDefinitionWithSameNameExists",
        "A custom role with the same name already exists in this directory. Use a different name.",
    )


@said(_SDK_TESTS)
def no_assignable_scopes() -> ServiceError:
    """Return the 400 for a custom role without assignable scopes."""
    return ServiceError(400, "MissingAssignableScopes", "The role definition has no assignable scopes.")


@said(MEMORY)
def assignable_scope_not_allowed(scope: str) -> ServiceError:
    """Return the 400 for a custom role at the root scope, or at a scope with a wildcard."""
    return ServiceError(
        400,
        "InvalidAssignableScopes",
        f"The assignable scope '{scope}' is not valid: a custom role cannot be assignable at the root scope or at a "
        "scope with a wildcard.",
    )


@said(_SDK_TESTS)
def assignable_scope_malformed(scope: str, index: int) -> ServiceError:
    """Return the 400 for an assignable scope that is not the id of a subscription or a group."""
    return ServiceError(
        400,
        "LinkedInvalidPropertyId",
        f"Property id '{scope}' at path 'properties.assignableScopes[{index}]' is invalid. Expect fully qualified "
        "resource Id that start with '/subscriptions/{subscriptionId}' or "
        "'/providers/{resourceProviderNamespace}/'.",
    )


@said(MEMORY)
def assignable_scopes_elsewhere(scope: str) -> ServiceError:
    """Return the 400 for a role that is written at none of its assignable scopes."""
    return ServiceError(
        400,
        "InvalidAssignableScopes",
        f"The assignable scopes of the role definition do not include the scope '{scope}' of the request.",
    )


@said(OWN)
def assignable_scope_not_emulated(scope: str) -> ServiceError:
    """Return the 400 for management groups and resources as assignable scopes, which Azure has."""
    return ServiceError(
        400,
        "NotSupportedByLocalAzure",
        f"The local Azure does not have custom roles that are assignable at '{scope}': it knows subscriptions and "
        "resource groups.",
    )


@said(MEMORY)
def no_permissions() -> ServiceError:
    """Return the 400 for a role without permissions."""
    return ServiceError(400, "InvalidRoleDefinitionPermissions", "A role definition must have permissions.")


@said(OWN)
def role_conditions() -> ServiceError:
    """Return the 400 for conditions in the permissions of a role."""
    return ServiceError(
        400, "ConditionNotSupported", "The local Azure does not support conditions in the permissions of a role."
    )


@said(public_output("https://github.com/Azure/azure-powershell: the scenario tests of role definitions"))
def unknown_action(action: str) -> ServiceError:
    """Return the 400 for an action that no provider has."""
    return ServiceError(
        400,
        "InvalidActionOrNotAction",
        f"'{action}' does not match any of the actions supported by the providers.",
    )


@said(public_output("an answer of Azure on a role with storageAccounts/blobServices/containers/read as a data action"))
def unknown_data_action(action: str) -> ServiceError:
    """Return the 400 for a data action that no provider has."""
    return ServiceError(
        400,
        "InvalidDataActionOrNotDataAction",
        f"'{action}' does not match any of the actions supported by the providers.",
    )


@said(_TROUBLESHOOTING)
def role_has_assignments() -> ServiceError:
    """Return the 400 for the deletion of a role that is assigned."""
    return ServiceError(400, "RoleDefinitionHasAssignments", "There are existing role assignments referencing role.")


@said(public_output("an answer of Azure to a GET by the provider azurerm for Terraform, status 404"))
def role_definition_not_found(guid: str) -> ServiceError:
    """Return the 404 for a role definition that does not exist."""
    return ServiceError(
        404, "RoleDefinitionDoesNotExist", f"The specified role definition with ID '{guid}' does not exist."
    )


# Role assignments


@said(MEMORY)
def role_assignment_id(name: str) -> ServiceError:
    """Return the 400 for a role assignment whose name is not a GUID."""
    return ServiceError(
        400,
        "InvalidRoleAssignmentId",
        f"The role assignment ID '{name}' is not valid. The role assignment ID must be a GUID.",
    )


@said(public_output("https://github.com/hashicorp/terraform-provider-azurerm/issues/8547"))
def assigned_role_id(name: str) -> ServiceError:
    """Return the 400 for the assignment of a role by something else than its GUID."""
    return ServiceError(400, "InvalidRoleDefinitionId", f"The role definition ID '{name}' is not valid.")


@said(MEMORY)
def assigned_role_not_found(guid: str) -> ServiceError:
    """Return the 400 for the assignment of a role that does not exist."""
    return ServiceError(
        400, "RoleDefinitionDoesNotExist", f"The specified role definition with ID '{guid}' does not exist."
    )


@said(MEMORY)
def role_not_assignable(scope: str, guid: str) -> ServiceError:
    """Return the 400 for the assignment of a custom role outside of its assignable scopes."""
    return ServiceError(
        400,
        "RoleAssignmentScopeNotAssignableToRoleDefinition",
        f"The role assignment scope '{scope}' is not assignable to the role definition '{guid}': it is not one of its "
        "assignable scopes, nor below one.",
    )


@said(
    public_output("https://learn.microsoft.com/en-us/answers: deployments that assign a role again for a new principal")
)
def role_assignment_update() -> ServiceError:
    """Return the 400 for changing the principal or the role of an assignment."""
    return ServiceError(
        400,
        "RoleAssignmentUpdateNotPermitted",
        "Tenant ID, application ID, principal ID, and scope are not allowed to be updated.",
    )


@said(MEMORY)
def role_assignment_exists(guid: str) -> ServiceError:
    """Return the 409 for an assignment of the same role to the same principal at the same scope."""
    return ServiceError(
        409,
        "RoleAssignmentExists",
        f"The role assignment already exists. The ID of the conflicting role assignment is {guid.replace('-', '')}.",
    )


@said(MEMORY)
def principal_id(identifier: str) -> ServiceError:
    """Return the 400 for a principal that is not given by a GUID."""
    return ServiceError(
        400, "InvalidPrincipalId", f"A valid principal ID must be provided for role assignment: {identifier}."
    )


@said(MEMORY)
def principal_type(kind: str, known: Sequence[str]) -> ServiceError:
    """Return the 400 for a kind of principal that does not exist."""
    return ServiceError(
        400,
        "InvalidPrincipalType",
        f"The principal type '{kind}' is invalid. Supported types are '{', '.join(known)}'.",
    )


@said(MEMORY)
def principal_not_found(identifier: str, tenant_id: str) -> ServiceError:
    """Return the 400 for a principal that the directory does not have."""
    return ServiceError(
        400,
        "PrincipalNotFound",
        f"Principal {identifier.replace('-', '')} does not exist in the directory {tenant_id}. Check that you have the "
        "correct principal ID. If you are creating this principal and then immediately assigning a role, this error "
        "might be related to a replication delay. In this case, set the role assignment principalType property to a "
        "value, such as ServicePrincipal, User, or Group. See https://aka.ms/docs-principaltype",
    )


@said(public_output("Azure/azure-dev: the patterns of errors that its tools recognise"))
def principal_of_another_type(identifier: str, found: str, given: str) -> ServiceError:
    """Return the 400 for a principal of another type than the caller says. The typing error is Azure's.

    Args:
        identifier: object id of the principal.
        found: its type.
        given: the type that the caller gave.
    """
    return ServiceError(
        400,
        "UnmatchedPrincipalType",
        f"The PrincipalId '{identifier.replace('-', '')}' has type '{found}' , which is different from specified "
        f"PrinciaplType '{given}'.",
    )


# Deny assignments, locks, policies, filters


@said(MEMORY)
def deny_assignment(problems: Sequence[str]) -> ServiceError:
    """Return the 400 for a deny assignment that customers may not make; the code is a guess."""
    return ServiceError(400, "InvalidDenyAssignment", f"The deny assignment is not valid: {'; '.join(problems)}.")


@said(MEMORY)
def lock_notes_too_long(length: int, longest: int) -> ServiceError:
    """Return the 400 for a lock whose notes are too long; the limit is documented, code and text are not."""
    return ServiceError(
        400,
        "InvalidLockNotes",
        f"The notes of the lock have '{length}' characters, and can have '{longest}' at most.",
    )


@said(MEMORY)
def policy_parameter_missing(name: str, parameter: str, definition: str) -> ServiceError:
    """Return the 400 for the assignment of a policy without a parameter that it needs.

    Args:
        name: name of the assignment.
        parameter: name of the parameter.
        definition: name of the policy definition.
    """
    return ServiceError(
        400,
        "MissingPolicyParameter",
        f"The policy assignment '{name}' is missing the parameter(s) '{parameter}' as defined in the policy definition "
        f"'{definition}'. Please either provide the values or assign default values for these parameters.",
    )


@said(MEMORY)
def unsupported_filter(text: str) -> ServiceError:
    """Return the 400 for a `$filter` of assignments; the text is Azure's, the code is from memory."""
    return ServiceError(
        400,
        "UnsupportedQuery",
        f"The filter '{text}' is not supported. Supported filters are either 'atScope()' or 'principalId eq '{{value}}' or "
        "assignedTo('{value}')'.",
    )


@said(MEMORY)
def filter_of_definitions(text: str) -> ServiceError:
    """Return the 400 for a `$filter` of role definitions."""
    return ServiceError(400, "InvalidFilter", f"The filter '{text}' is not supported.")


@said(MEMORY)
def assigned_to_group(object_id: str) -> ServiceError:
    """Return the 400 for `assignedTo` of a group, which Azure documents as refused; the code is a guess."""
    return ServiceError(
        400,
        "UnsupportedPrincipalType",
        f"The principal '{object_id}' is a group: 'assignedTo' takes the object ID of a user or a service principal.",
    )
