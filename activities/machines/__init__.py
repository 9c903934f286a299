"""The cluster's machines, and what they boot from."""
