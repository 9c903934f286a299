"""The command `python -m phases`. What it shows and runs is in `shared/phase_documents` and `activities/phases`."""
