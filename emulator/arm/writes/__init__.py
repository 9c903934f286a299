"""PUT, DELETE and POST on a resource, and the checks before each."""
