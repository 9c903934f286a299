"""`make az`: the unmodified Azure CLI, in an environment of its own, and how to use it with the local Azure."""
