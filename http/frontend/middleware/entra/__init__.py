"""The middleware of requests with a token of Entra ID: who calls, what the caller may do, what ARM would check."""
