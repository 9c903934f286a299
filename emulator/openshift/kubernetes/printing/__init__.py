"""Server-side printing: objects as the tables that `kubectl get` shows."""

from emulator.openshift.kubernetes.printing.tables import Form, form_of

__all__ = ["Form", "form_of"]
