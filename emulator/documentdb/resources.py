"""All types of Microsoft.DocumentDB."""

from emulator.documentdb import accounts, databases, roles
from emulator.identities.resource_identity import BOTH_CLOSE, identifiable

TYPES = (
    identifiable(accounts.ACCOUNTS, BOTH_CLOSE),
    databases.DATABASES,
    databases.CONTAINERS,
    roles.ROLE_DEFINITIONS,
    roles.ROLE_ASSIGNMENTS,
)
