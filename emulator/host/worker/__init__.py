"""The worker process, which loads the app, and the host's side of it."""
