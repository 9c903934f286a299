"""`resume`: the same request again, which continues where it stopped."""

from aroctl import operations, record, session
from aroctl.options import Group, Name, NoWait, Output, Subscription
from aroctl.output import Format
from aroctl.problems import Exit, Problem
from aroctl.requested_cluster import get

_STOPPED = ("Failed", "Canceled")


def resume(
    name: Name,
    group: Group = "",
    subscription: Subscription = "",
    *,
    no_wait: NoWait = False,
    form: Output = Format.TABLE,
) -> None:
    """Continue a create or an update that has failed or was canceled, once its cause is mended.

    Sends the cluster as it is described as a PUT. What is done is not repeated, and the service has kept the secrets.
    """
    caller = session.begin()
    cluster = caller.cluster(name, group, subscription)
    document = caller.service.get(cluster.id)
    state = get(document, "properties.provisioningState")
    if state not in _STOPPED:
        raise Problem(
            Exit.REFUSED,
            f"There is nothing to resume: the state of '{cluster.name}' is {state}.",
            f"Follow what runs: {cluster.command('watch')}" if state != "Succeeded" else "",
        )
    last = operations.newest(caller.service, cluster)["properties"].get("plan", "create")
    if (verb := operations.repeating_verb(last)) != "resume":
        raise Problem(
            Exit.REFUSED,
            f"The last operation on '{cluster.name}' was its {last}, and a PUT does not continue that.",
            f"Repeat it: {cluster.command(verb)}",
        )
    # Nobody has changed the cluster in between, or this is not the same request.
    answer = caller.service.call("PUT", cluster.id, document, headers={"If-Match": document["etag"]})
    operations.attend(caller.service, operations.of_answer(cluster, answer, last), no_wait=no_wait)
    record.show(answer.body if no_wait else caller.service.get(cluster.id), form)
