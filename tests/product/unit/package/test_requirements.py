"""The major versions of what the service runs on. A new one is a decision: change the table with it."""

from pathlib import Path

import pytest

from tools.lock import changes, majors

REPOSITORY = Path(__file__).resolve().parents[4]
# Every package that requirements.in names. azure-functions has one line of versions for each generation of Python.
MAJORS = {
    "aiohttp": (3,),
    "azure-cosmos": (4,),
    "azure-functions": (1, 2),
    "azure-functions-durable": (1,),
    "azure-identity": (1,),
    "azure-keyvault-certificates": (4,),
    "azure-keyvault-secrets": (4,),
    "azure-mgmt-authorization": (4,),
    "azure-mgmt-compute": (39,),
    "azure-mgmt-containerregistry": (15,),
    "azure-mgmt-dns": (9,),
    "azure-mgmt-network": (33,),
    "azure-mgmt-privatedns": (2,),
    "azure-mgmt-resource": (26,),
    "azure-mgmt-resource-deployments": (2,),
    "azure-mgmt-storage": (25,),
    "azure-storage-blob": (12,),
    "bcrypt": (5,),
    "cryptography": (50,),
    "jsonschema": (4,),
    "kubernetes": (37,),
    "lark": (1,),
    "pyjwt": (2,),
    "python-jsonpath": (2,),
    "pyyaml": (6,),
    "requests": (2,),
    "urllib3": (2,),
}


def _pins() -> dict[str, tuple[int, ...]]:
    named = [line.split("#")[0] for line in (REPOSITORY / "requirements.in").read_text(encoding="utf-8").splitlines()]
    names = {line.split("<")[0].split("[")[0].strip() for line in named} - {""}
    pinned = majors((REPOSITORY / "requirements.txt").read_text(encoding="utf-8"))
    return {name: pinned[name] for name in sorted(names)}


def test_the_pinned_major_versions_are_those_that_were_decided() -> None:
    assert _pins() == MAJORS


@pytest.mark.parametrize(
    ("before", "after", "want"),
    [
        pytest.param("a==1.2 \\\n", "a==1.9 \\\n", [], id="a minor version says nothing"),
        pytest.param("a==1.2 \\\n", "a==2.0rc1 \\\n", ["a: 1 -> 2"], id="a major version is named"),
        pytest.param(
            "a==1.2 ; python_full_version < '3.13' \\\n",
            "a==1.2 ; python_full_version < '3.13' \\\na==2.0 ; python_full_version >= '3.13' \\\n",
            ["a: 1 -> 1 and 2"],
            id="a version for newer Pythons alone is named",
        ),
        pytest.param("a==1.2 \\\n", "b==1.2 \\\n", [], id="other packages say nothing"),
    ],
)
def test_the_lock_names_every_package_whose_major_version_changes(before: str, after: str, want: list[str]) -> None:
    assert changes(majors(before), majors(after)) == want
