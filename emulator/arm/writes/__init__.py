"""What may be done to a resource: PUT, DELETE, POST, and what each must pass."""
