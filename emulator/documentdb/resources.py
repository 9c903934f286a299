"""All types and routes of Microsoft.DocumentDB."""

from emulator.documentdb import accounts, databases, roles

TYPES = (
    accounts.ACCOUNTS,
    databases.DATABASES,
    databases.CONTAINERS,
    roles.ROLE_DEFINITIONS,
    roles.ROLE_ASSIGNMENTS,
)
ROWS = (*accounts.ROWS, *databases.ROWS)
