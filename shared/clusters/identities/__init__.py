"""The identities with which a cluster acts in Azure, and what is made for them."""
