"""Texts of systemd units, parsed as Ignition parses them before it writes any: sections, `name=value`, comments.

Source: coreos/go-systemd `unit/deserialize.go`, with which Ignition checks units and drop-ins of every spec.
"""

import re

# Bytes: systemd cuts off longer lines.
_LONGEST_LINE = 2047
# Before the first section, only comments and the beginning of that section are read.
_FIRST = re.compile(r"[\[#;].*")
_SECTION = re.compile(r"\[[^\]]*\]\s*")
_OPTION = re.compile(r"[^=\r]*=.*", re.DOTALL)


def problem(text: str) -> str:
    """Return why a text cannot be read, or "". The message does not quote the text."""
    in_section = goes_on = False
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line.encode()) > _LONGEST_LINE:
            return f"line {number} has more than {_LONGEST_LINE} bytes"
        read = line
        if not goes_on:
            begin = _FIRST.search(line)
            read = line.lstrip() if in_section else (begin[0] if begin else "")
            if read.startswith("["):
                if not _SECTION.fullmatch(read):
                    return f"line {number} begins a section and is not [name]"
                in_section = True
            elif read and read[0] not in "#;" and not _OPTION.fullmatch(read):
                return f"line {number} is neither a section nor name=value"
        goes_on = read.endswith("\\")
    return ""
