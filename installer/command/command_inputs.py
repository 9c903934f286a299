"""The inputs of the installer's command: the folder's install-config, the cluster's principal, and the options."""

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import SystemRandom
from typing import Any

from installer.config import cluster_id, install_config_members
from installer.config.install_config_members import Problem
from installer.graph import Content
from installer.ignition import snippets
from shared import kubernetes_yaml
from shared.release import release_rules

INSTALL_CONFIG, PRINCIPAL = "install-config.yaml", "osServicePrincipal.json"
SPECS = {version.removesuffix(".0"): version for version in release_rules.IGNITION_VERSIONS}
DEFAULT_VERSION = "4.3.18"
_VERSION = re.compile(r"4\.\d{1,3}\.\d{1,5}")
# As `machine_image.release_images` names a release's image.
_SKU = re.compile(r"aro_(\d)(\d{1,3})")
# Member of the file, and the variable that replaces it.
_PRINCIPAL = {
    "subscriptionId": "AZURE_SUBSCRIPTION_ID",
    "tenantId": "AZURE_TENANT_ID",
    "clientId": "AZURE_CLIENT_ID",
    "clientSecret": "AZURE_CLIENT_SECRET",
}
# Files that people write by hand are far smaller: a document of the service has 20 KiB, a pull secret 3.
_LARGEST = 1 << 20


class Wrong(Exception):  # noqa: N818 - what people did more than what failed
    """The inputs cannot be used.

    Args:
        problems: all problems, by source.
        way_out: what people can do about any of them.
    """

    def __init__(self, problems: list[Problem], way_out: str = "") -> None:
        super().__init__(problems, way_out)
        self.problems = problems
        self.way_out = way_out


@dataclass(frozen=True)
class Asked:
    """The options about a cluster; empty if not given.

    Args:
        version: OpenShift version, x.y.z.
        image: release image.
        spec: Ignition spec, one of `SPECS`.
        infra_id: the cluster's infra id.
        snippets: file of the snippets.
    """

    version: str = ""
    image: str = ""
    spec: str = ""
    infra_id: str = ""
    snippets: Path | None = None


