"""Both API servers, with a namespace for each test."""

from tests.emulator.integration.kubernetes.conftest import admin, api, emulated_api, namespace, real_api

__all__ = ["admin", "api", "emulated_api", "namespace", "real_api"]
