"""Microsoft.ContainerRegistry."""
