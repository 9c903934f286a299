"""The local Azure Functions host: loads an unchanged function app and drives it as Functions v4 with Durable does."""
