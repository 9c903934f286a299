"""The management plane of Microsoft.ManagedIdentity."""
