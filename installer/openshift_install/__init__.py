"""The back end `openshift-install`: another program makes the graph. `back_end.py` explains how, step by step."""
