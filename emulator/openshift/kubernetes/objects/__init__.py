"""The objects of an API server: where they are kept, and the rules of their kinds."""
