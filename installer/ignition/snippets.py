"""Snippets of a catalogue entry, the built-in ones by name, and the files of a role that are made with them.

`snippets` of an entry maps a role to rows, which are laid over that role's ignition in this order (`snippet_merge.py`
decides who wins):

* `{"name": "anything", "ignition": {...}}`: a configuration, spec 2 or 3;
* `{"name": "hostname", "hostname": "..."}`;
* `{"name": "dns-servers", "servers": ["10.0.0.4"], "search": "example.com"}`: asked before those from DHCP;
* `{"name": "static-pods", ...}`: see `static_pods.py`.
"""

import ipaddress
import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from installer import manifest_yaml
from installer.graph import Content
from installer.ignition import ignition, ignition_reader, snippet_merge, static_pods
from installer.ignition.ignition import Config, File
from installer.ignition.snippet_merge import Snippet

Row = Mapping[str, Any]
ROLES = ("bootstrap", "master", "worker")
# Bytes. The ignition of these roles is sent as `customData`, for which Azure accepts 87,380 characters of base64; the
# bootstrap machine's is in a blob.
CARRIED_BY_AZURE = ("master", "worker")
LARGEST = 65_535
# Of these, for the installer's own part: the pointer, and the root certificate.
RESERVED = 4_096
_HOST_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*")
_DISPATCHER = """#!/bin/bash
# Asks these name servers first. NetworkManager calls it with an interface and what happened to it.
set -euo pipefail

case "${{2:-}}" in
  up | dhcp4-change | connectivity-change) ;;
  *) exit 0 ;;
esac

file=/etc/resolv.conf
first={first}
rest=$(grep --invert-match --line-regexp --fixed-strings --regexp="$first" "$file" || true)
printf '%s\\n%s\\n' "$first" "$rest" > "$file.forced"
# The file is written in place: it may be a mount or the target of a link.
cat "$file.forced" > "$file"
rm "$file.forced"
"""


def _hostname(row: Row, _role: str, _config: Content) -> Config:
    name = str(row.get("hostname") or "")
    if not _HOST_NAME.fullmatch(name):
        raise ValueError(f"'{name}' is not a host name")
    return Config(files=(File("/etc/hostname", f"{name}\n", 0o644),))


def _dns_servers(row: Row, _role: str, _config: Content) -> Config:
    servers, search = row.get("servers"), str(row.get("search") or "")
    # Otherwise a number would be accepted as an address.
    if not isinstance(servers, list) or not servers or not all(isinstance(server, str) for server in servers):
        raise ValueError("'servers' is not a list of addresses")
    if search and not _HOST_NAME.fullmatch(search):
        raise ValueError(f"'{search}' is not a domain")
    lines = [f"search {search}"] if search else []
    lines += [f"nameserver {ipaddress.ip_address(server)}" for server in servers]
    text = _DISPATCHER.format(first=shlex.quote("\n".join(lines)))
    return Config(files=(File("/etc/NetworkManager/dispatcher.d/99-forcedns", text, 0o755),))


READY_MADE: dict[str, Callable[[Row, str, Content], Config]] = {
    "hostname": _hostname,
    "dns-servers": _dns_servers,
    "static-pods": static_pods.config,
}


def read(entry_snippets: Any, role: str, config: Content) -> tuple[Snippet, ...]:
    """Return the snippets of a role.

    Args:
        entry_snippets: `snippets` of a catalogue entry.
        role: one of `ROLES`.
        config: the install-config.

    Raises:
        ValueError: with all problems of this role's rows.
    """
    made, wrong = _rows(entry_snippets, role, config)
    if wrong:
        raise ValueError("; ".join(f"{place}: {sentence}" for place, sentence in wrong))
    return made


def wrong_rows(entry_snippets: Any, config: Content) -> list[tuple[str, str]]:
    """Return the problems of the rows of all roles: the place of a row, and a sentence.

    Args:
        entry_snippets: `snippets` of a catalogue entry, in the right shape.
        config: the install-config.
    """
    return [problem for role in ROLES for problem in _rows(entry_snippets, role, config)[1]]


