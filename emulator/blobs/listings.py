"""Rewrites Azurite's listings, so that they show the names of the account that was asked."""

from xml.etree import ElementTree as ET

MAX_BYTES = 16 * 1024 * 1024


def rename(xml: bytes, endpoint: str, prefix: str, *, of_containers: bool) -> bytes:
    """Return a listing as the account would have answered it."""
    root = ET.fromstring(xml)  # noqa: S314 - Azurite's own answer, not a client's text
    root.set("ServiceEndpoint", endpoint)
    if "ContainerName" in root.attrib:
        root.set("ContainerName", root.attrib["ContainerName"].removeprefix(prefix))
    if of_containers:
        for path in ("Prefix", "Containers/Container/Name"):
            for element in root.iterfind(path):
                element.text = (element.text or "").removeprefix(prefix)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text
