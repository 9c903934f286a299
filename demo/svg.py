"""Elements of a self-contained SVG: escaped text, colours for light and dark pages."""

import re
from xml.etree import ElementTree as ET

# Pixels of a character, estimated generously, because the reader's font is unknown.
CHARACTER = {"name": 6.1, "label": 5.3, "figure": 5.6, "phase": 6.9, "heading": 8.0}
_SIZES = {"name": 10, "label": 9.5, "figure": 9.5, "phase": 11.5, "heading": 14}
# Characters that XML 1.0 cannot represent, escaped or not.
_UNSAYABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_LIGHT = {"page": "#ffffff", "text": "#1f2328", "dim": "#59636e", "grid": "#d8dee4", "work": "#0969da",
          "critical": "#bc4c00", "failed": "#cf222e", "canceled": "#818b98"}  # fmt: skip
_DARK = {"page": "#0d1117", "text": "#f0f6fc", "dim": "#9198a1", "grid": "#30363d", "work": "#4493f8",
         "critical": "#f0883e", "failed": "#f85149", "canceled": "#6e7681"}  # fmt: skip


def child(parent: ET.Element, tag: str, content: str = "", *, classes: str = "", **attributes: object) -> ET.Element:
    """Add an element. Numbers are rounded to a tenth of a pixel; `marker_end` is written as `marker-end`.

    Args:
        parent: the element to add to.
        tag: name of the element.
        content: its text.
        classes: its classes.
        attributes: its other attributes.
    """
    written = {"class": classes} if classes else {}
    for name, value in attributes.items():
        plain = f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
        written[name.replace("_", "-")] = _UNSAYABLE.sub("\ufffd", plain)
    made = ET.SubElement(parent, tag, written)
    made.text = _UNSAYABLE.sub("\ufffd", content) or None
    return made


def text(parent: ET.Element, look: str, x: float, y: float, words: str, *, anchor: str = "start") -> None:
    """Add words on one line, in one of the sizes above, with a halo that keeps lines off them.

    The halo is a separate element: some viewers do not know `paint-order`, and in them a halo on the text itself would
    hide it.

    Args:
        parent: the element to add to.
        look: class of the text.
        x: horizontal position.
        y: vertical position.
        words: the text.
        anchor: its alignment.
    """
    line, place = " ".join(words.split()), {"x": float(x), "y": float(y), "text_anchor": anchor}
    child(parent, "text", line, classes=f"{look} halo", aria_hidden="true", **place)
    child(parent, "text", line, classes=look, **place)


def definitions(svg: ET.Element) -> None:
    """Add the definitions that the picture refers to: the hatching of waits, the tips of arrows."""
    inside = child(svg, "defs")
    hatch = child(
        inside, "pattern", id="hatch", width=6, height=6, patternUnits="userSpaceOnUse",
        patternTransform="rotate(45)",
    )  # fmt: skip
    child(hatch, "line", classes="hatch", x1=0, x2=0, y1=0, y2=6)
    for look in ("plain", "critical"):
        marker = child(
            inside, "marker", id=f"tip-{look}", viewBox="0 0 6 6", refX=5, refY=3, markerWidth=6, markerHeight=6,
            orient="auto", markerUnits="userSpaceOnUse",
        )  # fmt: skip
        child(marker, "path", classes=f"tip {look}", d="M0 0 L6 3 L0 6 z")


def style() -> str:
    """Return the style sheet: light unless the page is dark."""
    sizes = "".join(f".{name}{{font-size:{size}px}}" for name, size in _SIZES.items())
    return (
        "text{font-family:system-ui,sans-serif}text.halo{fill:none!important;stroke-width:3px;stroke-linejoin:round}.name{font-family:ui-monospace,monospace}.phase,.heading,.critical "
        ".name{font-weight:600}.bar{stroke-width:1}.critical "
        f".bar{{stroke-width:2}}.link{{fill:none;stroke-width:.8}}.link.critical{{stroke-width:1.6}}.wait{{fill:url(#hatch)}}.hatch{{stroke-width:5}}{sizes}{_colours(_LIGHT)}@media "
        f"(prefers-color-scheme:dark){{{_colours(_DARK)}}}"
    )


def _colours(colour: dict[str, str]) -> str:
    page, dim, work, critical = colour["page"], colour["dim"], colour["work"], colour["critical"]
    rules = {
        ".page": f"fill:{page}",
        "text": f"fill:{colour['text']}",
        ".halo": f"stroke:{page}",
        ".label,.figure": f"fill:{dim}",
        ".grid,.rule": f"stroke:{colour['grid']}",
        ".bar,.hatch": f"stroke:{work}",
        ".hatch": "stroke-opacity:.35",
        ".work,.carried": f"fill:{work}",
        "rect.failed": f"fill:{colour['failed']};stroke:{colour['failed']}",
        "text.failed,text.cause": f"fill:{colour['failed']}",
        ".canceled": f"fill:{colour['canceled']};stroke:{colour['canceled']}",
        ".link": f"stroke:{dim}",
        ".tip": f"fill:{dim}",
        ".link.critical,.critical .bar": f"stroke:{critical}",
        ".tip.critical,.critical .name": f"fill:{critical}",
    }
    return "".join(f"{selector}{{{rule}}}" for selector, rule in rules.items())