def _rows(entry_snippets: Any, role: str, config: Content) -> tuple[tuple[Snippet, ...], list[tuple[str, str]]]:
    """Return the snippets of a role, and the problems of its other rows."""
    made: list[Snippet] = []
    wrong: list[tuple[str, str]] = []
    for number, row in enumerate((entry_snippets or {}).get(role) or []):
        place = f"snippets.{role}[{number}]"
        try:
            made.append(Snippet(f"{row['name']} ({place})" if row.get("name") else place, _read(row, role, config)))
        except ValueError as error:
            wrong.append((place, str(error)))
        except (AttributeError, TypeError):
            # Operators and people write rows by hand, so a list may be where text belongs.
            wrong.append((place, "a member of it is of the wrong type"))
    if role in CARRIED_BY_AZURE and not wrong and (size := _size(made)) > LARGEST - RESERVED:
        sentence = (
            f"they take {size:,} bytes of {role}.ign, where Azure leaves {LARGEST - RESERVED:,}: have a pointer fetch "
            "them"
        )
        wrong.append((f"snippets.{role}", sentence))
    return tuple(made), wrong


def _size(made: list[Snippet]) -> int:
    """Return the size of a role's snippets, in bytes, in the spec that needs most."""
    merged, _ = snippet_merge.merge(Config(), made)
    return max(len(manifest_yaml.to_json(ignition.render(merged, version)).encode()) for version in ignition.VERSIONS)


def _read(row: Row, role: str, config: Content) -> Config:
    if "ignition" in row:
        read_in = ignition_reader.parse(row["ignition"])
        if refused := ignition.problems(read_in):
            raise ValueError(f"Ignition would refuse this: {'; '.join(refused)}")
        return read_in
    if str(row.get("name")) not in READY_MADE:
        raise ValueError(f"it has no 'ignition', and '{row.get('name')}' is not one of {', '.join(READY_MADE)}")
    return READY_MADE[row["name"]](row, role, config)


def problems(entry_snippets: Any) -> list[str]:
    """Return what is wrong with the shape of `snippets`, one sentence each."""
    if entry_snippets is None:
        return []
    if not isinstance(entry_snippets, Mapping):
        return ["'snippets' is not an object of roles"]
    wrong = [f"'snippets.{role}' is not of a role: {', '.join(ROLES)}" for role in entry_snippets if role not in ROLES]
    return wrong + [
        f"'snippets.{role}' is not a list of objects"
        for role, rows in entry_snippets.items()
        if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows)
    ]


def files(role: str) -> tuple[str, ...]:
    """Return the paths of the files that `ignition_files` makes."""
    return f"{role}.ign", f"{role}-clashes.json"


def ignition_files(role: str, installers: Config, config: Content, release: Content) -> Content:
    """Return the ignition of a role with its snippets, and a list of the clashes, if there are any.

    Args:
        role: one of `ROLES`.
        installers: the installer's configuration.
        config: the install-config.
        release: the release.

    Raises:
        ValueError: if a snippet cannot be read, or Ignition would refuse the result.
    """
    merged, found = snippet_merge.merge(installers, read(release.get("snippets"), role, config))
    path, report = files(role)
    made = {path: manifest_yaml.to_json(ignition.render(merged, release["ignitionVersion"]))}
    return made | ({report: manifest_yaml.to_json([asdict(clash) for clash in found])} if found else {})


def clashes(contents: Mapping[str, Content]) -> Iterator[str]:
    """Yield what snippets could not change, or took from each other, a sentence each.

    Args:
        contents: contents of a graph, by asset.
    """
    for role in ROLES:
        path, report = files(role)
        for clash in json.loads(contents.get(path, {}).get(report, "[]")):
            yield f"{path}: {clash['what']} of {clash['loser']} is not used: that of {clash['winner']} is"
