"""What a cluster's conditions are made of: what was read, the calendar of what ends, and how a condition changes."""
