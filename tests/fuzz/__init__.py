"""Requests that nobody wrote: `make fuzz`.

These tests run in a process of their own, because Python 3.11 cannot parse in two threads at once. The garbage
collector calls Hypothesis while Hypothesis parses, and another thread may run then. If that one formats a traceback, it
parses, too, and Hypothesis gets "SystemError: AST constructor recursion depth mismatch". In a process of their own the
seed also repeats the run: Hypothesis draws from the constants of all modules that are loaded.
"""
