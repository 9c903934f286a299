"""A machine's boot: its ignition, and what the programs of a bootstrap machine stumble on."""
