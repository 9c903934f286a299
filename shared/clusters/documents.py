"""Types of members that several kinds of documents have. `docs/design.md` explains each document with examples.

Documents are plain dictionaries at run time. Members written by a newer build are kept and written back, so these types
must not be used to filter. To the type checker all members are optional, because an older build may have written fewer.
"""

from typing import Any, TypedDict

Cluster = dict[str, Any]
"""The internal cluster (`openShiftCluster` of its document): superset of all API versions, JSON names."""


class CorrelationData(TypedDict, total=False):
    """The ids that link a request to everything that it causes."""

    correlationId: str
    clientRequestId: str
    requestId: str
    requestTime: str
    traceparent: str
