"""Go through a script of the bootstrap machine without running anything: what it prints, copies, runs and sources.

The file system is a set of paths: the files of the machine's config, and what the commands so far would have made.
Values that only a real run knows stay unknown; a file whose name has one is not looked for, and a condition that
depends on one is taken for true. Commands succeed, so the body of a loop that waits for one does not run.
"""

import fnmatch
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

from emulator.openshift.boot import programs, shell
from emulator.openshift.boot.installation import ROOT
from emulator.openshift.boot.paths import UNKNOWN, Paths, place

# The variable that the script's library sets to the release's own image, and the component that this image runs.
RELEASE_IMAGE, RELEASE_COMPONENT = "RELEASE_IMAGE_DIGEST", "cluster-version-operator"
_IMAGE = "image:"
_EXPANSION = re.compile(r"\$(?:\{(!?\w+|[@*])(\[[@*]\])?([^}]*)\}|(\w+|[@*?#$!-]))")
_DEFAULT = re.compile(r":?-(.*)", re.DOTALL)
_SUBSTITUTION = re.compile(r"\$\((image_for|ls -A) ([^()|]+?)(?: \|\| .*)?\)", re.DOTALL)
# Folders whose files the machine's programs read by name.
_READ = re.compile(rf"{ROOT}/(?:(?:tls|auth|manifests|openshift)/.+|[^/]+\.patch)")
# The most often that the same function is entered, and a loop goes round.
_DEEPEST, _ROUNDS = 20, 200
# Commands whose arguments are not files that they read.
_READ_NOTHING = {"echo", "rm", "mkdir", "touch", "test", "[", "[[", "compgen", "trap", "local", "podman"}

Kind = Literal["line", "problem", "mark", "command", "source"]


class Event(NamedTuple):
    """Something that the script does: what it is, and the line, problem, marker, command or file."""

    kind: Kind
    text: str


class _Exit(Exception):  # noqa: N818 - it is not an error
    """The script ends here."""


@lru_cache(maxsize=64)
def walk(text: str, files: frozenset[str], minor: int = 0) -> tuple[Event, ...]:
    """Return what a script does, in order.

    Raises:
        ShellError: if bash could not read the script.
    """
    run = _Run(Paths(files), minor)
    with suppress(_Exit):
        run.nodes(shell.parse(text), {})
    return tuple(run.events)


Words = Sequence[str]
Locals = Mapping[str, str]


