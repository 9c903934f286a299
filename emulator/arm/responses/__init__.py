"""ARM's wire format: the requests and answers of each path. State and rules are in `emulator/arm/models.py`."""
