"""The worker: the process that has loaded the app, seen from both sides."""
