"""Checks of the columns in a CustomResourceDefinition."""

from collections.abc import Iterator

from emulator.openshift.kubernetes.errors import Cause, invalid_value, required
from emulator.openshift.kubernetes.kinds import Json

TYPES = ("boolean", "date", "integer", "number", "string")
FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
COLUMNS = "additionalPrinterColumns"


def column_causes(versions: list[Json]) -> Iterator[Cause]:
    """Yield what is wrong with the columns of a definition's versions.

    The real server keeps columns that all versions share in one place, and names that place in its errors.
    """
    listed = [version.get(COLUMNS) or [] for version in versions]
    if all(columns == listed[0] for columns in listed):
        listed, places = listed[:1], ["spec"]
    else:
        places = [f"spec.versions[{index}]" for index in range(len(versions))]
    for place, columns in zip(places, listed, strict=False):
        for index, column in enumerate(columns):
            yield from _causes(f"{place}.{COLUMNS}[{index}]", column)


def _causes(field: str, column: Json) -> Iterator[Cause]:
    kind, form, path = (column.get(name) or "" for name in ("type", "format", "jsonPath"))
    if not column.get("name"):
        yield required(f"{field}.name")
    if not kind:
        yield required(f"{field}.type", f"must be one of {','.join(TYPES)}")
    elif kind not in TYPES:
        yield invalid_value(f"{field}.type", kind, f"must be one of {','.join(TYPES)}")
    if form and form not in FORMATS:
        yield invalid_value(f"{field}.format", form, f"must be one of {','.join(FORMATS)}")
    if not path:
        yield required(f"{field}.JSONPath")
    elif not path.startswith("."):
        yield invalid_value(f"{field}.JSONPath", path, "must be a simple json path starting with .")
