"""Whether a cluster's machines run, and when they do so by themselves."""
