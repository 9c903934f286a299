"""The words that people type."""
