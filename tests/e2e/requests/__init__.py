"""Right requests of today's Azure CLI and SDKs beside those of clusters, as two tables."""
