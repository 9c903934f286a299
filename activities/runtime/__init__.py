"""What runs an activity: the wrapper, its fence and progress, and how a failure explains itself."""
