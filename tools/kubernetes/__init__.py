"""What the local Azure's Kubernetes API takes from the Kubernetes project's own published schema."""
