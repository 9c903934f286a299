"""What is looked at after a run: what exists, and whether a secret is where none may be."""
