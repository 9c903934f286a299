"""The resource provider as ARM sees it: its manifest, the front door, and the certificate that ARM presents."""
