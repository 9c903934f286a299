"""The words and members that plans, engine and activities share: a misspelt one does not pass `make lint`."""

import re
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

from activities.runtime.executor import TryAgain
from shared.azure import azure_errors
from shared.steps import RetryClass

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
HEAD = """\
from typing import Any
from orchestrators.plans.rows import action
from orchestrators.tries import Tries
from typing import assert_never
from shared.arm.errors import Owner
from shared.clusters.identities.cluster_credential import Credential, ServicePrincipal, WorkloadIdentity
from shared.documents import CatalogueDocument, ClusterDocument, OperationDocument, Properties
from shared.steps import Failed, Outcome, ProgressItem, ResolvedRow, RetryClass, RetryPolicy, RowKind, StepStatus
"""
# A function for each line, because an assignment narrows what follows it.
FUNCTION = """\
def f{}(
    row: ResolvedRow, outcome: Outcome, failed: Failed, tries: Tries, known: RetryClass, item: ProgressItem,
    cluster: ClusterDocument, properties: Properties, operation: OperationDocument, entry: CatalogueDocument,
    credential: Credential,
) -> Any:
    {}
"""
# What is right, and what is almost.
PAIRS = {
    "a retry class": ("known = RetryClass.TRANSIENT", "known = RetryClass.TRANSIANT"),
    "a retry class as text": ("known = RetryClass('transient')", "known = 'transient'"),
    "a status": ("item['status'] = StepStatus.SUCCEEDED", "item['status'] = StepStatus.SUCEEDED"),
    "a status as text": ("item['status'] = StepStatus('Succeeded')", "item['status'] = 'Suceeded'"),
    "a member of progress": ("return item['lastProgressTime']", "return item['lastProgresTime']"),
    "a kind": ("return row['kind'] == RowKind.ACTION", "return row['kind'] == RowKind.ACTOIN"),
    "a member of a row": ("return row['pollSeconds']", "return row['pollSecond']"),
    "a value of a row": ("row['retry'] = RetryPolicy.NONE", "row['retry'] = 'nun'"),
    "a member in a table": ("action('a', 5, 'b', owner=Owner.AZURE)", "action('a', 5, 'b', ownr=Owner.AZURE)"),
    "a value in a table": ("action('a', 5, 'b', retry=RetryPolicy.NONE)", "action('a', 5, 'b', retry='nun')"),
    "a tag": ("outcome = {'outcome': 'stopped'}", "outcome = {'outcome': 'stoped'}"),
    "a tag that is compared": ("return outcome['outcome'] == 'wait'", "return outcome['outcome'] == 'wiat'"),
    "a member of an outcome": (
        "outcome = {'outcome': 'wait', 'message': 'm'}",
        "outcome = {'outcome': 'wait', 'mesage': 'm'}",
    ),
    "a member that is read": ("return failed['error']", "return failed['eror']"),
    "a class in an outcome": (
        "outcome = {'outcome': 'failed', 'error': {}, 'retryClass': RetryClass.BUSY}",
        "outcome = {'outcome': 'failed', 'error': {}, 'retryClass': 'bussy'}",
    ),
    "a member of the cluster's document": ("return cluster['clientIdKey']", "return cluster['clientIDKey']"),
    "a member that is written": (
        "cluster['supersededOperationId'] = None",
        "cluster['supercededOperationId'] = None",
    ),
    "a member that is taken away": ("cluster.pop('restarts', None)", "cluster.pop('restart', None)"),
    "a member of the properties": ("return properties['storageSuffix']", "return properties['storageSufix']"),
    "a member that may be absent": (
        "return properties.get('infraId', '') + ''",
        "return properties.get('infraID', '') + ''",
    ),
    "a member of a profile": (
        "return cluster['openShiftCluster']['properties']['clusterProfile']['domain']",
        "return cluster['openShiftCluster']['properties']['clusterProfile']['domian']",
    ),
    "a member of the operation": ("return operation['clusterDocumentId']", "return operation['clusterDocumentID']"),
    "a member of its end": (
        "operation['asyncOperation']['endTime'] = 'now'",
        "operation['asyncOperation']['endtime'] = 'now'",
    ),
    "a member of the catalogue": ("return entry['openShiftPullspec']", "return entry['openshiftPullspec']"),
    "a case of the credential": (
        "return 1 if isinstance(credential, ServicePrincipal | WorkloadIdentity) else assert_never(credential)",
        "return 1 if isinstance(credential, ServicePrincipal) else assert_never(credential)",
    ),
    "the state of a row": ("tries = tries | {'delaySeconds': 1}", "tries = tries | {'delaySecond': 1}"),
}


def test_a_misspelt_word_or_member_is_reported_and_its_correct_twin_passes(tmp_path: Path) -> None:
    """With the project's configuration, and its cache: what `make lint` has checked is not checked again."""
    lines = [line for pair in PAIRS.values() for line in pair]
    planted = tmp_path / "planted.py"
    planted.write_text(HEAD + "".join(FUNCTION.format(number, line) for number, line in enumerate(lines)))
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", planted],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    found = {int(number) for number in re.findall(r"planted\.py:(\d+): error:", run.stdout)}
    written = planted.read_text().splitlines()
    assert {written[number - 1].strip() for number in found} == {wrong for _, wrong in PAIRS.values()}


def test_whoever_names_a_retry_class_names_one_that_there_is() -> None:
    """The two places where errors get theirs, which the planted lines leave out: importing Azure's SDKs takes long."""
    assert get_type_hints(TryAgain.__init__)["retry_class"] is RetryClass
    assert get_type_hints(azure_errors.retry_class)["return"] is RetryClass
