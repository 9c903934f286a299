"""What a script would do, found out without running it: branches, functions, files, and the release's programs."""

import pytest

from emulator.openshift.boot.script_walk import Kind, walk
from emulator.openshift.boot.shell import ShellError

HOME = "/opt/openshift"
RENDER = (
    'podman run --volume "$PWD:/assets:z" "${CONFIG}" /usr/bin/cluster-config-operator render \\\n'
    "    --asset-input-dir=/assets/tls --asset-output-dir=/assets/made --config-output-file=/assets/made/config"
)


def does(script: str, *files: str, minor: int = 19, kind: Kind = "line") -> list[str]:
    """Return what a script prints, or other things that it does, with these files below /opt/openshift."""
    paths = frozenset(file if file.startswith("/") else f"{HOME}/{file}" for file in files)
    return [event.text for event in walk(script, paths, minor) if event.kind == kind]


def problems(script: str, *files: str, minor: int = 19) -> list[str]:
    """Return what goes wrong in a script."""
    return does(script, *files, minor=minor, kind="problem")


@pytest.mark.parametrize(
    ("script", "want"),
    [
        ("if [ -f tls/a.crt ]; then echo yes; else echo no; fi", ["yes"]),
        ("if [ ! -f made.done ]\nthen\n\techo yes\nfi", ["yes"]),
        ("if [ -d tls ]\nthen echo yes\nelif [ -d auth ]\nthen echo other\nfi", ["yes"]),
        ("if [[ -f tls/b.crt ]]; then echo no; else echo yes; fi", ["yes"]),
        ('PLACE=false\nif [ "$PLACE" = true ]; then echo no; else echo yes; fi', ["yes"]),
        ('A=b\nif [[ "${A}" != b ]] && true; then echo no; fi\necho yes', ["yes"]),
        ('if [ -n "$(ls -A tls)" ]; then echo yes; fi; if [ -n "$(ls -A auth)" ]; then echo no; fi', ["yes"]),
        ('if compgen -G "tls/*" >/dev/null; then echo yes; fi', ["yes"]),
        ('if [[ "$(date)" == x ]]; then echo yes; fi', ["yes"]),
        ("if ! ask; then echo no; fi; if ask; then echo yes; fi", ["yes"]),
        ("until ask \\\n    again\ndo\n    echo no\ndone\necho yes", ["yes"]),
        ("[ -f none ] && echo no\n[ -f none ] || echo yes", ["yes"]),
        ("for name in a b; do echo ${name}; done", ["a", "b"]),
        ('say() {\n    local what=$1\n    echo "${what}"\n}\nsay a\nsay b', ["a", "b"]),
        ('say() { echo "$@"; }\nsay a "b c"', ["a b c"]),
        ('A=()\nA+=("x")\nA+=("y z")\necho "${A[@]}"', ["x y z"]),
        ('A="x"\nA="${A} y"\necho ${A}', ["x y"]),
        ("cat <<EOF\necho no\nEOF\necho yes # echo no", ["yes"]),
        ("case $(uname) in\nLinux) echo no ;;\nesac\necho yes", ["yes"]),
        ("echo yes\nexit 0\necho no", ["yes"]),
        ('echo "in a file" >made\nif [ -f made ]; then echo yes; fi', ["yes"]),
        ("touch tls/c.crt\nrm --force tls/c.crt\nif [ -f tls/c.crt ]; then echo no; fi", []),
    ],
)
def test_a_branch_is_taken_as_bash_would_take_it(script: str, want: list[str]) -> None:
    """Conditions on files and values are decided; for others the first branch is taken, and commands succeed."""
    assert does(script, "tls/a.crt") == want


def test_only_what_is_reached_is_sourced() -> None:
    """A library of another kind of installation is not there, and need not be."""
    script = 'IN_PLACE=false\n. /l/a.sh\nif [ "$IN_PLACE" = true ]; then . /l/b.sh; fi\nlater() { . /l/c.sh; }'
    assert does(script, kind="source") == ["/l/a.sh"]


