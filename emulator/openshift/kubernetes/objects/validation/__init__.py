"""What the server refuses of built-in kinds: a table of rules for each type, and the walk that applies them."""
