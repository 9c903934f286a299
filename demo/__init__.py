"""The demonstration: one cluster, created and deleted with the public SDKs. It knows only addresses of the local Azure."""
