"""What is read from the new cluster, and written into it."""
