"""The language of template expressions: grammar, values and functions. It does not depend on deployments."""