@dataclass
class _Run:
    paths: Paths
    minor: int
    events: list[Event] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, list[str]] = field(default_factory=dict)
    functions: dict[str, shell.Nodes] = field(default_factory=dict)
    depth: int = 0

    def __post_init__(self) -> None:
        self.values |= {"PWD": ROOT, RELEASE_IMAGE: f"{_IMAGE}{RELEASE_COMPONENT}"}

    # Control flow. A status is true, false, or None if only a real run knows.

    def nodes(self, nodes: shell.Nodes, arguments: Locals) -> bool | None:
        status: bool | None = True
        for node in nodes:
            status = self._node(node, arguments)
        return status

    def _node(self, node: shell.Node, arguments: Locals) -> bool | None:
        match node:
            case shell.Command():
                return self._command(node, arguments)
            case shell.Chain():
                return self._chain(node, arguments)
            case shell.If():
                return self._if(node, arguments)
            case shell.Loop():
                self._loop(node, arguments)
            case shell.Function():
                self.functions[node.name] = node.body
            case shell.Not():
                status = self._node(node.node, arguments)
                return None if status is None else not status
            case tuple():
                return self.nodes(node, arguments)
        return True

    def _if(self, node: shell.If, arguments: Locals) -> bool | None:
        for condition, body in node.branches:
            if self.nodes(condition, arguments) is not False:
                return self.nodes(body, arguments)
        return self.nodes(node.other, arguments)

    def _chain(self, chain: shell.Chain, arguments: Locals) -> bool | None:
        status: bool | None = True
        for operator, node in chain.parts:
            if (operator == "&&" and status is False) or (operator == "||" and status is not False):
                continue
            found = self._node(node, arguments)
            # Of two conditions, one that is known decides no more than one that is not.
            status = None if operator == "&&" and status is None and found else found
        return status

    def _loop(self, loop: shell.Loop, arguments: Locals) -> None:
        self.nodes(loop.condition, arguments)
        for word in self._words(loop.words, arguments)[:_ROUNDS]:
            self.values[loop.name] = word
            self.nodes(loop.body, arguments)

    # Commands

    def _command(self, command: shell.Command, arguments: Locals) -> bool | None:
        words = self._words(command.words, arguments)
        self._assign(command, arguments)
        for output in command.outputs:
            self.paths.add(place(self._text(output, arguments)))
        if not words:
            return True
        name, *given = words
        if name == "echo" and command.outputs:
            return True
        if name in self.functions and self.depth < _DEEPEST:
            self.depth += 1
            status = self.nodes(self.functions[name], _positional(given))
            self.depth -= 1
            return status
        if name == "exit":
            raise _Exit
        builtin = _BUILTINS.get(name)
        if builtin is not None:
            return builtin(self, given)
        self._reads(name, given)
        self.events.append(Event("command", " ".join(words)))
        return True

    def _assign(self, command: shell.Command, arguments: Locals) -> None:
        for target, word in command.assignments:
            name, is_added = target.rstrip("+="), target.endswith("+=")
            if isinstance(word, tuple):
                self.arrays[name] = (self.arrays.get(name, []) if is_added else []) + self._words(word, arguments)
            else:
                self.values[name] = (self.values.get(name, "") if is_added else "") + self._text(word, arguments)

    def _reads(self, name: str, given: Words) -> None:
        """Look for the files that a command names."""
        if name in _READ_NOTHING:
            return
        for word in given:
            path = place(word.rpartition("=")[2])
            if not word.startswith("s/") and _READ.fullmatch(path) and UNKNOWN not in path:
                self._open(path)

    def echo(self, given: Words) -> bool:
        self.events.append(Event("line", " ".join(given).replace(UNKNOWN, "")))
        return True

    def touch(self, given: Words) -> bool:
        for word in given:
            self.paths.add(place(word))
            self.events.append(Event("mark", word.rpartition("/")[2]))
        return True

    def source(self, given: Words) -> bool:
        self.events.append(Event("source", given[0] if given else ""))
        return True

    def make_folders(self, given: Words) -> bool:
        for word in given:
            self.paths.add(place(word), is_folder=True)
        return True

    def remove(self, given: Words) -> bool:
        for word in given:
            self.paths.remove(place(word))
        return True

    def copy(self, given: Words) -> bool:
        *sources, target = [word for word in given if not word.startswith("-")]
        for source in sources:
            found = self.paths.matches(source)
            if not found and UNKNOWN not in source:
                self._problem(f"cp: cannot stat '{source}': No such file or directory")
            for path in found:
                self.paths.copy(path, target, is_folder=len(found) > 1 or len(sources) > 1)
        return True

    def compgen(self, given: Words) -> bool | None:
        return None if UNKNOWN in given[-1] else bool(self.paths.matches(given[-1]))

    def test(self, given: Words) -> bool | None:
        words = [word for word in given if word not in ("]", "]]")]
        if words[:1] == ["!"]:
            status = self.test(words[1:])
            return None if status is None else not status
        if any(word in ("&&", "||", "-a", "-o", "=~", "<", ">") for word in words) or UNKNOWN in "".join(words):
            return None
        match words:
            case ["-f" | "-e" | "-s" | "-r", path]:
                status = self.paths.has(place(path))
            case ["-d", path]:
                status = self.paths.has_folder(place(path))
            case ["-n" | "-z" as option, text]:
                status = bool(text) == (option == "-n")
            case [one, "=" | "==" | "!=" as operator, other]:
                status = fnmatch.fnmatchcase(one, other) == (operator != "!=")
            case _:
                status = None
        return status

    # Programs of images

    def podman(self, given: Words) -> bool:
        self.events.append(Event("command", " ".join(("podman", *given))))
        image = next((number for number, word in enumerate(given) if word.startswith(_IMAGE)), None)
        if image is None or given[0] != "run":
            return True
        words = given[image + 1 :]
        first = next((number for number, word in enumerate(words) if word.startswith("-")), len(words))
        component, command = given[image].removeprefix(_IMAGE), words[first - 1] if first else ""
        flags, program = list(_flags(words[first:])), programs.find(component, command)
        if any(word.startswith("--entrypoint") for word in given[:image]) or component not in programs.COMPONENTS:
            for _, value in flags:
                self._reads("", [value])
        elif program is None:
            self._problem(f"{component}: unknown command: {command}")
        else:
            self._program(program, flags)
        return True

    def _program(self, program: programs.Program, flags: list[tuple[str, str]]) -> None:
        given, who = {name for name, _ in flags}, f"{program.component} {program.command}"
        for name in program.unknown(given, self.minor):
            self._problem(f"{who}: unknown flag: {name}")
        for name in program.missing(given, self.minor):
            self._problem(f"{who}: missing required flag: {name}")
        known = {flag.name: flag for flag in program.flags}
        for name, value in flags:
            flag = known.get(name)
            if flag is not None and flag.writes:
                self.paths.add(_inside(value), is_folder=name == program.output)
            elif flag is not None and not flag.may_be_missing:
                self._reads_inside(value)
        for flag in program.flags:
            if flag.default and flag.name not in given and flag.since <= self.minor < flag.until:
                self._reads_inside(flag.default)
        output = _inside(dict(flags).get(program.output, ""))
        for made in program.leaves(given, self.minor):
            path = posixpath.normpath(f"{output}/{made.path}")
            if made.path.endswith("/") and not made.is_empty:
                path = f"{path}/{program.component}.yaml"
            self.paths.add(path, is_folder=made.is_empty)

    def _reads_inside(self, value: str) -> None:
        if value.startswith(("/assets/", "assets/")) and UNKNOWN not in value:
            self._open(_inside(value))

    def _open(self, path: str) -> None:
        if not self.paths.has(path):
            self._problem(f"open {path}: no such file or directory")

    def _problem(self, text: str) -> None:
        self.events.append(Event("problem", text))

    # Words

    def _words(self, words: Words, arguments: Locals) -> list[str]:
        return [each for word in words for each in self._word(word, arguments)]

    def _word(self, word: str, arguments: Locals) -> Iterator[str]:
        """Yield what a word becomes: none or several if it is an array, or a value without quotes."""
        if found := re.fullmatch(r'"?\$(?:\{(\w+)\[[@*]\]\}|\{?([@*])\}?)"?', word):
            yield from self.arrays.get(found[1], []) if found[1] else _all(arguments)
            return
        text = self._text(word, arguments)
        if word.startswith("$") and '"' not in word:
            yield from text.split()
        else:
            yield text

    def _text(self, word: str, arguments: Locals) -> str:
        """Return a word with its quotes taken away and its variables replaced."""
        parts = []
        for single, rest in re.findall(r"'([^']*)'|((?:[^'\"\\]|\\.|\"(?:[^\"\\]|\\.)*\")+)", word, re.DOTALL):
            text = _SUBSTITUTION.sub(lambda found: self._substituted(found, arguments), rest)
            text = _without_substitutions(text)
            text = _EXPANSION.sub(lambda found: self._value(found, arguments), text)
            parts.append(single or re.sub(r'\\(.)|"', r"\1", text))
        return "".join(parts)

    def _substituted(self, found: re.Match[str], arguments: Locals) -> str:
        name, given = found[1], self._text(found[2], arguments)
        if name == "image_for":
            return f"{_IMAGE}{given}"
        return "files" if self.paths.matches(f"{given}/*") else ""

    def _value(self, found: re.Match[str], arguments: Locals) -> str:
        name, rest = found[1] or found[4], found[3] or ""
        if name in ("@", "*"):
            return UNKNOWN if rest else " ".join(_all(arguments))
        value = arguments.get(name, self.values.get(name))
        if value is None and (default := _DEFAULT.fullmatch(rest)):
            return self._text(default[1], arguments)
        if rest == "##*/" and value is not None:
            return value.rpartition("/")[2]
        return UNKNOWN if value is None or (rest and not _DEFAULT.fullmatch(rest)) else value


