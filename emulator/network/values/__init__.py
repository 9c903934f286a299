"""The values that members of Microsoft.Network may have: formats."""
