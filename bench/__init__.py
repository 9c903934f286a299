"""The figures of the product, as ratios of two things measured in one run: machines differ, ratios do less."""
