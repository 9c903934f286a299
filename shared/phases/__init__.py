"""Phases that people declare: documents of `airshipit.org/v1alpha1` in a bundle of kustomize roots.

Here are the bundle, its documents, what is wrong with them, and rendering. What runs a phase is in `activities/phases`.
"""
