"""A template: read, its parameters resolved, its resources listed and put in order. Nothing here runs a deployment."""
