"""The context in which the executors of sites run: a call with a fence, and the site."""

from activities.runtime.fenced_call import FencedCall, Stopping
from shared.documents import SiteDocument


class SiteStep(FencedCall[SiteDocument]):
    """One call of an executor that works on a site."""

    def check_fence(self) -> None:
        """Check the fence right before a change in a cluster; a site that is stopping allows none.

        A phase changes many objects in one call. So that a cancel need not wait for the end of that call, it takes
        effect at the next object.

        Raises:
            FenceMoved: if this attempt was superseded.
            Stopping: if the operation was cancelled, or another of its phases has failed.
        """
        super().check_fence()
        if self._newest.get("stopping"):
            raise Stopping
