"""The resource `openShiftClusters`: model, API versions, validation, states and names."""
