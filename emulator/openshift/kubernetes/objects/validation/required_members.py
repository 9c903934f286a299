"""The members that every value of a type must have, as the published schemas say.

The schemas are those in the installed Python client, which are made from the OpenAPI document of Kubernetes. They also
say which type a member has; `types.py` judges that in Go's words.
"""

from collections.abc import Iterator

from emulator.json_object import Json
from emulator.openshift.kubernetes.api_errors import Cause, required
from emulator.openshift.kubernetes.kinds import Kind
from emulator.openshift.kubernetes.objects import descriptions, types
from emulator.openshift.kubernetes.objects.validation.checks import join


def causes(kind: Kind, obj: Json) -> Iterator[Cause]:
    """Yield the members that an object of a built-in kind lacks."""
    for name, value, path in types.values(kind, obj):
        if not path.startswith("status"):
            for member in sorted(descriptions.of(name).required & types.types()[name].keys() - value.keys()):
                yield required(join(path, member))
