"""The catalogue's snippets in the ignition configurations that `openshift-install` makes."""

import json

from installer.back_end_errors import InstallerError
from installer.graph import Content, Inputs
from installer.ignition import ignition_reader, snippets

MERGE, READ = "merge snippets", "read what openshift-install made"


def merge(role: str, text: str, inputs: Inputs) -> Content:
    """Return the files of a role's ignition: byte for byte the program's, unless the catalogue has snippets for it.

    Args:
        role: the role.
        text: the program's configuration.
        inputs: those of the graph.

    Raises:
        InstallerError: if it is not a configuration that the machines read, or a snippet does not fit.
    """
    path, release = f"{role}.ign", inputs["release-image"]
    try:
        document = json.loads(text)
        spec = str(document["ignition"]["version"])
    except (ValueError, KeyError, TypeError):
        raise InstallerError(READ, f"'{path}' is not an Ignition configuration") from None
    if spec.partition(".")[0] != release["ignitionVersion"].partition(".")[0]:
        cause = f"'{path}' is of Ignition spec {spec}, and the catalogue's entry says {release['ignitionVersion']}"
        raise InstallerError(READ, cause)
    if not (release.get("snippets") or {}).get(role):
        return {path: text}
    try:
        return snippets.ignition_files(role, ignition_reader.parse(document), inputs["install-config"], release)
    except ValueError as error:
        raise InstallerError(MERGE, f"'{path}': {error}") from None
