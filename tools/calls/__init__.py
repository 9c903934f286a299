"""docs/emulated-calls.md: which calls the local Azure answers, and which client needs each of them.

`served` reads the tables of the emulated services, `clients` tells from a journal who called, `page` writes the result.
Journals come from runs, so neither `make docs` nor a test can make this page anew: `python -m tools.calls` does.
"""
