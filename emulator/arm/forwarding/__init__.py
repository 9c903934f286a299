"""Calls to the resource provider: the front door for those of clients, and those of ARM itself."""
