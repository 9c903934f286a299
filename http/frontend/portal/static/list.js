// The list of all clusters that the caller may read: subscription by subscription, or all of the service for its
// operators. It is asked for again by and by, and what the caller has filtered, sorted and turned to stays.

import { pause } from "./api.js";
import { button, element, show } from "./elements.js";
import { endOf, ends, filler } from "./ends.js";
import { problem } from "./problems.js";
import { age } from "./words.js";

const TYPE = "Microsoft.RedHatOpenShift/openShiftClusters";
// The browser stays fast however many there are.
const ROWS = 100;
// A list is asked for again after this, or after ten times as long as it took.
const LEAST_SECONDS = 10;
// While pages come in, the list is drawn this often.
const DRAWN_SECONDS = 0.5;
// The status of these conditions when all is well; that of the others is False.
const GOOD = { Available: "True", HibernationPossible: "True" };

export const state = (cluster) => cluster.properties.powerState === "Stopped" && cluster.properties.provisioningState === "Succeeded"
  ? "Stopped" : cluster.properties.provisioningState;
export const group = (cluster) => cluster.id.split("/")[4];
const subscription = (cluster) => cluster.id.split("/")[2];
export const workers = ({ properties }) =>
  (properties.workerProfilesStatus ?? properties.workerProfiles ?? []).reduce((sum, { count }) => sum + (count ?? 0), 0);
// Conditions that ask for attention. A cluster that was stopped is not available, as it should be.
export const attention = ({ properties }) => (properties.conditions ?? []).filter(({ type, status, reason }) =>
  type !== "Progressing" && reason !== "Stopped" && status === ((GOOD[type] ?? "False") === "True" ? "False" : "True"));

const COLUMNS = [
  { name: "Name", text: ({ name }) => name, cell: (cluster) => element("a", { id: cluster.id, href: `#${encodeURI(cluster.id)}` }, cluster.name) },
  { name: "State", text: state, cell: (cluster) => badge(state(cluster)) },
  { name: "Attention", text: (cluster) => attention(cluster).map(({ type }) => type).join(", ") },
  { name: "Version", text: ({ properties }) => properties.clusterProfile?.version ?? "" },
  { name: "Workers", text: (cluster) => String(workers(cluster)) },
  { name: "Region", text: ({ location }) => location },
  { name: "Group", text: group },
  { name: "Subscription", text: subscription, several: true },
  { name: "Age", text: ({ systemData }) => age(systemData?.createdAt), key: ({ systemData }) => -Date.parse(systemData?.createdAt) || 0 },
  // Known only of the rows that were shown, so no filter looks at it, and it sorts what fits into one page.
  { name: "Ends next", text: () => "", key: endOf, cell: ends, ofShown: true },
];

// What the caller has chosen, also after coming back from a cluster.
const chosen = { filter: "", column: "Name", down: false, page: 0 };

export function badge(text) {
  return element("span", { class: `badge ${text}` }, text);
}

// Returns the paths of the lists: one of all clusters for operators with a certificate, or one for each subscription.
async function lists({ api, configuration, signal }) {
  if (!configuration.authority) return [`/sre/providers/${TYPE}`];
  const { value } = await api.get("/subscriptions", { signal });
  const known = value.map(({ subscriptionId }) => subscriptionId);
  return (known.length ? known : [configuration.subscription]).map((each) => `/subscriptions/${each}/providers/${TYPE}`);
}

