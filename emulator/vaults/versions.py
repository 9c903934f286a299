"""The api-versions of Microsoft.KeyVault."""

from emulator.arm.api_versions import versions

VERSIONS = versions("Microsoft.KeyVault")
