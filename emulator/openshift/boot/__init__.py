"""A machine's boot: its Ignition config, and the checks on which a bootstrap machine's programs can fail."""
