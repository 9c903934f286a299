"""The templates of a cluster, deployed by the product's own code paths against the local Azure."""
