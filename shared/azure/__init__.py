"""Azure as the product calls it: credentials, clients, the fence before each change, errors, templates."""
