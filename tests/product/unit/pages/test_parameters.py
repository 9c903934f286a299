"""Where the parameters of a create end up: the model has their members, and the sources read them."""

import ast

import pytest

from tools.pages import member_readers, parameters
from tools.pages.member_readers import Reader, readers


def parsed(code: str) -> dict[str, ast.Module]:
    """Return a product of one module."""
    return {"m.py": ast.parse(code)}


def found(code: str, parent: str = "masterProfile", leaf: str = "vmSize") -> list[str]:
    """Return the functions of a module that read a member."""
    return [reader.function for reader in readers(parent, leaf, parsed(code))]


def test_every_parameter_has_its_member_and_its_readers() -> None:
    """After changing the model or a reader, update `tools/pages/parameters.py` and run `make docs`."""
    assert parameters.problems() == []


@pytest.mark.parametrize(
    "code",
    [
        'def f(p):\n    return p["masterProfile"]["vmSize"]',
        'def f(p):\n    return p["masterProfile"].get("vmSize")',
        'def f(p):\n    m = p["masterProfile"]\n    return m["vmSize"]',
        'def f(p):\n    m, w = p["masterProfile"], p["x"]\n    return m["vmSize"]',
        'def f(p):\n    return {m["vmSize"] for m in p["masterProfile"]}',
        'def f(p):\n    for m in p["masterProfile"]:\n        print(m["vmSize"])',
        'def g(p):\n    return f(p["masterProfile"])\ndef f(m):\n    return m["vmSize"]',
    ],
    ids=[
        "at once",
        "with get",
        "by a name",
        "by one of two names",
        "in a comprehension",
        "in a loop",
        "as an argument",
    ],
)
def test_a_read_is_found(code: str) -> None:
    """In each form that the sources use."""
    assert found(code) == ["f"]


@pytest.mark.parametrize(
    "code",
    [
        'def f(p):\n    return p["workerProfiles"]["vmSize"]',
        'def f(p):\n    m, w = p["masterProfile"], p["x"]\n    return w["vmSize"]',
        'def f(p):\n    p["masterProfile"]["vmSize"] = 1',
        'def f(m):\n    return m["vmSize"]',
        'def f(p):\n    return "masterProfile.vmSize"',
    ],
    ids=["of another", "of the other name", "a write", "in a module without such a parent", "in a text"],
)
def test_what_is_no_read_is_not_taken_for_one(code: str) -> None:
    """Otherwise a parameter would falsely seem used."""
    assert found(code) == []


@pytest.mark.parametrize("parameter", [each for each in parameters.PARAMETERS if each.must], ids=lambda each: each.path)
def test_it_is_noticed_when_a_reader_goes_away(
    parameter: parameters.Parameter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This holds for each reader that a parameter must have."""
    whole = member_readers.modules()
    for gone in parameter.must:
        left = {path: module for path, module in whole.items() if path != gone}
        monkeypatch.setattr(member_readers, "modules", lambda left=left: left)
        assert any(f"{gone} no longer reads {parameter.path}" in each for each in parameters.problems((parameter,)))


@pytest.mark.parametrize("parameter", parameters.PARAMETERS, ids=lambda each: each.path)
def test_a_parameter_that_nobody_reads_is_a_problem(
    parameter: parameters.Parameter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would have no effect."""
    monkeypatch.setattr(member_readers, "modules", dict)
    assert f"{parameter.option}: nobody reads {parameter.path}" in parameters.problems((parameter,))


@pytest.mark.parametrize(
    ("parent", "leaf"),
    [
        ("properties", "servicePrincipalProfile"),
        ("properties", "platformWorkloadIdentityProfile"),
        ("cluster", "identity"),
        ("clusterProfile", "oidcIssuer"),
    ],
)
def test_only_one_module_reads_the_credential_of_a_cluster(parent: str, leaf: str) -> None:
    """Everybody else uses the union, so that the type checker finds a forgotten case."""
    assert {reader.path for reader in readers(parent, leaf)} == {"shared/clusters/identities/cluster_credential.py"}


def test_a_member_that_the_model_does_not_have_is_a_problem() -> None:
    """The member was renamed."""
    gone = parameters.Parameter("--x", "properties.nothing.x")
    assert "--x becomes properties.nothing.x, which the model does not have" in parameters.problems((gone,))


def test_every_member_that_customers_write_has_a_parameter() -> None:
    """Or each client sends it by itself."""
    assert any("no parameter becomes properties.clusterProfile.domain" in each for each in parameters.problems(()))


def test_a_secret_is_read_of_the_bundle_that_the_request_wrote() -> None:
    """The document does not contain it."""
    assert Reader("activities/machines/graph_inputs.py", "pull_secret") in parameters.read_by(
        "properties.clusterProfile.pullSecret"
    )
