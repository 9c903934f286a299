"""The page for people, `/portal`: its files, and the one document that says how to sign in."""
