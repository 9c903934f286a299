"""The built-in functions of the query language; their arguments are evaluated before the call."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from emulator.cosmos.sql.values import UNDEFINED, deep_equals, type_name


@dataclass(frozen=True)
class Function:
    """A built-in function.

    Args:
        call: the implementation; gets no undefined value unless `raw`.
        least: the smallest number of arguments.
        most: the largest number of arguments.
        types: the JSON types of the first arguments; an argument of another type makes the result undefined.
        raw: whether it also takes undefined values, and values of any type.
    """

    call: Callable[..., Any]
    least: int
    most: int
    types: tuple[str, ...] = ()
    raw: bool = False

    def __call__(self, *arguments: Any) -> Any:
        """Call the function, or return undefined if an argument is undefined or of another type."""
        if not self.raw:
            if UNDEFINED in arguments:
                return UNDEFINED
            for argument, wanted in zip(arguments, self.types, strict=False):
                if type_name(argument) != wanted:
                    return UNDEFINED
        return self.call(*arguments)


def _is(*names: str) -> Function:
    return Function(lambda value: type_name(value) in names, 1, 1, raw=True)


def _text(test: Callable[[str, str], bool]) -> Function:
    def call(text: str, part: str, ignore_case: Any = False) -> bool:
        return test(text.lower(), part.lower()) if ignore_case is True else test(text, part)

    return Function(call, 2, 3, ("string", "string", "boolean"))


def _array_contains(array: list[Any], wanted: Any, partial: Any = False) -> bool:
    if partial is True and isinstance(wanted, dict):
        return any(
            isinstance(item, dict) and all(name in item and deep_equals(item[name], wanted[name]) for name in wanted)
            for item in array
        )
    return any(deep_equals(item, wanted) for item in array)


FUNCTIONS: dict[str, Function] = {
    "IS_DEFINED": Function(lambda value: value is not UNDEFINED, 1, 1, raw=True),
    "IS_NULL": _is("null"),
    "IS_BOOL": _is("boolean"),
    "IS_NUMBER": _is("number"),
    "IS_STRING": _is("string"),
    "IS_ARRAY": _is("array"),
    "IS_OBJECT": _is("object"),
    "IS_PRIMITIVE": _is("null", "boolean", "number", "string"),
    "STARTSWITH": _text(str.startswith),
    "ENDSWITH": _text(str.endswith),
    "CONTAINS": _text(str.__contains__),
    "LOWER": Function(str.lower, 1, 1, ("string",)),
    "UPPER": Function(str.upper, 1, 1, ("string",)),
    "LENGTH": Function(len, 1, 1, ("string",)),
    "ARRAY_LENGTH": Function(len, 1, 1, ("array",)),
    "ARRAY_CONTAINS": Function(_array_contains, 2, 3, ("array",)),
}
# Those that only Azure has. https://learn.microsoft.com/cosmos-db/query/functions
OF_AZURE = frozenset(
    """
    ABS ACOS ARRAY_AVG ARRAY_CONCAT ARRAY_CONTAINS_ALL ARRAY_CONTAINS_ANY ARRAY_MAX ARRAY_MEDIAN ARRAY_MIN ARRAY_SLICE
    ARRAY_SUM ASIN ATAN ATN2 AVG CEILING CHOOSE CONCAT COS COT COUNT COUNTIF DATETIMEADD DATETIMEBIN DATETIMEDIFF
    DATETIMEFROMPARTS DATETIMEPART DATETIMETOTICKS DATETIMETOTIMESTAMP DEGREES DOCUMENTID EXP FLOOR FULLTEXTCONTAINS
    FULLTEXTCONTAINSALL FULLTEXTCONTAINSANY FULLTEXTSCORE GETCURRENTDATETIME GETCURRENTDATETIMESTATIC GETCURRENTTICKS
    GETCURRENTTICKSSTATIC GETCURRENTTIMESTAMP GETCURRENTTIMESTAMPSTATIC IIF INDEX_OF INTADD INTBITAND INTBITLEFTSHIFT
    INTBITNOT INTBITOR INTBITRIGHTSHIFT INTBITXOR INTDIV INTMOD INTMUL INTSUB IS_DATETIME IS_FINITE_NUMBER IS_INTEGER
    LASTSUBSTRINGAFTER LASTSUBSTRINGBEFORE LEFT LOG LOG10 LTRIM MAX MIN NUMBERBIN OBJECTTOARRAY PI POWER RADIANS RAND
    REGEXMATCH REPLACE REPLICATE REVERSE RIGHT ROUND RRF RTRIM SETDIFFERENCE SETEQUAL SETINTERSECT SETUNION SIGN SIN
    SQRT SQUARE STRINGEQUALS STRINGJOIN STRINGSPLIT STRINGTOARRAY STRINGTOBOOLEAN STRINGTONULL STRINGTONUMBER
    STRINGTOOBJECT ST_AREA ST_DISTANCE ST_INTERSECTS ST_ISVALID ST_ISVALIDDETAILED ST_WITHIN SUBSTRING SUBSTRINGAFTER
    SUBSTRINGBEFORE SUM TAN TICKSTODATETIME TIMESTAMPTODATETIME TOSTRING TRIM TRUNC VECTORDISTANCE
    """.split()  # noqa: SIM905 - a hundred quoted names on a hundred lines would hide the table above
)
