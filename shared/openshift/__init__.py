"""The cluster's Kubernetes API: how to reach it, and how to read progress from its objects."""