@pytest.mark.parametrize(
    ("script", "want"),
    [
        ("cp openshift/* manifests/\ncp manifests/gate.yaml made.yaml\ncp made.yaml tls", []),
        ("cp tls/* manifests/", ["cp: cannot stat 'tls/*': No such file or directory"]),
        ("cp tls/a.crt /etc/ssl/a", ["cp: cannot stat 'tls/a.crt': No such file or directory"]),
        ("cp --recursive openshift /etc/there\ncp /etc/there/gate.yaml manifests/", []),
        ("if [ -d tls ]; then cp tls/* manifests/; fi", []),
        (
            'copy() {\n    cp --recursive "$@"\n}\ncopy "tls"/* manifests/',
            ["cp: cannot stat 'tls/*': No such file or directory"],
        ),
        ("oc patch --patch-file=/opt/openshift/a.patch", [f"open {HOME}/a.patch: no such file or directory"]),
        ("sed --in-place 's/a/b/' manifests/a.yaml", [f"open {HOME}/manifests/a.yaml: no such file or directory"]),
        ("cp $UNKNOWN/* manifests/", []),
    ],
)
def test_a_file_has_to_be_there_when_it_is_read(script: str, want: list[str]) -> None:
    """It may come from the machine's config, or from an earlier command."""
    assert problems(script, "openshift/gate.yaml") == want


@pytest.mark.parametrize(
    ("minor", "want"), [(15, []), (16, ["cp: cannot stat 'made/manifests/*': No such file or directory"])]
)
def test_what_a_program_writes_is_there_and_nothing_else(minor: int, want: list[str]) -> None:
    """The config operator wrote objects up to 4.15; later the folder is there, and empty."""
    script = f"CONFIG=$(image_for cluster-config-operator)\n{RENDER} --rendered-manifest-files=/assets/manifests\n"
    assert (
        problems(f"{script}cp made/config /etc/c\ncp made/manifests/* manifests/", "tls/a", "manifests/b", minor=minor)
        == want
    )
    guarded = f"{script}if [ -d made/manifests ]; then cp made/manifests/* manifests/; fi"
    assert problems(guarded, "tls/a", "manifests/b", minor=minor) == want


@pytest.mark.parametrize(
    ("minor", "flag", "want"),
    [
        (14, "", ["cluster-config-operator render: missing required flag: --rendered-manifest-files"]),
        (13, "", []),
        (13, "--feature-set=x", []),
        (16, "--feature-set=x", ["cluster-config-operator render: unknown flag: --feature-set"]),
        (
            14,
            "--skip-api-rendering --rendered-manifest-files /assets/manifests",
            ["cluster-config-operator render: unknown flag: --skip-api-rendering"],
        ),
        (
            16,
            "--cluster-infrastructure-input-file=/assets/manifests/x.yml",
            [f"open {HOME}/manifests/x.yml: no such file or directory"],
        ),
        (16, "--cloud-provider-config-output-file=/assets/x/y", []),
    ],
)
def test_a_program_refuses_what_its_release_does_not_take(minor: int, flag: str, want: list[str]) -> None:
    """An argument that it does not know, that it misses, or that names a file which is not there."""
    script = f'CONFIG=$(image_for cluster-config-operator)\nFLAGS=({flag})\n{RENDER} "${{FLAGS[@]}}"'
    assert problems(script, "tls/a", "manifests/b", minor=minor) == want


def test_an_image_has_the_commands_of_its_row_alone() -> None:
    script = 'ETCD=$(image_for cluster-etcd-operator)\npodman run "${ETCD}" /usr/bin/cluster-etcd-operator rendr --a=b'
    assert problems(script) == ["cluster-etcd-operator: unknown command: rendr"]


def test_a_program_that_takes_the_place_of_the_image_s_own_is_not_judged() -> None:
    """Nothing is known of its arguments, but it needs the files that they name."""
    script = 'ETCD=$(image_for cluster-etcd-operator)\npodman run --entrypoint=etcdctl "${ETCD}" render --cacert=$PWD/tls/ca.crt'
    assert problems(script) == [f"open {HOME}/tls/ca.crt: no such file or directory"]


@pytest.mark.parametrize(
    "script",
    ["if true; then echo a", "echo 'a", 'echo "$(a"', "f() {\necho a", "fi", "for a in b; do echo", "A=(a", "echo a )"],
)
def test_a_script_that_is_cut_off_cannot_be_read(script: str) -> None:
    """Bash would not read it either."""
    with pytest.raises(ShellError):
        walk(script, frozenset())
