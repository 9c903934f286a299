"""Requests that nobody wrote: `make fuzz`."""
