"""Alertmanager's configuration, edited so that everything else of the document stays as somebody wrote it.

It is edited as YAML nodes: a document that is loaded and dumped would come back with other types, because YAML reads
`off` as false. Only comments are lost.
"""

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

_TEXT = "tag:yaml.org,2002:str"
# What a release routes alerts to: `null` until 4.5, `Default` since. The console warns of an Alertmanager none of whose
# receivers sends anything anywhere.
_STOCK = frozenset({"null", "Default"})
_NOWHERE = "http://localhost:1234/"


def with_receiver(document: str) -> str:
    """Return a configuration whose stock receivers send to an address where nobody listens.

    A receiver that has an integration of whatever kind is its owner's. A document that is as it should be, or that has
    no such receiver, is returned as it is.

    Raises:
        ValueError: when it is no YAML. The message quotes nothing, because receivers hold secrets.

    Source: ARO-RP `pkg/cluster/alertmanager.go`, `pkg/operator/controllers/alertwebhook`.
    """
    try:
        root = yaml.compose(document, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        raise ValueError("is no YAML") from None
    silent = [one for one in _entries(root, "receivers") if _text(one, "name") in _STOCK and not _integrations(one)]
    for receiver in silent:
        added = yaml.compose(f"webhook_configs:\n- url: {_NOWHERE}\n", Loader=yaml.SafeLoader)
        others = [pair for pair in _pairs(receiver) if pair[0].value != "webhook_configs"]
        receiver.value = others + _pairs(added)
    return yaml.serialize(root, Dumper=yaml.SafeDumper, allow_unicode=True) if silent else document


def _integrations(receiver: Node) -> list[Node]:
    """Return what a receiver sends alerts to: webhooks, mail and the like, each kind in a list of its own."""
    names = [str(key.value) for key, _ in _pairs(receiver) if str(key.value).endswith("_configs")]
    return [entry for name in names for entry in _entries(receiver, name)]


def _entries(node: Node | None, name: str) -> list[Node]:
    found = _member(node, name)
    return found.value if isinstance(found, SequenceNode) else []


def _text(node: Node, name: str) -> str:
    found = _member(node, name)
    return str(found.value) if isinstance(found, ScalarNode) and found.tag == _TEXT else ""


def _member(node: Node | None, name: str) -> Node | None:
    return next((value for key, value in _pairs(node) if key.value == name), None)


def _pairs(node: Node | None) -> list[tuple[Node, Node]]:
    return node.value if isinstance(node, MappingNode) else []
