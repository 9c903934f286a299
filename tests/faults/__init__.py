"""Tests of the service's promises when something goes wrong: scenarios as data, one runner, one census, one report."""
