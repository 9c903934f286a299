"""The composition root: one app, every function registered on it, and nothing else."""

import logging
import sys
from pathlib import Path

import azure.durable_functions as df
import azure.functions as func

# `http/` is a source root that holds the package `frontend`; see docs/design.md, "Why http/ has no __init__.py".
sys.path.insert(0, str(Path(__file__).parent / "http"))

import activities
import frontend
import orchestrators
import timers

# The SDKs log every request at INFO; the worker would send each line to the host.
logging.getLogger("azure").setLevel(logging.WARNING)
# Its warnings quote whole addresses, and that of a blob has a signature. What failed also arrives as an exception.
logging.getLogger("urllib3").setLevel(logging.ERROR)

app = df.DFApp(http_auth_level=func.AuthLevel.ANONYMOUS)
for package in (frontend, timers, orchestrators, activities):
    package.register(app)
