"""The page for people, `/portal`: its files, how to sign in, and the subscriptions whose clusters it asks for."""
