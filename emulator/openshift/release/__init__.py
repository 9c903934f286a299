"""The contents of an OpenShift release: its kinds, and the objects that every cluster begins with."""
