"""The operators that run in a cluster, and what they do in Azure."""
