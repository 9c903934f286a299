"""The managed identities of a cluster: who they are, what they may do, and the tokens that they trust."""
