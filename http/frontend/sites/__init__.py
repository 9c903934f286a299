"""The routes of operators for sites: what a site is, what it declares, and the operations that run its phases."""
