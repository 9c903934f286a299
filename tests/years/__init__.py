"""Months in minutes: everything runs under libfaketime with one shared offset, which is moved forward in steps."""
