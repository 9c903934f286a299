"""Alertmanager's configuration, edited so that everything else of the document stays as somebody wrote it.

It is edited as YAML nodes: a document that is loaded and dumped would come back with other types, because YAML reads
`off` as false. Only comments are lost.
"""

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

_TEXT = "tag:yaml.org,2002:str"
# Whatever goes to the receiver `null` is to go nowhere, but the console warns of receivers without an integration.
_NOWHERE = "http://localhost:1234/"


def with_null_receiver(document: str) -> str:
    """Return a configuration whose receiver `null` sends to an address where nobody listens.

    A document without that receiver, or whose receiver already does so, is returned as it is.

    Raises:
        ValueError: when it is no YAML. The message quotes nothing, because receivers hold secrets.

    Source: ARO-RP `pkg/cluster/alertmanager.go`.
    """
    try:
        root = yaml.compose(document, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        raise ValueError("is no YAML") from None
    silenced = [_silence(receiver) for receiver in _entries(root, "receivers") if _text(receiver, "name") == "null"]
    return yaml.serialize(root, Dumper=yaml.SafeDumper, allow_unicode=True) if any(silenced) else document


def _silence(receiver: Node) -> bool:
    """Add the address to a receiver; return whether it was not there."""
    if any(_text(webhook, "url") == _NOWHERE for webhook in _entries(receiver, "webhook_configs")):
        return False
    added = yaml.compose(f"webhook_configs:\n- url: {_NOWHERE}\n", Loader=yaml.SafeLoader)
    webhooks = _member(receiver, "webhook_configs")
    if isinstance(webhooks, SequenceNode):
        webhooks.value += _entries(added, "webhook_configs")
    else:
        others = [pair for pair in _pairs(receiver) if pair[0].value != "webhook_configs"]
        receiver.value = others + _pairs(added)
    return True


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
