"""Resource providers over the wire, together with the data planes that serve their resources."""
