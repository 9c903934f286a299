"""The resource provider as ARM sees it: its manifest, the way to it, and the certificate that ARM presents."""
