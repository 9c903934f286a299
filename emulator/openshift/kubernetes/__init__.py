"""A Kubernetes API server with the real wire format: discovery, objects, watches, client certificates, RBAC."""

from emulator.openshift.kubernetes.api_server_tls import Certificate, Serving
from emulator.openshift.kubernetes.objects.objects import Objects
from emulator.openshift.kubernetes.server import ApiServer, create

__all__ = ["ApiServer", "Certificate", "Objects", "Serving", "create"]
