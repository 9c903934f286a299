"""`list`: the clusters that the caller may see."""

from typing import Annotated

import typer

from aroctl import output, record, session
from aroctl.clusters import TYPE
from aroctl.options import Output, Subscription
from aroctl.output import Format


def list_clusters(
    group: Annotated[
        str, typer.Option("--resource-group", "-g", metavar="GROUP", help="Only those of this resource group.")
    ] = "",
    subscription: Subscription = "",
    form: Output = Format.TABLE,
) -> None:
    """List the clusters of the subscription that you may read."""
    caller = session.begin()
    where = f"/subscriptions/{subscription or caller.settings.subscription}"
    where += f"/resourceGroups/{group}" if group else ""
    found = caller.service.values(f"{where}/providers/{TYPE}")
    if form is not Format.TABLE:
        output.document(found, form)
    elif found:
        output.rows([record.row(each) for each in found], record.COLUMNS)
    else:
        caller.service.progress.note("There is no cluster that you may read.")
