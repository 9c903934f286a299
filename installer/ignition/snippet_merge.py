"""Lays snippets over the installer's ignition, and decides who wins if both define something.

* Files and directories are matched by path, units by name and by the paths of their texts and drop-ins. The installer's
  entry stays unchanged, and the snippet's is left out. So is an entry that would lie below a file, or that is a file
  above others. Among snippets the earlier one wins.
* A user's SSH keys and groups are merged, the installer's first, without duplicates; the installer's password wins.
* Authorities are merged. Entries of only one side are kept.
* Pointers (`merge` and `replace` together) are the snippet's if it has any, which lets a snippet send a machine
  elsewhere.

Everything that lost is a `Clash`, unless both sides were equal.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from installer.ignition.ignition import Config, Directory, Entry, File, Unit, User, above, entries, laid_down

INSTALLER = "installer"


@dataclass(frozen=True)
class Snippet:
    """A configuration to lay over another, and its name."""

    name: str
    config: Config


@dataclass(frozen=True)
class Clash:
    """Something that two sides define differently.

    Args:
        what: the place, such as `path /etc/hostname`.
        winner: the side that is used: the installer, or a snippet's name.
        loser: the side that is not.
    """

    what: str
    winner: str
    loser: str


def merge(installers: Config, snippets: Sequence[Snippet]) -> tuple[Config, tuple[Clash, ...]]:
    """Return the installer's configuration with snippets laid over it, and the clashes."""
    clashes: list[Clash] = []
    sides = (Snippet(INSTALLER, installers), *snippets)
    kept = _first(sides, clashes)
    pointing = _pointing(sides, clashes)
    config = Config(
        files=tuple(entry for entry in kept if isinstance(entry, File)),
        units=tuple(entry for entry in kept if isinstance(entry, Unit)),
        users=_users(sides, clashes),
        merge=pointing.merge,
        authorities=_united(pem for side in sides for pem in side.config.authorities),
        directories=tuple(entry for entry in kept if isinstance(entry, Directory)),
        replace=pointing.replace,
    )
    return config, tuple(clashes)


def _first(sides: Iterable[Snippet], clashes: list[Clash]) -> list[Entry]:
    """Return files, directories and units, except those whose place an earlier entry has taken."""
    kept: list[Entry] = []
    # The owner of a path, and the owner of what lies below it.
    taken: dict[str, tuple[str, Entry]] = {}
    filled: dict[str, tuple[str, Entry]] = {}
    for side in sides:
        for entry in entries(side.config):
            paths = [f"path {path}" for path in laid_down(entry)]
            folders = [f"path {folder}" for path in laid_down(entry) for folder in above(path)]
            places = [f"unit {entry.name}", *paths] if isinstance(entry, Unit) else paths
            rivals = [taken[place] for place in places if place in taken]
            rivals += [taken[place] for place in folders if place in taken and not _is_folder(taken[place][1])]
            rivals += [filled[place] for place in paths if place in filled and not _is_folder(entry)]
            if not rivals:
                kept.append(entry)
                taken |= dict.fromkeys(places, (side.name, entry))
                filled = dict.fromkeys(folders, (side.name, entry)) | filled
            elif entry not in [rival for _, rival in rivals]:
                clashes.append(Clash(places[0], rivals[0][0], side.name))
    return kept


def _is_folder(entry: Entry) -> bool:
    return isinstance(entry, Directory)


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
    """Return the configuration whose pointers are used: the first snippet's that has any, otherwise the installer's."""
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
