"""The language of template expressions: its grammar, its values, its functions. It knows nothing of deployments."""
