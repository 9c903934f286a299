"""What a release has, and where it comes from."""
