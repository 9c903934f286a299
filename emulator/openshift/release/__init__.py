"""What an OpenShift release brings: its kinds, and the objects that every cluster begins with."""
