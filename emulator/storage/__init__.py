"""Microsoft.Storage, its management side."""
