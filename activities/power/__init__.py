"""Stops and starts of a whole cluster."""
