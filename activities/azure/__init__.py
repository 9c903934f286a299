"""What a cluster has in Azure beside its machines."""
