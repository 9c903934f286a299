"""A cluster's templates, deployed by the product's own code against the local Azure."""
