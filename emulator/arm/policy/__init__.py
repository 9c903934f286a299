"""Azure Policy: definitions with their rules, and what assignments of them do to a write."""
