"""Microsoft.Network/dnsZones."""
