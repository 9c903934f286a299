"""The chain that every request goes through, one file for each concern."""
