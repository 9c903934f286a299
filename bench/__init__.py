"""Benchmarks of the product, mostly as ratios of two things measured in one run, because machines differ."""
