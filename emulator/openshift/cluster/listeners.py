"""The ports of a cluster that listen now, by what listens there: "api", "machine-config", "router" and so on."""

from emulator.openshift.cluster.endpoint import Endpoint


class Listeners:
    """The listeners of a cluster."""

    def __init__(self) -> None:
        self._ports: dict[str, int] = {}
        self._endpoints: dict[str, Endpoint] = {}

    def port(self, name: str) -> int | None:
        """Return the local port of a listener, or None."""
        return self._ports.get(name)

    def open(self, name: str, port: int, endpoint: Endpoint | None = None) -> None:
        """Note that something listens from now on; what listened in its place stops.

        The new one opens before, so that clients never find the port closed.

        Args:
            name: what listens.
            port: the local port.
            endpoint: what is to be stopped at the end; None for the API server, which stops itself.
        """
        self.close(name)
        self._ports[name] = port
        if endpoint is not None:
            self._endpoints[name] = endpoint

    def close(self, name: str) -> None:
        """Stop a listener, if it listens."""
        self._ports.pop(name, None)
        endpoint = self._endpoints.pop(name, None)
        if endpoint is not None:
            endpoint.stop()

    def close_all(self) -> None:
        """Stop all listeners."""
        for name in list(self._ports):
            self.close(name)
