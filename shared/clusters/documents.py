"""What stands in documents of several kinds, as types. `docs/design.md` explains each document and gives examples.

Documents are plain dictionaries at run time: members written by a newer build are kept and written back, so nothing
here may be used to filter. All members are optional to the type checker, because an older build may have written less.
"""

from typing import Any, TypedDict

Cluster = dict[str, Any]
"""The internal cluster (`openShiftCluster` of its document): superset of all API versions, JSON names."""


class CorrelationData(TypedDict, total=False):
    """What ties a request to everything that it causes."""

    correlationId: str
    clientRequestId: str
    requestId: str
    requestTime: str
    traceparent: str
