"""The client certificates of a cluster's administrators: who signs them, and what may be asked for."""
