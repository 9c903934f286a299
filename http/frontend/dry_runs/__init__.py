"""Dry runs of the plans that the service has itself: create, update and delete of a cluster."""
