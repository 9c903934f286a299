"""Phases that people declare: documents of `airshipit.org/v1alpha1` in a bundle of kustomize roots.

Here are the documents, what is wrong with them, rendering, and the kubeconfigs of the clusters that they name. What
runs a phase is in `activities/phases`; bundles as files are in `shared/bundles`.
"""