export async function list(place, { api, configuration, signal }) {
  let clusters = [], whole = false, refusals = [], drawn = 0;
  const fill = filler({ api, configuration, signal });
  const body = element("tbody"), said = element("p", { id: "count" }), headings = element("tr"), pager = element("p", { class: "bar" });
  const filter = element("input", {
    id: "filter", type: "search", value: chosen.filter, autocomplete: "off",
    input: () => { Object.assign(chosen, { filter: filter.value, page: 0 }); draw(); },
  });

  function draw() {
    drawn = performance.now();
    const several = new Set(clusters.map(subscription)).size > 1, columns = COLUMNS.filter((each) => several || !each.several);
    const matches = sorted(filtered(clusters, columns));
    const last = Math.max(Math.ceil(matches.length / ROWS) - 1, 0), page = Math.min(chosen.page, last);
    const turn = (name, by) => button(name, () => { chosen.page = page + by; draw(); }, { id: name.toLowerCase(), disabled: page + by < 0 || page + by > last });
    show(headings, columns.map(heading));
    const rows = matches.slice(page * ROWS, (page + 1) * ROWS);
    show(body, rows.map((each) => element("tr", {}, columns.map((column, index) =>
      element(index ? "td" : "th", index ? {} : { scope: "row" }, (column.cell ?? column.text)(each))))));
    show(said, words(matches.length));
    show(pager, last > 0 && [turn("Previous", -1), element("span", { role: "status" }, `Rows ${page * ROWS + 1} to ${Math.min((page + 1) * ROWS, matches.length)} of ${matches.length}`), turn("Next", 1)]);
    show(told, refusals.map(problem));
    if (whole) fill(rows);
  }

  function words(shown) {
    if (whole && !clusters.length) return refusals.length ? "" : "There is no cluster that you may read.";
    const of = shown === clusters.length ? "" : `${shown} of `;
    return `${of}${clusters.length} ${clusters.length === 1 ? "cluster" : "clusters"}${whole ? "" : ", and more are coming"}.`;
  }

  function heading({ name, ofShown }) {
    const isSorted = name === chosen.column;
    const sort = () => { Object.assign(chosen, { column: name, down: isSorted && !chosen.down, page: 0 }); draw(); };
    return element(
      "th",
      { scope: "col", "aria-sort": isSorted ? (chosen.down ? "descending" : "ascending") : undefined },
      ofShown && clusters.length > ROWS ? name : button(name, sort, { id: `sort-${name.toLowerCase().replace(" ", "-")}` }),
    );
  }

  const told = element("div");
  show(
    place,
    element("h1", {}, "All clusters"),
    element("div", { class: "bar" }, element("label", { for: "filter" }, "Filter"), filter,
      configuration.authority && element("a", { class: "action", href: "#/create" }, "Create a cluster")),
    told,
    said,
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Clusters" },
      element("table", { class: "list" }, element("caption", { class: "unseen" }, "Clusters"), element("thead", {}, headings), body)),
    pager,
  );

  while (!signal.aborted) {
    const begun = performance.now(), found = [], refused = [];
    for (const path of await lists({ api, configuration, signal })) {
      try {
        for await (const page of api.pages(path, { signal })) {
          found.push(...page);
          if (!whole) {
            clusters = found;
            if (performance.now() - drawn > DRAWN_SECONDS * 1000) draw();
          }
        }
      } catch (error) {
        if (signal.aborted) throw error;
        refused.push(error);
      }
    }
    [clusters, refusals, whole] = [found, refused, true];
    draw();
    await pause(Math.max(LEAST_SECONDS, (performance.now() - begun) / 100), signal);
  }
}

function filtered(clusters, columns) {
  const words = chosen.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const texts = (cluster) => columns.map(({ text }) => text(cluster)).join(" ").toLowerCase();
  return words.length ? clusters.filter((each) => { const found = texts(each); return words.every((word) => found.includes(word)); }) : clusters;
}

function sorted(clusters) {
  const { key, text } = COLUMNS.find(({ name }) => name === chosen.column), way = chosen.down ? -1 : 1;
  const order = new Intl.Collator(undefined, { numeric: true }).compare;
  const compare = key ? (a, b) => a[0] - b[0] : (a, b) => order(a[0], b[0]);
  const keyed = clusters.map((each) => [(key ?? text)(each), each]);
  return keyed.sort((a, b) => way * compare(a, b) || order(a[1].id, b[1].id)).map(([, each]) => each);
}
