"""Responses as tables: one row for each object, with as much of the object as the client wants."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, repeat

from starlette.requests import Request

from emulator.core.clock import Clock
from emulator.json_object import Json
from emulator.openshift.kubernetes import replies
from emulator.openshift.kubernetes.kinds import Kind
from emulator.openshift.kubernetes.printing.columns import columns_of

LIST_METADATA = ("resourceVersion", "continue", "remainingItemCount")


@dataclass(frozen=True)
class Form:
    """The form in which a client wants the objects of a kind.

    Args:
        kind: the kind.
        version: version of `meta.k8s.io` for tables, "" if the client wants the objects themselves.
        include: the part of the object that a row includes: `Metadata` (also ""), `Object` or `None`.
        clock: gives the time for ages.
    """

    kind: Kind
    version: str
    include: str
    clock: Clock

    def of(self, body: Json, *, headed: bool = True) -> Json:
        """Return an object or a list in this form; a Status does not change."""
        if not self.version or (body["kind"], body["apiVersion"]) == ("Status", "v1"):
            return body
        columns, now = columns_of(self.kind), self.clock.now()
        metadata = body.get("metadata") or {}
        return {
            "kind": "Table",
            "apiVersion": f"meta.k8s.io/{self.version}",
            "metadata": {name: metadata[name] for name in LIST_METADATA if metadata.get(name)},
            "columnDefinitions": [column.as_json() for column in columns] if headed else None,
            "rows": [
                {"cells": [column.cell(obj, now) for column in columns], "object": self._included(obj)}
                for obj in body.get("items", [body])
            ],
        }

    def of_watch(self) -> Callable[[Json], Json]:
        """Return a function that converts a watch's objects in order; only the first table defines its columns."""
        headed = chain([True], repeat(False))
        return lambda obj: self.of(obj, headed=next(headed))

    def _included(self, obj: Json) -> Json | None:
        if self.include == "None":
            return None
        if self.include == "Object":
            return {"kind": self.kind.kind, "apiVersion": self.kind.api_version} | obj
        return {
            "kind": "PartialObjectMetadata",
            "apiVersion": f"meta.k8s.io/{self.version}",
            "metadata": obj["metadata"],
        }


def form_of(request: Request, kind: Kind, clock: Clock) -> Form:
    """Return the form in which a request wants the objects of a kind.

    Raises:
        ServiceError: 406 for a form that is not served.
    """
    # Kinds that cannot be read, such as reviews, are not served as tables.
    version = replies.table_version(request, served="get" in kind.verbs)
    return Form(kind, version, request.query_params.get("includeObject", ""), clock)
