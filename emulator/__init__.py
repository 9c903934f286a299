"""The local Azure: what the product needs of Azure, on one machine, over the real wire formats.

Nothing here imports the product, and the product imports nothing from here: they meet over HTTPS.
"""
