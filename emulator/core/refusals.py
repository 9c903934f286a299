"""Refusals as data: what an emulated service says to a request that it refuses, and where that comes from.

Each service lists its rows in its `exceptions.py`, and renders the errors that they make in its own wire format.
"""

import json
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from emulator.core.service_error import ServiceError
from emulator.core.sources import SAID, Source, name_of


class _Text(Formatter):
    """Fills in a text.

    The format of a field with several values is what joins them: `{names:, }`. The conversion `n` takes the name at the
    end of an id, or of each of several: `{identifier!n}`. The conversion `c` counts several: `{holders!c}`. The
    conversion `j` writes JSON.
    """

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        """Return a value after its conversion."""
        if conversion == "c":
            return len(list(value))
        if conversion == "j":
            return json.dumps(value, ensure_ascii=False, default=str)
        if conversion != "n":
            return super().convert_field(value, conversion)
        if isinstance(value, Iterable) and not isinstance(value, str):
            return [str(one).rsplit("/", 1)[-1] for one in value]
        return str(value).rsplit("/", 1)[-1]

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a value as the text has it."""
        if format_spec and isinstance(value, Iterable) and not isinstance(value, str):
            return format_spec.join(str(one) for one in value)
        return str(super().format_field(value, format_spec))


TEXT = _Text()
_VALUE = re.compile(r"\{([^{}!:]+)!v\}")


@dataclass(frozen=True, eq=False)
class Refusal:
    """One reason to refuse a request. Calling it makes the error.

    Texts have fields in braces, such as `{name}` or `{found.value}`. In `details` and `extra`, `"{causes!v}"` stands for
    a list or an object.

    Args:
        status_code: HTTP status.
        code: the service's own error code.
        source: where code and text come from.
        text: the message.
        target: JSON path or resource.
        details: nested errors.
        headers: extra response headers.
        extra: further members of the service's wire format.
    """

    status_code: int
    code: str
    source: Source
    text: str
    target: str | None = None
    details: Sequence[Mapping[str, Any]] | str = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fields(self) -> Sequence[str]:
        """The names of the fields, without what a text reads from them."""
        texts = _texts([self.code, self.text, self.target, self.details, self.headers, self.extra])
        names = (name for text in texts for _, name, _, _ in TEXT.parse(text) if name)
        return list(dict.fromkeys(name.partition(".")[0].partition("[")[0] for name in names))

    def __call__(self, only: object = None, /, **fields: object) -> ServiceError:
        """Return the error.

        Args:
            only: the value of a row's only field; a row without fields ignores it.
            fields: the values of the fields.
        """
        values = fields or dict.fromkeys(self.fields, only)
        error = ServiceError(
            self.status_code,
            _filled(self.code, values),
            _filled(self.text, values),
            target=_filled(self.target, values),
            details=_filled(self.details, values),
            headers=_filled(self.headers, values),
            extra=_filled(self.extra, values),
        )
        error.said = self
        return error


Builder = Refusal | Callable[..., ServiceError]


def origin(builder: Builder) -> Refusal | str:
    """Return what the errors of a row, or of a function that `said` marks, have as `ServiceError.said`."""
    return builder if isinstance(builder, Refusal) else name_of(builder)


def source_of(said: Hashable) -> Source:
    """Return where code and text of the errors come from that have this as `ServiceError.said`."""
    return said.source if isinstance(said, Refusal) else SAID[str(said)]


def _filled(value: Any, fields: Mapping[str, object]) -> Any:
    if isinstance(value, str):
        whole = _VALUE.fullmatch(value)
        return TEXT.get_field(whole[1], (), fields)[0] if whole else TEXT.vformat(value, (), fields)
    if isinstance(value, Mapping):
        return {name: _filled(item, fields) for name, item in value.items()}
    return [_filled(item, fields) for item in value] if isinstance(value, Sequence) else value


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | Sequence):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)
