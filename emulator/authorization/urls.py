"""The routes of authorization, except for single assignments and definitions, which are ordinary resources."""

from emulator.arm.call import Row
from emulator.arm.policy.locks import LOCKS
from emulator.arm.policy.policies import ASSIGNMENTS, DEFINITIONS
from emulator.authorization import policies, responses
from emulator.authorization.definitions import ROLE_DEFINITIONS
from emulator.authorization.definitions import VERSIONS as DEFINITION_VERSIONS
from emulator.authorization.deny_assignments import DENY_ASSIGNMENTS
from emulator.authorization.deny_assignments import VERSIONS as DENIAL_VERSIONS
from emulator.authorization.locks import VERSIONS as LOCK_VERSIONS
from emulator.authorization.locks import list_locks
from emulator.authorization.resources import (
    ASSIGNMENT_VERSIONS,
    PERMISSION_VERSIONS,
    ROLE_ASSIGNMENTS,
)

A = "{scope:path}/providers/Microsoft.Authorization"

ROWS = (
    Row("GET", A + "/roleAssignments", responses.list_role_assignments, ROLE_ASSIGNMENTS.name, ASSIGNMENT_VERSIONS),
    Row("GET", A + "/denyAssignments", responses.list_deny_assignments, DENY_ASSIGNMENTS.name, DENIAL_VERSIONS),
    Row("GET", A + "/locks", list_locks, LOCKS, LOCK_VERSIONS),
    Row("GET", A + "/policyAssignments", policies.list_assignments, ASSIGNMENTS, policies.VERSIONS),
    Row("GET", A + "/policyDefinitions", policies.list_definitions, DEFINITIONS, policies.VERSIONS),
    Row("GET", A + "/policyDefinitions/{name}", policies.get_definition, DEFINITIONS, policies.VERSIONS),
    Row("GET", A + "/roleDefinitions", responses.list_role_definitions, ROLE_DEFINITIONS.name, DEFINITION_VERSIONS),
    Row(
        "GET",
        A + "/roleDefinitions/{name}",
        responses.get_role_definition,
        ROLE_DEFINITIONS.name,
        DEFINITION_VERSIONS,
    ),
    Row(
        "GET",
        A + "/permissions",
        responses.list_permissions,
        "Microsoft.Authorization/permissions",
        PERMISSION_VERSIONS,
    ),
)
