"""The local Azure Functions host: loads an unchanged function app and runs it like Functions v4 with Durable."""
