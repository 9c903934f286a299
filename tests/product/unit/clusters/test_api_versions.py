"""The API versions: what each has, compared with a table of the tests, and the refusal of others."""

import pytest

from shared.arm.errors import CloudError
from shared.clusters.api_versions import (
    ADMIN,
    API_VERSIONS,
    find_api_version,
    has_feature,
    is_generated,
    serving,
)
from shared.clusters.member_types import BY_SERVICE, Rule
from shared.clusters.members import INTERNAL_MEMBERS, MEMBERS, STRUCTURES, Member
from shared.clusters.shape import Node, tree
from tests.api_versions import CANCELED, STATES, VERSIONS, every_feature, features, members

_MUTABLE = (Rule.MUTABLE, Rule.MUTABLE_ANY_CASE, Rule.LASTING)
_ROWS = {row.path.replace("[]", "").replace("{}", "") for row in (*MEMBERS, *INTERNAL_MEMBERS)}


def _letter(member: Member) -> str:
    if member.rule in BY_SERVICE:
        letter = "r"
    elif member.secret:
        letter = "s" if member.rule in _MUTABLE else "x"
    else:
        letter = "m" if member.rule in _MUTABLE else "f"
    return letter.upper() if member.required else letter


def _letters(node: Node, path: str = "") -> dict[str, str]:
    """Return the letters of a tree, without the objects that have no row."""
    found: dict[str, str] = {}
    for name, child in node.children.items():
        here = f"{path}.{name}".removeprefix(".")
        if here in _ROWS:
            found[here] = _letter(child.member)
        found |= _letters(child, here)
    return found


def test_the_public_versions_are_those_of_the_api() -> None:
    """In chronological order."""
    assert [row.name for row in API_VERSIONS] == list(VERSIONS)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_version_has_its_members(version: str) -> None:
    """Each with who may write it, and whether a create has to give it."""
    assert _letters(tree(find_api_version(version))) == members(version)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_version_has_its_features(version: str) -> None:
    """And all have the cluster itself."""
    row = find_api_version(version)
    assert every_feature() == {feature for each in API_VERSIONS for feature in each.features}
    assert {feature for feature in every_feature() if has_feature(row, feature)} == features(version)
    assert has_feature(row, "")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_version_has_its_states(version: str) -> None:
    """The last one is spelled in two ways."""
    node = tree(find_api_version(version)).children["properties"].children["provisioningState"]
    assert set(node.member.values) == {*STATES, CANCELED[version]} - {""}


def test_only_the_latest_models_are_generated() -> None:
    """Microsoft's latest and this provider's own. They alone require profiles as such."""
    assert [row.name for row in API_VERSIONS if is_generated(row)] == [*VERSIONS[-2:]]
    assert not is_generated(ADMIN)
    required = {row.name: tree(row).children["properties"].member.required for row in API_VERSIONS}
    assert [name for name, is_required in required.items() if is_required] == [*VERSIONS[-2:]]


def test_a_version_of_the_providers_own_comes_after_all_of_microsofts() -> None:
    """So what it adds changes none of them."""
    assert [row.name for row in API_VERSIONS if row.own] == [VERSIONS[-1]]


def test_in_the_first_version_workers_and_ingress_are_checked_on_updates_too() -> None:
    """Later versions check them at create alone."""
    ingress = ("", ".name", ".visibility", ".ip")
    want = {f"properties.ingressProfiles[]{name}" for name in ingress} | {"properties.workerProfiles[].count"}
    paths = {row.path for row in MEMBERS if row.create_only}
    for row in API_VERSIONS:
        always = {path for path in paths if not _create_only(tree(row), path)}
        assert always == (want if row.name == VERSIONS[0] else set()), row.name


def _create_only(node: Node, path: str) -> bool:
    for name in path.replace("[]", "").split("."):
        if name not in node.children:
            return True
        node = node.children[name]
    return node.member.create_only


def test_operators_see_everything_but_secrets_and_change_nothing_of_customers() -> None:
    """Their view has all members of the latest version, and internal ones."""
    letters = _letters(tree(ADMIN))
    newest = members(VERSIONS[-1])
    secrets = {path for path, letter in newest.items() if letter in "sSxX"}
    assert letters.keys() & newest.keys() == newest.keys() - secrets
    assert letters.keys() - newest.keys() == {row.path.replace("[]", "") for row in INTERNAL_MEMBERS}
    assert not [path for path, letter in letters.items() if letter in "sSxX"]
    mutable = {path for path, letter in letters.items() if letter in "mM"}
    assert {path for path in mutable if path in newest} <= {
        "identity",
        "properties.platformWorkloadIdentityProfile",
        "properties.servicePrincipalProfile",
        "properties.networkProfile.loadBalancerProfile",
    }


def test_operators_have_no_credentials_of_clusters() -> None:
    """They see which versions can be installed."""
    credentials = {"listCredentials", "listAdminCredentials", "requestAdminCredential", "revokeCredentials"}
    assert {feature for feature in every_feature() if has_feature(ADMIN, feature)} == (
        features(VERSIONS[-1]) - credentials
    )


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("2019-01-01", "The api-version '2019-01-01' is not served"),
        ("", "The query parameter 'api-version' is missing"),
    ],
)
def test_a_version_that_is_not_served_is_named_with_those_that_are(sent: str, said: str) -> None:
    """A missing version is told from a wrong one, and the operators' view is not offered."""
    with pytest.raises(CloudError) as refused:
        find_api_version(sent)
    assert refused.value.message == f"{said} for this resource. Use one of: {', '.join(VERSIONS)}."


@pytest.mark.parametrize("feature", sorted(every_feature()))
def test_a_version_without_a_feature_is_refused_with_those_that_have_it(feature: str) -> None:
    """The list has public versions alone."""
    have = [version for version in VERSIONS if feature in features(version)]
    assert [row.name for row in serving(feature)] == have
    for version in {*VERSIONS, "admin"} - {*have}:
        with pytest.raises(CloudError) as refused:
            find_api_version(version, feature)
        assert refused.value.message.endswith(f"Use one of: {', '.join(have)}.")


def test_only_operators_get_their_view() -> None:
    """For everybody else it is not a version, for instance in the body of a preflight."""
    assert find_api_version("Admin", for_operators=True) is ADMIN
    with pytest.raises(CloudError, match="'admin' is not served"):
        find_api_version("admin")
    with pytest.raises(CloudError, match="'admin' is not served"):
        find_api_version("admin", "listCredentials", for_operators=True)


def test_every_path_of_the_versions_table_is_one_of_the_members_table() -> None:
    """Otherwise a misspelt path would silently change nothing."""
    paths = {row.path for row in (*MEMBERS, *INTERNAL_MEMBERS)}
    for version in (*API_VERSIONS, ADMIN):
        for path in (*version.adds, *version.removes):
            assert any(each == path or each.startswith((f"{path}.", f"{path}[")) for each in paths), path
        assert set(version.changes) <= paths | STRUCTURES
