"""A running cluster: its record, its members, and what its machines serve."""
