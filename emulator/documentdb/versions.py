"""The api-versions of Microsoft.DocumentDB."""

from emulator.arm.api_versions import versions

VERSIONS = versions("Microsoft.DocumentDB")
# Roles of the data plane came later.
ROLE_VERSIONS = tuple(version for version in VERSIONS if version >= "2021-04-15")
