"""ARM over the wire, with the Azure SDKs."""
