"""A Kubernetes API server with the real wire format: discovery, objects, watches, client certificates, RBAC."""

from emulator.openshift.kubernetes.objects.objects import Objects
from emulator.openshift.kubernetes.server import ApiServer, create
from emulator.openshift.kubernetes.serving import Certificate, Serving

__all__ = ["ApiServer", "Certificate", "Objects", "Serving", "create"]
