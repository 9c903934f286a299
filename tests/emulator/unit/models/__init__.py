"""Tests of how the local Azure is compared with the models of the SDKs."""
