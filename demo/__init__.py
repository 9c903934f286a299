"""The demonstration: a cluster, created and deleted with the public SDKs. It has only addresses of the local Azure."""
