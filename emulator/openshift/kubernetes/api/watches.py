"""Watches: the changes of a kind after a version, as a stream of lines."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

from emulator.core.service_error import ServiceError
from emulator.json_object import Json
from emulator.openshift.kubernetes import api_errors, replies
from emulator.openshift.kubernetes.api.selectors import Selector
from emulator.openshift.kubernetes.kinds import Kind
from emulator.openshift.kubernetes.objects.storage import Change, Storage, in_version

BOOKMARK_SECONDS = 60.0
# The real server sends a last bookmark this long before a watch times out, so that the next watch knows where to begin.
LAST_BOOKMARK_SECONDS = 2.0
LONGEST_SECONDS = 3600.0
# What the bookmark after the initial events of a watch says that it is.
INITIAL_EVENTS_END = "k8s.io/initial-events-end"


@dataclass(frozen=True)
class Watch:
    """One watch.

    Args:
        kind: the kind to watch.
        namespace: the namespace to watch, "" for all.
        selector: selects objects.
        version: the watch begins after this version; 0 first reports all current objects as added.
        initial: whether it first reports them whatever the version, and then a bookmark that says so. That is how
            today's informers list.
        seconds: how long the watch lasts.
        bookmarks: whether the client wants bookmarks, which report versions without a change.
        shown: converts each object to the form that the client wants; called in the order of the events.
    """

    kind: Kind
    namespace: str
    selector: Selector
    version: int
    initial: bool
    seconds: float
    bookmarks: bool
    shown: Callable[[Json], Json]

    async def lines(self, storage: Storage) -> AsyncIterator[bytes]:
        """Yield the events, one line each."""
        # Nothing is awaited from here to the subscription, so that no change is lost in between.
        try:
            begun = list(self._begin(storage))
        except ServiceError as error:
            yield _line("ERROR", api_errors.status(error))
            return
        subscription = storage.subscribe(self.kind)
        try:
            for line in begun:
                yield line
            async for line in self._follow(storage, subscription.changes):
                yield line
        finally:
            storage.unsubscribe(subscription)

    def _begin(self, storage: Storage) -> Iterator[bytes]:
        if self.initial and self.version > storage.revision:
            raise api_errors.TOO_LARGE_VERSION(version=self.version, current=storage.revision)
        if self.initial or self.version == 0:
            for found in storage.scan(self.kind, self.namespace):
                if self.selector(found):
                    yield self._event("ADDED", found)
            if self.initial and self.bookmarks:
                yield self._event("BOOKMARK", self._bookmark(storage, {INITIAL_EVENTS_END: "true"}))
            return
        if self.version < storage.oldest:
            raise api_errors.EXPIRED(f"too old resource version: {self.version} ({storage.oldest})")
        for change in storage.changes_since(self.kind, self.version):
            yield from self._seen(change)

    async def _follow(self, storage: Storage, changes: asyncio.Queue[Change]) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        end = loop.time() + self.seconds
        bookmark = min(loop.time() + BOOKMARK_SECONDS, end - LAST_BOOKMARK_SECONDS) if self.bookmarks else end
        while (now := loop.time()) < end:
            try:
                change = await asyncio.wait_for(changes.get(), max(0.0, min(bookmark, end) - now))
            except TimeoutError:
                if bookmark < end:
                    yield self._event("BOOKMARK", self._bookmark(storage))
                    following = min(bookmark + BOOKMARK_SECONDS, end - LAST_BOOKMARK_SECONDS)
                    bookmark = following if following > loop.time() else end
                continue
            for line in self._seen(change):
                yield line

    def _seen(self, change: Change) -> Iterator[bytes]:
        """Yield a change as this watch sees it: ADDED or DELETED if the object starts or stops fitting the selector."""
        if self.namespace and change.object["metadata"].get("namespace") != self.namespace:
            return
        fits = self.selector(change.object)
        fitted = change.previous is not None and self.selector(change.previous)
        current = in_version(change.object, self.kind)
        if change.type == "DELETED":
            if fitted or fits:
                yield self._event("DELETED", current)
        elif fits:
            yield self._event("MODIFIED" if fitted else "ADDED", current)
        elif fitted and change.previous is not None:
            version = {"resourceVersion": change.object["metadata"]["resourceVersion"]}
            last = in_version(change.previous, self.kind)
            yield self._event("DELETED", last | {"metadata": last["metadata"] | version})

    def _event(self, event: str, obj: Json) -> bytes:
        return _line(event, self.shown(obj))

    def _bookmark(self, storage: Storage, annotations: Json | None = None) -> Json:
        metadata: Json = {"resourceVersion": str(storage.revision), "creationTimestamp": None}
        if annotations:
            metadata["annotations"] = annotations
        return {"kind": self.kind.kind, "apiVersion": self.kind.api_version, "metadata": metadata}


def _line(event: str, obj: Json) -> bytes:
    return replies.encode({"type": event, "object": obj})
