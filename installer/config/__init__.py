"""The install-config: its members, its checks, a draft to begin with."""
