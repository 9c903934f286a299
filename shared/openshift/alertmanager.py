"""Edits Alertmanager's configuration so that everything else in the document stays as it was written.

It edits YAML nodes. If the document were loaded and dumped, some values would change their type, because YAML reads
`off` as false. Only comments are lost.
"""

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

_TEXT = "tag:yaml.org,2002:str"
# The receiver to which a release routes alerts: `null` until 4.5, `Default` since. The console warns if no receiver of
# an Alertmanager sends anything anywhere.
_STOCK = frozenset({"null", "Default"})
_NOWHERE = "http://localhost:1234/"


def with_receiver(document: str) -> str:
    """Return a configuration whose stock receivers send to an address where nothing listens.

    A receiver that has any integration belongs to its owner and is left alone. A document that needs no change is
    returned as it is.

    Raises:
        ValueError: if it is not YAML. The message quotes nothing, because receivers hold secrets.

    Source: ARO-RP `pkg/cluster/alertmanager.go`, `pkg/operator/controllers/alertwebhook`.
    """
    try:
        root = yaml.compose(document, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        raise ValueError("is not YAML") from None
    silent = [one for one in _entries(root, "receivers") if _text(one, "name") in _STOCK and not _integrations(one)]
    for receiver in silent:
        added = yaml.compose(f"webhook_configs:\n- url: {_NOWHERE}\n", Loader=yaml.SafeLoader)
        others = [pair for pair in _pairs(receiver) if pair[0].value != "webhook_configs"]
        receiver.value = others + _pairs(added)
    return yaml.serialize(root, Dumper=yaml.SafeDumper, allow_unicode=True) if silent else document


def _integrations(receiver: Node) -> list[Node]:
    """Return the destinations of a receiver: webhooks, mail and so on, with a list for each kind."""
    names = [str(key.value) for key, _ in _pairs(receiver) if str(key.value).endswith("_configs")]
    return [entry for name in names for entry in _entries(receiver, name)]


def _entries(node: Node | None, name: str) -> list[Node]:
    value = _member(node, name)
    return value.value if isinstance(value, SequenceNode) else []


def _text(node: Node, name: str) -> str:
    value = _member(node, name)
    return str(value.value) if isinstance(value, ScalarNode) and value.tag == _TEXT else ""


def _member(node: Node | None, name: str) -> Node | None:
    return next((value for key, value in _pairs(node) if key.value == name), None)


def _pairs(node: Node | None) -> list[tuple[Node, Node]]:
    return node.value if isinstance(node, MappingNode) else []
