"""The calendar of what ends."""

import re

from shared.cluster_conditions import calendar
from shared.cluster_conditions.calendar import CALENDAR, Owner, Renewer


def test_no_two_rows_have_one_name() -> None:
    """Dates, conditions and renewals find a row by it."""
    assert len(calendar.BY_NAME) == len(CALENDAR)
    assert [entry.name for entry in CALENDAR if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", entry.name)] == []


def test_a_warning_comes_after_the_renewal_and_has_a_remedy() -> None:
    """Otherwise it would warn of every renewal, or leave its reader alone."""
    warned = [entry for entry in CALENDAR if entry.warned_days]
    assert warned
    assert [entry.name for entry in warned if not entry.remedy] == []
    assert [entry.name for entry in warned if entry.renewed_days and entry.renewed_days <= entry.warned_days] == []


def test_conditions_warn_only_of_what_is_the_clusters() -> None:
    """Operators see the service's own elsewhere."""
    assert [entry.name for entry in CALENDAR if entry.owner is Owner.SERVICE and entry.warned_days] == []


def test_what_nobody_renews_never_ends() -> None:
    """Or else the service, the cluster, the customer or an operator does."""
    assert [
        entry.life for entry in CALENDAR if entry.renewed_by is Renewer.NOBODY and "without end" not in entry.life
    ] == []


def test_a_secret_leads_to_its_row() -> None:
    """By its whole name, or by its beginning; the namespace has to be the same."""
    names = {
        where: [entry.name for entry in calendar.of_secret(*where)]
        for where in (
            ("openshift-kube-apiserver-operator", "kube-apiserver-to-kubelet-signer"),
            ("openshift-etcd", "etcd-peer-master-0"),
            ("openshift-kube-apiserver", "kube-apiserver-to-kubelet-signer"),
            ("openshift-etcd", "other"),
        )
    }
    assert list(names.values()) == [["kube-apiserver-to-kubelet-signer"], ["etcd"], [], []]
    assert "openshift-etcd" in calendar.namespaces()
