"""The management plane of Microsoft.OperationalInsights and Microsoft.Insights. Nothing receives logs or telemetry."""
