"""The objects of an API server: their storage, and the rules of their kinds."""
