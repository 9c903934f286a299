"""Read a bash script: its commands in nested tuples, as far as scripts of bootstrap machines use the language.

What no such script uses is left out: `case` and arithmetic are read over, and nothing is made of them.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

_OPERATORS = (
    *("&&", "||", ";;", "<<<", "<<-", "<<", ">>", "<(", ">(", "&>", ">&", "<&"),
    *(";", "|", "&", "(", ")", "<", ">", "\n"),
)
_REDIRECTIONS = {"<", ">", ">>", "<<<", "&>", ">&", "<&"}
_ARRAY = re.compile(r"(\w+\+?=)\(")
_ASSIGNMENT = re.compile(r"\w+\+?=")
_FUNCTION = re.compile(r"[\w-]+")
_SPACE = " \t"
_ENDS = {"then", "elif", "else", "fi", "do", "done", "esac", "}"}


class ShellError(Exception):
    """The script ends in the middle of a command."""


@dataclass(frozen=True)
class Command:
    """A simple command.

    Args:
        assignments: variables that are set: name with `=` or `+=`, and the word; or the words of an array.
        words: as they are written, with their quotes.
        outputs: files into which its output goes, as they are written.
    """

    assignments: tuple[tuple[str, str | tuple[str, ...]], ...]
    words: tuple[str, ...]
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chain:
    """Commands of which each later one depends on the status so far: `&&` or `||` before it, "" for the first.

    Of a pipeline each part is a command of its own, after "|".
    """

    parts: tuple[tuple[str, "Node"], ...]


@dataclass(frozen=True)
class If:
    """Branches, each a condition with what it leads to, and the other branch."""

    branches: tuple[tuple["Nodes", "Nodes"], ...]
    other: "Nodes"


@dataclass(frozen=True)
class Loop:
    """A loop: `while`, `until`, or `for`, whose words the name gets one after the other."""

    kind: str
    condition: "Nodes"
    body: "Nodes"
    name: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Function:
    """The definition of a function."""

    name: str
    body: "Nodes"


@dataclass(frozen=True)
class Not:
    """A command whose status is turned round."""

    node: "Node"


Node: TypeAlias = "Command | Chain | If | Loop | Function | Not | Nodes"
Nodes: TypeAlias = "tuple[Node, ...]"


@lru_cache(maxsize=64)
def parse(text: str) -> Nodes:
    """Return the commands of a script.

    Raises:
        ShellError: if a quote, a block or a substitution does not end.
    """
    reader = _Reader(list(_tokens(text)))
    nodes = reader.block(frozenset())
    if reader.word is not None:
        raise ShellError(f"syntax error near unexpected token `{reader.word.strip() or 'newline'}'")
    return nodes


class _Reader:
    """Reads tokens from the first to the last; `word` is the next one."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens, self._at = tokens, 0

    @property
    def word(self) -> str | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take(self) -> str:
        found = self.word
        if found is None:
            raise ShellError("syntax error: unexpected end of file")
        self._at += 1
        return found

    def _expect(self, *wanted: str) -> str:
        self._skip("\n", ";")
        found = self._take()
        if found not in wanted:
            raise ShellError(f"syntax error near unexpected token `{found}'")
        return found

    def _skip(self, *unwanted: str) -> None:
        while self.word in unwanted:
            self._at += 1

    def block(self, ends: frozenset[str]) -> Nodes:
        """Read commands up to one of the words, or up to the end of the script."""
        nodes: list[Node] = []
        while True:
            self._skip("\n", ";", "&")
            if self.word is None or self.word in ends or self.word in _ENDS or self.word == ")":
                return tuple(nodes)
            nodes.append(self._chain())

    def _chain(self) -> Node:
        parts: list[tuple[str, Node]] = [("", self._node())]
        while self.word in ("&&", "||", "|"):
            operator = self._take()
            self._skip("\n")
            parts.append((operator, self._node()))
        return parts[0][1] if len(parts) == 1 else Chain(tuple(parts))

    def _node(self) -> Node:
        readers: dict[str | None, Callable[[], Node]] = {
            "!": self._not,
            "if": self._if,
            "while": self._while,
            "until": self._while,
            "for": self._for,
            "case": self._case,
            "{": lambda: self._group("}"),
            "(": lambda: self._group(")"),
            "function": self._function,
        }
        reader = readers.get(self.word)
        if reader is not None:
            return reader()
        following = self._tokens[self._at + 1 : self._at + 3]
        if following == ["(", ")"] and _FUNCTION.fullmatch(self.word or ""):
            return self._function()
        return self._command()

    def _not(self) -> Node:
        self._take()
        return Not(self._node())

    def _if(self) -> Node:
        branches: list[tuple[Nodes, Nodes]] = []
        other: Nodes = ()
        word = self._take()
        while word in ("if", "elif"):
            condition = self.block(frozenset({"then"}))
            self._expect("then")
            branches.append((condition, self.block(frozenset())))
            word = self._expect("elif", "else", "fi")
        if word == "else":
            other = self.block(frozenset())
            self._expect("fi")
        self._redirections()
        return If(tuple(branches), other)

    def _while(self) -> Node:
        kind, condition = self._take(), self.block(frozenset({"do"}))
        return Loop(kind, condition, self._body())

    def _for(self) -> Node:
        self._take()
        name, words = self._take(), []
        self._skip("\n")
        if self.word == "in":
            self._take()
            while self.word not in (";", "\n", None):
                words.append(self._take())
        return Loop("for", (), self._body(), name, tuple(words))

    def _body(self) -> Nodes:
        self._expect("do")
        body = self.block(frozenset())
        self._expect("done")
        self._redirections()
        return body

    def _case(self) -> Node:
        depth = 0
        while True:
            word = self._take()
            depth += (word == "case") - (word == "esac")
            if not depth:
                return ()

    def _group(self, end: str) -> Node:
        self._take()
        nodes = self.block(frozenset({end}))
        self._expect(end)
        self._redirections()
        return nodes

    def _function(self) -> Node:
        if self.word == "function":
            self._take()
        name = self._take()
        self._skip("(", ")", "\n")
        body = self._node()
        return Function(name, body if isinstance(body, tuple) else (body,))

    def _redirections(self) -> tuple[str, ...]:
        found = []
        while self.word in _REDIRECTIONS:
            operator = self._take()
            target = self._take()
            if operator in (">", ">>"):
                found.append(target)
        return tuple(found)

    def _command(self) -> Command:
        assignments: list[tuple[str, str | tuple[str, ...]]] = []
        words: list[str] = []
        outputs: list[str] = []
        is_test = self.word == "[["
        while (word := self.word) is not None:
            if word in _REDIRECTIONS and not is_test:
                if words and words[-1].isdigit():
                    words.pop()
                outputs += self._redirections()
                continue
            if not is_test and word in (*_OPERATORS, "\n"):
                break
            self._take()
            declares = not words or words[0] in ("local", "readonly", "export", "declare")
            if array := _ARRAY.fullmatch(word):
                assignments.append((array[1], self._array()))
            elif declares and (found := _ASSIGNMENT.match(word)):
                assignments.append((found[0], word[found.end() :]))
            else:
                words.append(word)
            if is_test and word == "]]":
                is_test = False
        return Command(tuple(assignments), tuple(words), tuple(outputs))

    def _array(self) -> tuple[str, ...]:
        words = []
        while (word := self._take()) != ")":
            if word != "\n":
                words.append(word)
        return tuple(words)


