"""Snippets over the installer's ignition: who wins, and what is reported."""

import json

import pytest

from installer import graph
from installer.ignition import ignition, snippet_merge, snippets
from installer.ignition.ignition import Config, Directory, File, Pointer, Unit, User
from installer.ignition.ignition_reader import parse
from installer.ignition.snippet_merge import Clash, Snippet
from tests.product.unit.installer import example
from tests.product.unit.installer.ignition.ignition_rules import violations

HASHES = [User("core", password_hash=f"$6${letter}") for letter in "ab"]


def test_what_only_one_side_has_is_taken_from_there() -> None:
    """Every section, whichever side has it, and nothing is reported."""
    whole = Config(
        files=(File("/a", "a"),),
        units=(Unit("a.service", "[Service]"),),
        users=(User("core", ("key",)),),
        merge=(Pointer("https://a/b"),),
        authorities=("PEM",),
        directories=(Directory("/d"),),
        replace=Pointer("https://a/c"),
    )
    assert snippet_merge.merge(whole, [Snippet("s", Config())]) == (whole, ())
    assert snippet_merge.merge(Config(), [Snippet("s", whole)]) == (whole, ())
    assert snippet_merge.merge(whole, [Snippet("s", whole)]) == (whole, ())


def test_the_installer_wins_files_directories_and_units() -> None:
    """As whole entries, in the installer's order. Entries that lose are reported by name, never by their text."""
    installers = Config(files=(File("/a", "his", 0o644), File("/b", "his")), units=(Unit("u.service", "his"),))
    other = Config(
        files=(File("/c", "new"), File("/a", "canary")),
        directories=(Directory("/b"),),
        units=(Unit("u.service", "other"), Unit("v.service", "new")),
    )
    merged, clashes = snippet_merge.merge(installers, [Snippet("mine", other)])
    assert merged.files == (*installers.files, File("/c", "new"))
    assert merged.directories == ()
    assert merged.units == (Unit("u.service", "his"), Unit("v.service", "new"))
    assert set(clashes) == {
        Clash("path /a", "installer", "mine"),
        Clash("path /b", "installer", "mine"),
        Clash("unit u.service", "installer", "mine"),
    }
    assert "canary" not in repr(clashes)


def test_the_earlier_snippet_wins_over_the_later() -> None:
    """Both lose against the installer."""
    sides = [Snippet(name, Config(files=(File("/a", name),))) for name in ("first", "second")]
    merged, clashes = snippet_merge.merge(Config(), sides)
    assert merged.files == (File("/a", "first"),)
    assert clashes == (Clash("path /a", "first", "second"),)


UNIT = "/etc/systemd/system/u.service"
TEXT = Unit("u.service", "[Service]\n")
DROPIN = Unit("u.service", dropins=(("x.conf", "[Service]\n"),))
PLACES: dict[str, tuple[Config, Config, str]] = {
    "a file where a unit's text is": (Config(units=(TEXT,)), Config(files=(File(UNIT, "x"),)), f"path {UNIT}"),
    "a unit's text where a file is": (Config(files=(File(UNIT, "x"),)), Config(units=(TEXT,)), "unit u.service"),
    "a file where a drop-in is": (
        Config(units=(DROPIN,)),
        Config(files=(File(f"{UNIT}.d/x.conf", "x"),)),
        f"path {UNIT}.d/x.conf",
    ),
    "a drop-in where a folder is": (
        Config(directories=(Directory(f"{UNIT}.d/x.conf"),)),
        Config(units=(DROPIN,)),
        "unit u.service",
    ),
    "a file below a file": (Config(files=(File("/a", "x"),)), Config(files=(File("/a/b/c", "x"),)), "path /a/b/c"),
    "a folder below a unit": (Config(units=(TEXT,)), Config(directories=(Directory(f"{UNIT}/b"),)), f"path {UNIT}/b"),
    "a file above a file": (Config(files=(File("/a/b/c", "x"),)), Config(files=(File("/a", "x"),)), "path /a"),
}


@pytest.mark.parametrize(("earlier", "later", "what"), PLACES.values(), ids=PLACES)
def test_an_entry_gives_way_where_another_has_its_place(earlier: Config, later: Config, what: str) -> None:
    """Ignition would refuse both together, or silently write one over the other."""
    for sides in ((earlier, [Snippet("s", later)]), (Config(), [Snippet("installer", earlier), Snippet("s", later)])):
        merged, clashes = snippet_merge.merge(*sides)
        assert merged == earlier
        assert ignition.problems(merged) == []
        assert clashes == (Clash(what, "installer", "s"),)
    together = Config(
        files=earlier.files + later.files,
        units=earlier.units + later.units,
        directories=earlier.directories + later.directories,
    )
    assert ignition.problems(together)
    assert violations(ignition.render(earlier, "3.2.0")) == violations(ignition.render(later, "3.2.0")) == []


