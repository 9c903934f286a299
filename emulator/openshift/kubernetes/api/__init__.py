"""The HTTP side of the API server: paths, bodies, patches, lists and watches."""
