"""Role definitions, role assignments, deny assignments and policy assignments."""
