"""The checks before each call: roles, deny assignments, policies."""
