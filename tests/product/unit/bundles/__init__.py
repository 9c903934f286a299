"""Bundles: their archives, and where they are stored."""
