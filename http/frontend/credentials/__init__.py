"""The credentials of a cluster's administrators that last for hours, and the end of all of them."""
