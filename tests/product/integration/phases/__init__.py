"""Phases on clusters: the emulated API server, and the real one where it is installed."""
