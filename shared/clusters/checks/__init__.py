"""Static checks of a cluster: all that can be told without asking Azure."""
