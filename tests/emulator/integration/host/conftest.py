"""Hosts that several tests share."""

from collections.abc import Iterator

import pytest

from tests.emulator.integration.host.harness import HostUnderTest


@pytest.fixture(scope="package")
def basic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostUnderTest]:
    """Run a host of the app with plain HTTP functions."""
    with HostUnderTest("basic", tmp_path_factory.mktemp("basic")) as host:
        yield host


@pytest.fixture(scope="package")
def durable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostUnderTest]:
    """Run a host of the app with orchestrations."""
    with HostUnderTest("durable", tmp_path_factory.mktemp("durable")) as host:
        yield host
