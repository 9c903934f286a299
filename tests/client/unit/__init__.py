"""The command against a service that answers from a table, without a network."""