_BUILTINS: Mapping[str, Callable[[_Run, Words], bool | None]] = {
    "[": _Run.test,
    "[[": _Run.test,
    "test": _Run.test,
    ".": _Run.source,
    "source": _Run.source,
    "compgen": _Run.compgen,
    "cp": _Run.copy,
    "echo": _Run.echo,
    "mkdir": _Run.make_folders,
    "podman": _Run.podman,
    "rm": _Run.remove,
    "touch": _Run.touch,
}


def _positional(given: Words) -> Locals:
    return {str(number): word for number, word in enumerate(given, 1)}


def _all(arguments: Locals) -> list[str]:
    return list(arguments.values())


def _flags(words: Words) -> Iterator[tuple[str, str]]:
    """Yield the arguments of a program, each with its value, "" for none."""
    for number, word in enumerate(words):
        if word.startswith("--"):
            name, is_joined, value = word.partition("=")
            following = words[number + 1] if number + 1 < len(words) else ""
            yield name, value if is_joined or following.startswith("-") else following


def _inside(value: str) -> str:
    """Return the path on the machine of a file that a container names."""
    return place(re.sub(r"^/?assets/", f"{ROOT}/", value))


def _without_substitutions(text: str) -> str:
    """Return a text in which an unknown value stands for each remaining `$(…)` and `` `…` ``."""
    text = re.sub(r"`[^`]*`", UNKNOWN, text)
    while (begin := text.find("$(")) >= 0:
        depth = 0
        for end in range(begin + 1, len(text)):
            depth += (text[end] == "(") - (text[end] == ")")
            if not depth:
                break
        text = text[:begin] + UNKNOWN + text[end + 1 :]
    return text
