"""The bootstrap machine: its files, its units, and the stages that it goes through."""
