"""Bundles: the archives of sites' documents, and where the service stores them.

What the documents in them say is in `shared/phase_documents`.
"""
