"""What a terminal shows after a program has written to it: lines that were moved over or erased are gone."""

import re

_PIECES = re.compile(r"\x1b\[(?P<number>\d*)(?:;\d+)*(?P<letter>[A-Za-z])|\x1b\[\?\d+[hl]|(?P<character>.)", re.DOTALL)


def screen(written: str) -> list[str]:
    """Return the lines of the terminal, without a limit to their number.

    It understands what rich writes to draw over its own lines: to go up, to the beginning, and to erase a line.
    """
    lines, row, column = [""], 0, 0
    for piece in _PIECES.finditer(written):
        character, letter, number = piece["character"], piece["letter"], int(piece["number"] or 1)
        if character == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif character == "\r":
            column = 0
        elif character:
            line = lines[row].ljust(column)
            lines[row], column = line[:column] + character + line[column + 1 :], column + 1
        elif letter == "A":
            row = max(row - number, 0)
        elif letter == "K":
            lines[row] = "" if piece["number"] == "2" else lines[row][:column]
    return [line.rstrip() for line in lines]
