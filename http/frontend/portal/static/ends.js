// What ends next in each cluster of the list: asked for the rows that are shown, a few at a time, behind all else. An
// answer is kept for a while. If the service throttles or is away, nothing more is asked for a minute.

import { Refusal } from "./api.js";
import { element } from "./elements.js";
import { age } from "./words.js";

const MOST_AT_ONCE = 4, SILENT_SECONDS = 20, KEPT = 600_000, REST = 60_000, SOON = 90 * 86_400_000;
// By the cluster's id: the certificate or credential that ends next, if one does soon, and until when that is kept.
const known = new Map();
let resting = 0;

export const endOf = ({ id }) => Date.parse(known.get(id)?.next?.end) || Number.MAX_VALUE;

export function ends({ id }) {
  const { end, what } = known.get(id)?.next ?? {}, when = Date.parse(end) < Date.now() ? `ended ${age(end)} ago` : `in ${age(end)}`;
  return element("span", { id: `ends-${id}`, class: "ends", title: end && `${when}: ${what}` }, end && `${when}: ${what}`);
}

// Returns a function that takes the clusters that are shown, and fills in what ends next in them.
export function filler({ api, configuration, signal }) {
  let shown = [], asking = 0;
  const due = ({ id }) => Date.now() > (known.get(id)?.until ?? 0);
  async function ask() {
    for (let cluster; !signal.aborted && Date.now() > resting && (cluster = shown.find(due)); ) {
      const { id } = cluster, entry = { next: known.get(id)?.next, until: Date.now() + KEPT };
      known.set(id, entry);
      try {
        const patience = AbortSignal.any([signal, AbortSignal.timeout(SILENT_SECONDS * 1000)]);
        const { body } = await api.once("GET", `${configuration.authority ? "" : "/sre"}${id}/expirations`, undefined, {}, patience);
        entry.next = soonest(body.value ?? []);
      } catch (error) {
        const refused = error instanceof Refusal && error.status < 500 && ![408, 429].includes(error.status);
        Object.assign(entry, refused ? { next: undefined } : { until: 0 });
        if (!refused && !signal.aborted) resting = Date.now() + REST;
      }
      document.getElementById(`ends-${id}`)?.replaceWith(ends(cluster));
    }
  }
  return (clusters) => {
    for (shown = clusters; asking < MOST_AT_ONCE; asking++) ask().finally(() => asking--);
  };
}

// What the cluster renews by itself, some of it each month, counts only once the service warns of it.
function soonest(found) {
  const now = Date.now(), counts = ({ renewedBy, warnedFrom }) => renewedBy !== "Cluster" || Date.parse(warnedFrom) <= now;
  return found.filter((each) => Date.parse(each.end) < now + SOON && counts(each)).sort((a, b) => Date.parse(a.end) - Date.parse(b.end))[0];
}