def _tokens(text: str) -> Iterator[str]:
    """Yield words with their quotes, and operators; comments and here-documents are left out."""
    at, pending = 0, list[str]()
    while at < len(text):
        if text.startswith("\\\n", at):
            at += 2
        elif text[at] in _SPACE:
            at += 1
        elif text[at] == "#":
            at = _line_end(text, at)
        elif text.startswith("((", at):
            end = _closing(text, at, "(", ")") + 1
            yield text[at:end]
            at = end
        else:
            operator = next((found for found in _OPERATORS if text.startswith(found, at)), "")
            if operator in ("<<", "<<-"):
                at, word = _word(text, at + len(operator))
                pending.append(word.strip(" \t'\"\\"))
            elif operator in ("<(", ">("):
                at, word = _word(text, at)
                yield word
            elif operator == "\n":
                yield operator
                at = _after_documents(text, at + 1, pending)
                pending = []
            elif operator:
                yield operator
                at += len(operator)
            else:
                at, word = _word(text, at)
                yield word


def _after_documents(text: str, at: int, ends: list[str]) -> int:
    for end in ends:
        while at < len(text):
            line_end = _line_end(text, at)
            line, at = text[at:line_end].strip("\t"), line_end + 1
            if line == end:
                break
    return at


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def _word(text: str, at: int) -> tuple[int, str]:
    """Return the end of the word at a place, and the word; `name=(` is one too."""
    while at < len(text) and text[at] in _SPACE:
        at += 1
    begin = at
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] in "'\"`":
            at = _quoted(text, at) + 1
        elif text.startswith(("$(", "<(", ">("), at):
            at = _closing(text, at + 1, "(", ")") + 1
        elif text.startswith("${", at):
            at = _closing(text, at + 1, "{", "}") + 1
        elif text[at] == "(" and _ARRAY.fullmatch(text[begin : at + 1]):
            return at + 1, text[begin : at + 1]
        elif text[at] in " \t\n;|&()<>":
            break
        else:
            at += 1
    return at, text[begin:at].replace("\\\n", "")


def _quoted(text: str, at: int) -> int:
    """Return the place of the quote that ends the quoted text at a place."""
    quote, at = text[at], at + 1
    while at < len(text):
        if text[at] == quote:
            return at
        if quote != "'" and text[at] == "\\":
            at += 1
        elif quote == '"' and text.startswith("$(", at):
            at = _closing(text, at + 1, "(", ")")
        elif quote == '"' and text.startswith("${", at):
            at = _closing(text, at + 1, "{", "}")
        at += 1
    raise ShellError(f"unexpected EOF while looking for matching `{quote}'")


def _closing(text: str, at: int, begin: str, end: str) -> int:
    """Return the place of the bracket that closes the one at a place."""
    depth = 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] in "'\"":
            at = _quoted(text, at)
        else:
            depth += (text[at] == begin) - (text[at] == end)
            if not depth:
                return at
        at += 1
    raise ShellError(f"unexpected EOF while looking for matching `{end}'")
