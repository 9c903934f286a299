"""What OpenShift's definitions, as the local Azure makes them, accept and refuse, on both servers."""

import httpx
import pytest

from emulator.json_object import Json
from emulator.openshift.release import manifests
from tests.emulator.integration.kubernetes.widgets import define_openshift

MERGE = {"Content-Type": "application/merge-patch+json"}
CONSTRAINTS = "securitycontextconstraints.security.openshift.io"


def test_security_context_constraints_keep_their_nulls_and_have_no_status(admin: httpx.Client) -> None:
    """The members are at the top level of the object, and a change of one raises the generation."""
    path = define_openshift(admin, CONSTRAINTS)
    body = next(one for one in manifests.security_context_constraints(19) if one["metadata"]["name"] == "privileged")

    made = admin.post(path, json=body | {"metadata": {"name": "copied"}, "groups": []}).raise_for_status().json()

    want = body | {"groups": []}
    assert {name: made[name] for name in want if name != "metadata"} == {
        name: value for name, value in want.items() if name != "metadata"
    }
    changed = admin.patch(f"{path}/copied", json={"users": ["one"]}, headers=MERGE).raise_for_status().json()
    assert changed["metadata"]["generation"] == made["metadata"]["generation"] + 1
    assert admin.get(f"{path}/copied/status").status_code == httpx.codes.NOT_FOUND


@pytest.mark.parametrize(
    ("resource", "version_kind", "body", "causes"),
    [
        pytest.param(
            CONSTRAINTS,
            "security.openshift.io/v1 SecurityContextConstraints",
            {"allowHostIPC": "yes"},
            {("allowHostIPC", "FieldValueInvalid")},
            id="constraints with a word for a switch",
        ),
        pytest.param(
            "consoles.operator.openshift.io",
            "operator.openshift.io/v1 Console",
            {"spec": {"managementState": "Managed", "customization": {"brand": "azur"}}},
            {("spec.customization.brand", "FieldValueNotSupported")},
            id="a brand that is none",
        ),
        pytest.param(
            "configs.samples.operator.openshift.io",
            "samples.operator.openshift.io/v1 Config",
            {"spec": {"managementState": "removed"}},
            {("spec.managementState", "FieldValueInvalid")},
            id="a management state in lower case",
        ),
        pytest.param(
            "clusterversions.config.openshift.io",
            "config.openshift.io/v1 ClusterVersion",
            {"spec": {"channel": "", "upstream": ""}},
            {("spec.clusterID", "FieldValueRequired")},
            id="a version of no cluster",
        ),
        pytest.param(
            "apiservers.config.openshift.io",
            "config.openshift.io/v1 APIServer",
            {"spec": {"servingCerts": {"namedCertificates": [{"servingCertificate": {}}]}}},
            {("spec.servingCerts.namedCertificates.servingCertificate.name", "FieldValueRequired")},
            id="a certificate without a Secret",
        ),
        pytest.param(
            "operatorhubs.config.openshift.io",
            "config.openshift.io/v1 OperatorHub",
            {"spec": {"sources": [{"name": "", "disabled": True}]}},
            {("spec.sources.name", "FieldValueInvalid")},
            id="a catalogue without a name",
        ),
        pytest.param(
            "machinesets.machine.openshift.io",
            "machine.openshift.io/v1beta1 MachineSet",
            {"spec": {"replicas": "x"}},
            {("spec.replicas", "FieldValueInvalid")},
            id="replicas that are not a number",
        ),
        pytest.param(
            "machinesets.machine.openshift.io",
            "machine.openshift.io/v1beta1 MachineSet",
            {"spec": {"deletePolicy": "Biggest"}},
            {("spec.deletePolicy", "FieldValueNotSupported")},
            id="an unknown policy of deletion",
        ),
    ],
)
def test_what_a_definition_refuses(
    admin: httpx.Client, resource: str, version_kind: str, body: Json, causes: set[tuple[str, str]]
) -> None:
    """The 422 names the member and the reason."""
    path = define_openshift(admin, resource)
    api_version, kind = version_kind.split()

    answer = admin.post(path, json={"apiVersion": api_version, "kind": kind, "metadata": {"name": "refused"}} | body)

    assert answer.status_code == httpx.codes.UNPROCESSABLE_ENTITY, answer.text
    assert causes <= {(cause["field"], cause["reason"]) for cause in answer.json()["details"]["causes"]}


def test_a_machine_set_has_one_machine_unless_it_says_otherwise(admin: httpx.Client) -> None:
    """Its other members stay as they are."""
    path = define_openshift(admin, "machinesets.machine.openshift.io")
    spec = {"template": {"spec": {"providerSpec": {"value": {"vmSize": "Standard_D4s_v3"}}}}}
    body = {"apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineSet", "metadata": {"name": "one"}}
    made = admin.post(path, json=body | {"spec": spec}).raise_for_status().json()
    assert made["spec"] == {"replicas": 1} | spec


def test_a_custom_object_may_have_a_finalizer_without_a_domain(admin: httpx.Client) -> None:
    """As Machines do; objects of built-in kinds may not."""
    path = define_openshift(admin, "machines.machine.openshift.io")
    metadata = {"name": "finalized", "finalizers": ["machine.machine.openshift.io"]}
    body = {"apiVersion": "machine.openshift.io/v1beta1", "kind": "Machine", "metadata": metadata}
    assert admin.post(path, json=body, params={"dryRun": "All"}).status_code == httpx.codes.CREATED
