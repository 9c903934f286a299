"""`make package`: the zip that Azure Functions runs, with the product and its dependencies, and nothing else."""
