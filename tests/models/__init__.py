"""Compares what the local Azure answers, and what the product sends, with the models of the newest SDKs.

`plugin.py` collects the exchanges of a test run and validates them at its end. The readers (`typespec_models.py`,
`msrest.py`, `kubernetes.py`) turn the models of a package into the plain description of `description.py`, from the
package's source: importing all these packages would take half a minute and a gigabyte.
"""
