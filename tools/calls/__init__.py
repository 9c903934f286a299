"""docs/emulated-calls.md: which calls the local Azure answers, and which client needs each of them.

`services` reads the tables of the emulated services, `clients` finds callers in a journal, `page` writes the result.
Journals come from runs, so neither `make docs` nor a test can update this page. `python -m tools.calls` does.
"""
