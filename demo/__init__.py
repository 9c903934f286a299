"""The demonstration: one cluster, created and deleted with the public SDKs. It knows the local Azure by its addresses."""
