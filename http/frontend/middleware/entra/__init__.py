"""The middleware of requests with a token of Entra ID alone: who calls, what the caller may do, and what ARM would check."""
