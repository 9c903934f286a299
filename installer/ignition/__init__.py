"""Ignition: its model and spellings, reading and merging it."""
