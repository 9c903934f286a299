"""The end of an operation."""
