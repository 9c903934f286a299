"""The documents that declare phases, and what is wrong with them."""
