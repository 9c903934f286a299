"""The assets of the graph that are not the bootstrap machine's own."""
