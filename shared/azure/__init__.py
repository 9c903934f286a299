"""How the product calls Azure: credentials, clients, the fence before each change, errors, templates."""
