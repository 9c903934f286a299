"""The local Azure: the parts of Azure that the product needs, on one machine, with Azure's real wire formats.

This package and the product do not import each other: they communicate over HTTPS.
"""