def test_what_has_a_place_of_its_own_stands_beside_a_unit() -> None:
    """A drop-in as a file, a folder that contains files, a file for a unit that is only enabled."""
    installers = Config(files=(File("/a/b", "x"),), units=(TEXT, Unit("v.service", enabled=True)))
    other = Config(
        files=(File(f"{UNIT}.d/y.conf", "x"), File("/etc/systemd/system/v.service", "x")),
        directories=(Directory("/a"), Directory(f"{UNIT}.d")),
    )
    merged, clashes = snippet_merge.merge(installers, [Snippet("s", other)])
    assert clashes == ()
    assert merged == Config(files=installers.files + other.files, units=installers.units, directories=other.directories)
    assert violations(ignition.render(merged, "3.2.0")) == []


def test_keys_and_groups_of_a_user_are_united_without_doubles() -> None:
    """Keys that differ only in surrounding blanks are equal; the installer's come first."""
    merged, clashes = snippet_merge.merge(
        Config(users=(User("core", ("a", "b"), groups=("adm",)),)),
        [Snippet("s", Config(users=(User("core", (" b \n", "c"), groups=("wheel", "adm")), User("ops", ("a",)))))],
    )
    assert merged.users == (User("core", ("a", "b", "c"), groups=("adm", "wheel")), User("ops", ("a",)))
    assert clashes == ()


@pytest.mark.parametrize(
    ("installers", "others", "want", "clashes"),
    [
        ((HASHES[0],), (HASHES[1],), HASHES[0], (Clash("password of user core", "installer", "s"),)),
        ((User("core"),), (HASHES[1],), HASHES[1], ()),
        ((HASHES[0],), (HASHES[0],), HASHES[0], ()),
    ],
    ids=["both", "the snippet alone", "the same"],
)
def test_the_installers_password_wins(
    installers: tuple[User], others: tuple[User], want: User, clashes: tuple[Clash, ...]
) -> None:
    """If it has one."""
    assert snippet_merge.merge(Config(users=installers), [Snippet("s", Config(users=others))]) == (
        Config(users=(want,)),
        clashes,
    )


def test_pointers_of_a_snippet_win() -> None:
    """Both kinds together, or a machine would be sent to two places; the authorities of both sides are trusted."""
    installers = Config(merge=(Pointer("https://mcs/config/master"),), authorities=("A",))
    other = Config(replace=Pointer("http://10.0.0.9:8080/config/master"), authorities=("A", "B"))
    later = Config(merge=(Pointer("https://later/x"),))
    merged, clashes = snippet_merge.merge(
        installers, [Snippet("none", Config()), Snippet("s", other), Snippet("t", later)]
    )
    assert merged == Config(replace=other.replace, authorities=("A", "B"))
    assert clashes == (Clash("pointers", "s", "t"), Clash("pointers", "s", "installer"))


@pytest.mark.parametrize("spec", ignition.VERSIONS)
def test_snippets_of_the_release_reach_the_ignition_of_their_role(spec: str) -> None:
    """In either spec, whichever they are written in. Clashes are stored beside it, and user data contains the same."""
    known = example.given(spec=spec)
    rows = {
        "bootstrap": [
            {"name": "hostname", "hostname": "bootstrap"},
            {"name": "own", "ignition": ignition.render(Config(files=(File("/etc/hostname", "x"),)), "3.2.0")},
        ],
        "master": [{"ignition": ignition.render(Config(files=(File("/etc/x", "y"),)), "2.2.0")}],
    }
    before = example.remade(known)
    known["release-image"] = known["release-image"] | {"snippets": rows}
    after = example.remade(known)
    for role, path in (("bootstrap", "/etc/hostname"), ("master", "/etc/x")):
        text = after.file(f"{role}.ign")
        assert violations(json.loads(text)) == []
        assert path in {file.path for file in parse(json.loads(text)).files}
    assert json.loads(after.file("bootstrap-clashes.json")) == [
        {
            "what": "path /etc/hostname",
            "winner": "hostname (snippets.bootstrap[0])",
            "loser": "own (snippets.bootstrap[1])",
        }
    ]
    assert after.file("worker.ign") == before.file("worker.ign")
    with pytest.raises(KeyError):
        after.file("master-clashes.json")


def test_without_snippets_there_is_nothing_new() -> None:
    """Neither in the ignition nor beside it."""
    made = example.made()
    assert not [path for content in made.contents.values() for path in content if "clashes" in path]
    machine = Config(files=(File("/a", "b"),))
    release = example.given()["release-image"]
    assert snippets.ignition_files("worker", machine, {}, release) == {
        "worker.ign": json.dumps(ignition.render(machine, "2.2.0"), separators=(",", ":"))
    }


def test_a_graph_with_clashes_can_be_kept_and_read_again() -> None:
    """They are files of their asset."""
    known = example.given()
    rows = [{"name": name, "ignition": ignition.render(Config(files=(File("/x", name),)), "2.2.0")} for name in "ab"]
    known["release-image"] = known["release-image"] | {"snippets": {"worker": rows}}
    made = example.remade(known)
    assert graph.load(made.dump()).file("worker-clashes.json") == made.file("worker-clashes.json")
