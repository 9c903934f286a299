"""Secure values of running deployments: stores them encrypted, and removes them from errors.

A deployment needs its secure values as long as it runs, even after a restart of the process. So they are stored with
all that contains them: the parameters, and the template of a nested deployment. They are encrypted (Fernet) with a key
in a separate file beside the database, which only its owner can read, and removed when the deployment ends. No other
table has them: neither the deployment nor its operations.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from cryptography.fernet import Fernet

from emulator.core.certificate_authority import write_private
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.core.store import Document

# A shorter text is not a secret, and removing it would only make messages unreadable.
MIN_SECRET = 4


class Sealed:
    """What deployments need to run and must not show, by deployment."""

    def __init__(self, platform: Platform) -> None:
        self._table = platform.store.table("deployment_sealed")
        path = platform.root / "deployments.key"
        if not path.exists():
            write_private(path, Fernet.generate_key())
        self._cipher = Fernet(path.read_bytes())

    def put(self, record: Document, content: dict[str, Any] | None) -> None:
        """Store the sealed content of a deployment, replacing earlier content; None if it has no secrets."""
        self.forget(record)
        if content is not None:
            sealed = self._cipher.encrypt(json.dumps(content).encode()).decode()
            self._table.put(record["id"].lower(), {"sealed": sealed})

    def get(self, record: Document) -> dict[str, Any] | None:
        """Return the sealed content of a deployment, or None."""
        found = self._table.get(record["id"].lower())
        if found is None:
            return None
        content: dict[str, Any] = json.loads(self._cipher.decrypt(found["sealed"].encode()))
        return content

    def forget(self, record: Document) -> None:
        """Remove the sealed content of a deployment."""
        self._table.delete(record["id"].lower())


class Redaction:
    """Removes secure values from errors, which often quote what was wrong.

    As a context manager, it rewrites a `ServiceError` that is raised inside.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = tuple(values)
        # Longest first, so that no part of a longer value remains.
        self._secrets = sorted(set(_texts(list(values))), key=len, reverse=True)

    def text(self, text: str) -> str:
        """Return a text without the values."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def json(self, value: Any) -> Any:
        """Return a JSON value without the values in its texts."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.json(item) for item in value]
        if isinstance(value, dict):
            return {name: self.json(item) for name, item in value.items()}
        return value

    def error(self, error: ServiceError) -> ServiceError:
        """Return an error without the values."""
        return error.reworded(self.json)

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, ServiceError) and self._secrets:
            raise self.error(error) from None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str) and len(value) >= MIN_SECRET:
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
