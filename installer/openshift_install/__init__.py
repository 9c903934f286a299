"""The back end `openshift-install`, another program that makes the graph: `back_end.py` says how, step by step."""
