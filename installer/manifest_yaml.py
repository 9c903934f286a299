"""Manifests as readable YAML, with certificates and configurations as blocks."""

import base64
import json
from typing import Any

import yaml

from shared.kubernetes_yaml import Dumper


class _Dumper(Dumper):
    """Writes text of several lines as a block, and repeats values instead of using anchors."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _represent(dumper: Any, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _represent)


def to_yaml(document: Any) -> str:
    """Return a document as YAML; lines are never folded."""
    text: str = yaml.dump(document, Dumper=_Dumper, default_flow_style=False, width=1_000_000)
    return text


def to_json(document: Any) -> str:
    """Return a document as JSON of one line."""
    return json.dumps(document, separators=(",", ":"))


def encode(text: str) -> str:
    """Return text as a Secret's `data` contains it."""
    return base64.b64encode(text.encode()).decode("ascii")


def metadata(name: str, namespace: str = "", **more: Any) -> dict[str, Any]:
    """Return the metadata of an object."""
    return {"name": name} | ({"namespace": namespace} if namespace else {}) | more


def config_map(name: str, namespace: str, data: dict[str, str]) -> dict[str, Any]:
    """Return a ConfigMap.

    Args:
        name: name of the object.
        namespace: namespace of the object.
        data: content, text by name.
    """
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata(name, namespace), "data": data}


def secret(name: str, namespace: str, data: dict[str, str], kind: str = "Opaque") -> dict[str, Any]:
    """Return a Secret; an empty type leaves the member out.

    Args:
        name: name of the Secret.
        namespace: namespace of the Secret.
        data: content in clear.
        kind: its `type`.
    """
    body = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": metadata(name, namespace),
        "data": {key: encode(text) for key, text in data.items()},
    }
    return body | ({"type": kind} if kind else {})
