"""ARM's wire format: what each path takes and answers. State and rules are in `emulator/arm/models.py`."""
