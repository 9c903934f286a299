"""What is needed to reach the clusters of sites: it knows phases, and how clusters are called."""
