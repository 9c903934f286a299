"""The management plane of Microsoft.KeyVault."""
