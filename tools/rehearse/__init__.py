"""`make rehearse`: what a release's own programs say of the ignition that this service makes for it.

`machine.py` runs the bootstrap machine's script against the programs of the release, `stand_ins/` has the commands that
the script calls there; docs/rehearsal.md explains how to get the programs and how to read the output.
"""
