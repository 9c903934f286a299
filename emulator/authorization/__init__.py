"""Role definitions, role assignments and deny assignments."""