def read_inputs(folder: Path, environment: Mapping[str, str], asked: Asked) -> dict[str, Content]:
    """Return all inputs of a new cluster's graph.

    Args:
        folder: folder with the install-config, and perhaps the principal.
        environment: environment variables.
        asked: the options.

    Raises:
        Wrong: with every problem.
    """
    content = release(asked.version or DEFAULT_VERSION, asked.image, asked.spec)
    config, found = read_install_config(folder / INSTALL_CONFIG, content["version"])
    rows, wrong = read_snippets(asked.snippets, {} if found else config)
    if not (asked.version or found):
        found += _other_release(config)
    credentials, missing = _principal(folder / PRINCIPAL, environment)
    found += missing + wrong
    if asked.infra_id and not cluster_id.is_infra_id(asked.infra_id):
        rule = f"1 to {cluster_id.LONGEST_INFRA_ID} lower-case letters, digits and hyphens, no hyphen at an end"
        found.append(("--infra-id", f"'{asked.infra_id}' is not {rule}."))
    if found:
        raise Wrong(found)
    infra_id = asked.infra_id or cluster_id.infra_id(config["metadata"]["name"], SystemRandom())
    return {
        "install-config": config,
        "platform-credentials": credentials,
        "cluster-id": {"infraId": infra_id, "clusterId": str(uuid.uuid4())},
        "release-image": content | ({"snippets": rows} if rows else {}),
        "clock": {"now": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")},
    }


def _other_release(config: Content) -> Iterator[Problem]:
    """Yield a problem if the machines' image is not the default version's, because such machines would not boot."""
    sku = str(config["platform"]["azure"]["image"]["sku"])
    named = _SKU.fullmatch(sku)
    if named and (int(named[1]), int(named[2])) != release_rules.minor(DEFAULT_VERSION):
        of_image = f"the machines' image '{sku}' is of OpenShift {named[1]}.{named[2]}"
        yield "--version", f"It is not given, and {of_image}, not {DEFAULT_VERSION}: say which one it is."


def release(version: str, image: str, spec: str) -> Content:
    """Return the release to install.

    Args:
        version: OpenShift version, x.y.z.
        image: release image; empty for the public one.
        spec: Ignition spec, one of `SPECS`; empty for the best that the release reads.
    """
    return {
        "version": version,
        "pullspec": image or f"quay.io/openshift-release-dev/ocp-release:{version}-x86_64",
        "ignitionVersion": SPECS[spec] if spec else release_rules.ignition_versions(version)[0],
        "flavour": release_rules.flavour(version),
    }


def is_version(text: str) -> bool:
    """Tell whether this is a version of OpenShift 4."""
    return bool(_VERSION.fullmatch(text))


def read_install_config(file: Path, version: str) -> tuple[Content, list[Problem]]:
    """Return an install-config with all defaults filled in, and all its problems."""
    if not file.exists():
        return {}, [(str(file), "It is not there. `create install-config` writes one.")]
    try:
        document = read_yaml(file)
    except Wrong as wrong:
        return {}, wrong.problems
    return install_config_members.complete(document, version)


def read_snippets(file: Path | None, config: Content) -> tuple[Content, list[Problem]]:
    """Return rows by role, and all their problems.

    Args:
        file: has the shape of `snippets` in the catalogue; None for no snippets.
        config: the install-config; empty if it is wrong itself, and then the rows are not laid over anything.
    """
    if file is None:
        return {}, []
    try:
        rows = read_yaml(file)
    except Wrong as wrong:
        return {}, wrong.problems
    if rows is None:
        return {}, [(str(file), "It holds nothing.")]
    if found := [(str(file), f"{sentence}.") for sentence in snippets.problems(rows)]:
        return {}, found
    rows = {role: its for role, its in rows.items() if its}
    wrong_rows = snippets.wrong_rows(rows, config) if config else []
    return rows, [(f"{file}: {place}", f"{sentence}.") for place, sentence in wrong_rows]


def principal_changes(file: Path, environment: Mapping[str, str], before: Content) -> Iterator[Problem]:
    """Yield where the file or the environment names another principal than before. Missing members count as unchanged.

    Args:
        file: file of the principal.
        environment: environment variables.
        before: the principal of the first run.
    """
    found, place = _said_of_principal(file, environment)
    for name, value in found.items():
        if value and value != before[name]:
            yield place[name], "It is another one than in the manifests, which were made with the first."


def _principal(file: Path, environment: Mapping[str, str]) -> tuple[Content, list[Problem]]:
    """Return the principal from its file, or from the environment if there is no file."""
    try:
        found, place = _said_of_principal(file, environment)
    except Wrong as wrong:
        return {}, wrong.problems
    missing = "It is missing." if file.exists() else f"It is not set, and there is no {file}."
    judged = ((place[name], _wrong_of_principal(name, value, missing)) for name, value in found.items())
    return found, [(where, sentence) for where, sentence in judged if sentence]


def _wrong_of_principal(name: str, value: Any, missing: str) -> str:
    if not value:
        return missing
    if name == "clientSecret":
        return "" if isinstance(value, str) and install_config_members.is_unicode(value) else "It is not text."
    return "" if isinstance(value, str) and _is_guid(value) else "It is not a GUID."


def _said_of_principal(file: Path, environment: Mapping[str, str]) -> tuple[Content, dict[str, str]]:
    """Return the principal's members, None for missing ones, and where each was found."""
    if file.exists():
        document = read_json(file)
        return {name: document.get(name) for name in _PRINCIPAL}, {name: f"{file}: {name}" for name in _PRINCIPAL}
    return {name: environment.get(variable) for name, variable in _PRINCIPAL.items()}, _PRINCIPAL


def read_json(file: Path, largest: int = _LARGEST) -> Content:
    """Return the object in a JSON file.

    Args:
        file: the file.
        largest: maximum size, in bytes.

    Raises:
        Wrong: if there is none. The message does not quote the content.
    """
    try:
        document: Any = json.loads(read_text(file, largest))
    except (ValueError, RecursionError):
        raise Wrong([(str(file), "It is not JSON.")]) from None
    if not isinstance(document, dict):
        raise Wrong([(str(file), "It holds no object.")])
    return document


def read_yaml(file: Path) -> Any:
    """Return the document in a file of YAML or JSON.

    Raises:
        Wrong: if there is none. The message does not quote the content.
    """
    text = read_text(file)
    try:
        # JSON may be indented with tabs, YAML may not.
        return json.loads(text)
    except (ValueError, RecursionError):
        try:
            return kubernetes_yaml.load(text)
        except kubernetes_yaml.NO_YAML as error:
            raise Wrong([(str(file), no_yaml(error))]) from None


def no_yaml(error: Exception) -> str:
    """Return a sentence about a YAML error. The parser's own message quotes the line, which may contain a secret."""
    mark = getattr(error, "problem_mark", None)
    return f"It is not YAML{f', see line {mark.line + 1}' if mark else ''}."


def read_text(file: Path, largest: int = _LARGEST) -> str:
    """Return the text of a file.

    Raises:
        Wrong: if it cannot be read, is larger than `largest` bytes, or is not text.
    """
    try:
        with file.open("rb") as stream:
            raw = stream.read(largest + 1)
    except OSError as error:
        raise Wrong([(str(file), f"It cannot be read: {error.strerror}.")]) from None
    if len(raw) > largest:
        raise Wrong([(str(file), f"It has more than {largest >> 10} KiB.")])
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise Wrong([(str(file), "The file is not UTF-8 text.")]) from None


def _is_guid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False
