"""Microsoft.Network/privateDnsZones."""
