"""The cluster's Kubernetes API: how it is reached, and what its objects say about how far the cluster has come."""
