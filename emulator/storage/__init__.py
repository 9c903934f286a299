"""The management plane of Microsoft.Storage."""
