"""Phases that people declare: bundles, their documents, and what is wrong with them."""
