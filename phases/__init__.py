"""The command for phases: `python -m phases`. What it shows and runs is in `shared/phases` and `activities/phases`."""
