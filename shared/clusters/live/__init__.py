"""What the live cluster says of itself: what a GET shows of it, and how bodies that repeat it are read."""
