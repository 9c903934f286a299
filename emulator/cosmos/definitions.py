"""What defines a container: keys, indexes and time to live, as ARM and the data plane show them."""

from typing import Any

from emulator.core.store import Document
from emulator.cosmos.exceptions import BAD_REQUEST, NOT_SUPPORTED, UNIQUE_KEYS_FIXED
from emulator.cosmos.partition_keys import segments

PARTITION_KEY_VERSIONS = (1, 2)
# Source: https://learn.microsoft.com/azure/cosmos-db/index-policy; `lazy` needs an exemption that no new account has.
INDEXING_MODES = ("consistent", "none")
# The members that a new container has, unless its definition gives them.
DEFAULTS: Document = {
    "indexingPolicy": {
        "indexingMode": "consistent",
        "automatic": True,
        "includedPaths": [{"path": "/*"}],
        "excludedPaths": [{"path": '/"_etag"/?'}],
    },
    "uniqueKeyPolicy": {"uniqueKeys": []},
    "conflictResolutionPolicy": {"mode": "LastWriterWins", "conflictResolutionPath": "/_ts"},
    "geospatialConfig": {"type": "Geography"},
}


def complete(definition: Document) -> Document:
    """Return a checked definition with all members.

    Args:
        definition: `id`, `partitionKey`, perhaps `uniqueKeyPolicy`, `defaultTtl`, `indexingPolicy`,
            `conflictResolutionPolicy`.

    Raises:
        ServiceError: 400 for a malformed path, an invalid indexing policy or an invalid TTL, or for hierarchical
            partition keys.
    """
    given = definition["partitionKey"]
    key = {"kind": "Hash", "version": PARTITION_KEY_VERSIONS[0]} | given
    if key["kind"] != "Hash" or len(key["paths"]) != 1:
        raise NOT_SUPPORTED("hierarchical partition keys")
    if key["version"] not in PARTITION_KEY_VERSIONS:
        raise BAD_REQUEST(f"The partition key version {key['version']} is invalid: it is 1 or 2.")
    result = DEFAULTS | definition | {"partitionKey": key}
    paths = [path for unique in _unique_keys(result) for path in unique["paths"]]
    for path in (*key["paths"], *paths):
        segments(path)
    policy = result["indexingPolicy"]
    if not isinstance(policy, dict) or str(policy.get("indexingMode", "consistent")).lower() not in INDEXING_MODES:
        raise BAD_REQUEST(f"The indexing policy {policy} is invalid: its mode is one of {', '.join(INDEXING_MODES)}.")
    ttl = result.get("defaultTtl")
    if ttl is not None and (ttl == 0 or ttl < -1):
        raise BAD_REQUEST(f"The value of defaultTtl is {ttl}: it is -1, or the seconds that documents live.")
    return result


def check_change(before: Document, after: Document) -> None:
    """Check that what cannot change stays as it was.

    Raises:
        ServiceError: 400 for another partition key; 403 for other unique keys.
    """
    if before["partitionKey"] != after["partitionKey"]:
        raise BAD_REQUEST("Document collection partition key cannot be changed.")
    if _paths(before) != _paths(after):
        raise UNIQUE_KEYS_FIXED()


def _unique_keys(definition: Document) -> list[dict[str, Any]]:
    return list(definition["uniqueKeyPolicy"].get("uniqueKeys") or ())


def _paths(definition: Document) -> list[list[str]]:
    return sorted(list(unique["paths"]) for unique in _unique_keys(definition))
