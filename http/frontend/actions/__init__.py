"""POST of actions on a cluster."""
