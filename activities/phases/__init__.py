"""Running phases: the executors, and what they know of clusters and objects."""
