"""Microsoft.Web: plans, function apps with their settings, and publishing at `*.scm.azurewebsites.net`.

This package decides what each site must run. `emulator/run/sites.py` runs it.
"""
