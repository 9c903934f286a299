"""A cluster at work: its record, its members, and what its machines serve."""
