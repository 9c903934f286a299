"""What the command of the installer reads: the folder's install-config, and the principal of the cluster."""

import json
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import SystemRandom
from typing import Any

import yaml

from shared.installer import cluster_id, install_config, install_config_members
from shared.installer.graph import Content
from shared.installer.install_config_members import Problem

INSTALL_CONFIG, PRINCIPAL = "install-config.yaml", "osServicePrincipal.json"
SPECS = {"2.2": "2.2.0", "3.2": "3.2.0"}
DEFAULT_VERSION = "4.3.18"
# Member of the file, and the variable that stands for it.
_PRINCIPAL = {
    "subscriptionId": "AZURE_SUBSCRIPTION_ID",
    "tenantId": "AZURE_TENANT_ID",
    "clientId": "AZURE_CLIENT_ID",
    "clientSecret": "AZURE_CLIENT_SECRET",
}
# Ignition 3 came with OpenShift 4.6.
_FIRST_WITH_SPEC_3 = (4, 6)
# What boots a release, by the first that it does.
_FLAVOURS = {(4, 8): "C", (4, 6): "B", (4, 4): "T", (4, 0): "A"}


class Wrong(Exception):  # noqa: N818 - what people did more than what failed
    """What was given cannot be used; `problems` says all that is wrong, a source for each."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(problems)
        self.problems = problems


def given(folder: Path, environment: Mapping[str, str], *, release: Content, infra_id: str) -> dict[str, Content]:
    """Return all that the graph is made from.

    Args:
        folder: with the install-config, and perhaps the principal.
        environment: variables.
        release: see `release`.
        infra_id: empty for a new one.

    Raises:
        Wrong: with every problem.
    """
    config, found = _install_config(folder / INSTALL_CONFIG, release["version"])
    credentials, more = _principal(folder / PRINCIPAL, environment)
    found += more
    if infra_id and not cluster_id.is_infra_id(infra_id):
        rule = f"1 to {cluster_id.LONGEST} lower-case letters, digits and hyphens, no hyphen at an end"
        found.append(("--infra-id", f"'{infra_id}' is not {rule}."))
    if found:
        raise Wrong(found)
    infra_id = infra_id or cluster_id.infra_id(config["metadata"]["name"], SystemRandom())
    return {
        "install-config": config,
        "platform-credentials": credentials,
        "cluster-id": {"infraId": infra_id, "clusterId": str(uuid.uuid4())},
        "release-image": release,
        "clock": {"now": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")},
    }


def release(version: str, image: str, spec: str) -> Content:
    """Return what is installed.

    Args:
        version: of OpenShift, x.y.z.
        image: of the release; empty for the public one.
        spec: of Ignition, of `SPECS`; empty for the one that the release reads.
    """
    minor = install_config.minor(version)
    return {
        "version": version,
        "pullspec": image or f"quay.io/openshift-release-dev/ocp-release:{version}-x86_64",
        "ignitionVersion": SPECS[spec or ("3.2" if minor >= _FIRST_WITH_SPEC_3 else "2.2")],
        "flavour": next(flavour for first, flavour in _FLAVOURS.items() if minor >= first),
    }


def _install_config(file: Path, version: str) -> tuple[Content, list[Problem]]:
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, [(str(file), "It is not there. `create install-config` writes one.")]
    except (OSError, UnicodeDecodeError) as error:
        return {}, [(str(file), f"It cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}.")]
    except yaml.YAMLError as error:
        # The parser's own sentence repeats the line, which may be the pull secret's.
        mark = getattr(error, "problem_mark", None)
        return {}, [(str(file), f"It is no YAML{f', see line {mark.line + 1}' if mark else ''}.")]
    return install_config_members.complete(document, version)


def _principal(file: Path, environment: Mapping[str, str]) -> tuple[Content, list[Problem]]:
    """Return the principal from its file, or from the environment where there is no file."""
    if file.exists():
        document = read_json(file)
        found = {name: document.get(name) for name in _PRINCIPAL}
        place, missing = {name: f"{file}: {name}" for name in _PRINCIPAL}, "It is missing."
    else:
        found = {name: environment.get(variable) for name, variable in _PRINCIPAL.items()}
        place, missing = _PRINCIPAL, f"It is not set, and there is no {file}."
    problems = [
        (place[name], "It is no GUID." if value else missing)
        for name, value in found.items()
        if not value or not isinstance(value, str) or (name != "clientSecret" and not _is_guid(value))
    ]
    return found, problems


def read_json(file: Path) -> Content:
    """Return the object in a file.

    Raises:
        Wrong: when there is none. What stands in it is not repeated.
    """
    try:
        document: Any = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Wrong([(str(file), f"It cannot be read: {error.strerror}.")]) from None
    except ValueError:
        raise Wrong([(str(file), "It is no JSON.")]) from None
    if not isinstance(document, dict):
        raise Wrong([(str(file), "It holds no object.")])
    return document


def _is_guid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False
