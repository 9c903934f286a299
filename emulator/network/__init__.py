"""Microsoft.Network."""
