"""Snippets laid over the installer's ignition, and who wins where both say something.

* Files and directories are matched by path, units by name: the installer's entry stays as it is, the snippet's is left
  out. Among snippets the earlier one wins.
* A user's SSH keys and groups are united, the installer's first, none twice; the installer's password wins.
* Authorities are united. What only one side has is taken from there.
* Pointers (`merge` and `replace` together) are the snippet's where it has any: that is how a machine is sent elsewhere.

Whatever was given up is a `Clash`, unless both sides said the same.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from shared.installer.ignition import Config, Directory, File, User

INSTALLER = "installer"
_Entry = TypeVar("_Entry")


@dataclass(frozen=True)
class Snippet:
    """A configuration to be laid over another, and what it is called."""

    name: str
    config: Config


@dataclass(frozen=True)
class Clash:
    """What two sides said differently.

    Args:
        what: the place, such as `path /etc/hostname`.
        winner: whose is used: the installer's or a snippet's name.
        loser: whose is not.
    """

    what: str
    winner: str
    loser: str


def merge(installers: Config, snippets: Sequence[Snippet]) -> tuple[Config, tuple[Clash, ...]]:
    """Return the installer's configuration with snippets laid over it, and what clashed."""
    clashes: list[Clash] = []
    sides = (Snippet(INSTALLER, installers), *snippets)
    found: list[tuple[str, str, File | Directory]] = []
    for side in sides:
        found += [(side.name, file.path, file) for file in side.config.files]
        found += [(side.name, directory.path, directory) for directory in side.config.directories]
    nodes = _first("path", found, clashes)
    units = _first("unit", ((side.name, unit.name, unit) for side in sides for unit in side.config.units), clashes)
    pointing = _pointing(sides, clashes)
    config = Config(
        files=tuple(node for node in nodes if isinstance(node, File)),
        units=units,
        users=_users(sides, clashes),
        merge=pointing.merge,
        authorities=_united(pem for side in sides for pem in side.config.authorities),
        directories=tuple(node for node in nodes if isinstance(node, Directory)),
        replace=pointing.replace,
    )
    return config, tuple(clashes)


def _first(what: str, rows: Iterable[tuple[str, str, _Entry]], clashes: list[Clash]) -> tuple[_Entry, ...]:
    """Return the first entry of each name; rows are side, name, entry."""
    taken: dict[str, tuple[str, _Entry]] = {}
    for side, name, entry in rows:
        winner, first = taken.setdefault(name, (side, entry))
        if first != entry:
            clashes.append(Clash(f"{what} {name}", winner, side))
    return tuple(entry for _, entry in taken.values())


def _users(sides: Iterable[Snippet], clashes: list[Clash]) -> tuple[User, ...]:
    united: dict[str, User] = {}
    whose: dict[str, str] = {}
    for side in sides:
        for user in side.config.users:
            before = united.get(user.name, User(user.name))
            united[user.name] = replace(
                before,
                ssh_keys=_united(key.strip() for key in (*before.ssh_keys, *user.ssh_keys)),
                groups=_united((*before.groups, *user.groups)),
                password_hash=before.password_hash or user.password_hash,
            )
            if not before.password_hash:
                whose[user.name] = side.name
            elif user.password_hash not in ("", before.password_hash):
                clashes.append(Clash(f"password of user {user.name}", whose[user.name], side.name))
    return tuple(united.values())


def _pointing(sides: Sequence[Snippet], clashes: list[Clash]) -> Config:
    """Return the configuration whose pointers count: the first snippet's that has any, else the installer's."""
    installers, *snippets = sides
    pointing = [side for side in (*snippets, installers) if side.config.merge or side.config.replace]
    if not pointing:
        return Config()
    first, *others = pointing
    clashes += [
        Clash("pointers", first.name, other.name)
        for other in others
        if (other.config.merge, other.config.replace) != (first.config.merge, first.config.replace)
    ]
    return first.config


def _united(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))
