// The list of all clusters that the caller may read, subscription by subscription. It is asked for again by and by, and
// what the caller has filtered and sorted stays.

import { pause } from "./api.js";
import { button, element, show } from "./elements.js";
import { problem } from "./problems.js";
import { age } from "./words.js";

const TYPE = "Microsoft.RedHatOpenShift/openShiftClusters";
// The browser stays fast however many there are: the filter finds the others.
const MOST_ROWS = 200;
// A list is asked for again after this, or after ten times as long as it took.
const LEAST_SECONDS = 10;

export const state = (cluster) => cluster.properties.powerState === "Stopped" && cluster.properties.provisioningState === "Succeeded"
  ? "Stopped" : cluster.properties.provisioningState;
export const group = (cluster) => cluster.id.split("/")[4];
export const workers = ({ properties }) =>
  (properties.workerProfilesStatus ?? properties.workerProfiles ?? []).reduce((sum, { count }) => sum + (count ?? 0), 0);
// Conditions that ask for attention. A cluster that was stopped is not available, as it should be.
export const attention = ({ properties }) => (properties.conditions ?? []).filter(({ type, status, reason }) =>
  type !== "Progressing" && reason !== "Stopped" && status === (type === "Available" ? "False" : "True"));

const COLUMNS = [
  { name: "Name", text: ({ name }) => name, cell: (cluster) => element("a", { href: `#${encodeURI(cluster.id)}` }, cluster.name) },
  { name: "State", text: state, cell: (cluster) => badge(state(cluster)) },
  { name: "Attention", text: (cluster) => attention(cluster).map(({ type }) => type).join(", ") },
  { name: "Version", text: ({ properties }) => properties.clusterProfile?.version ?? "" },
  { name: "Workers", text: (cluster) => String(workers(cluster)) },
  { name: "Region", text: ({ location }) => location },
  { name: "Group", text: group },
  { name: "Age", text: ({ systemData }) => age(systemData?.createdAt), key: ({ systemData }) => -Date.parse(systemData?.createdAt) || 0 },
];

// What the caller has chosen, also after coming back from a cluster.
const chosen = { filter: "", column: 0, down: false };

export function badge(text) {
  return element("span", { class: `badge ${text}` }, text);
}

export async function list(place, { api, configuration, signal }) {
  let clusters = [], whole = false, refusals = [];
  const body = element("tbody"), said = element("p", { id: "count" }), headings = element("tr");
  const filter = element("input", {
    id: "filter", type: "search", value: chosen.filter, autocomplete: "off",
    input: () => { chosen.filter = filter.value; draw(); },
  });

  function draw() {
    const words = chosen.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const texts = (cluster) => COLUMNS.map(({ text }) => text(cluster)).join(" ").toLowerCase();
    const matches = words.length ? clusters.filter((each) => words.every((word) => texts(each).includes(word))) : clusters;
    const { key, text } = COLUMNS[chosen.column], value = key ?? text, way = chosen.down ? -1 : 1;
    const order = new Intl.Collator(undefined, { numeric: true }).compare;
    const compare = key ? (a, b) => value(a) - value(b) : (a, b) => order(value(a), value(b));
    const sorted = [...matches].sort((a, b) => way * compare(a, b) || order(a.id, b.id));
    show(headings, COLUMNS.map(heading));
    show(body, sorted.slice(0, MOST_ROWS).map((each) => element("tr", {}, COLUMNS.map((column, index) =>
      element(index ? "td" : "th", index ? {} : { scope: "row" }, (column.cell ?? column.text)(each))))));
    const shown = Math.min(sorted.length, MOST_ROWS);
    show(said, whole && !clusters.length && !refusals.length
      ? "There is no cluster that you may read."
      : `${shown === clusters.length ? "" : `${shown} of `}${clusters.length} ${clusters.length === 1 ? "cluster" : "clusters"}${whole ? "" : ", and more are coming"}. ${
        sorted.length > shown ? `${sorted.length} match; narrow them down with the filter.` : ""}`);
    show(told, refusals.map(problem));
  }

  function heading({ name }, index) {
    const sorted = index === chosen.column;
    const sort = () => { Object.assign(chosen, { column: index, down: sorted && !chosen.down }); draw(); };
    return element(
      "th",
      { scope: "col", "aria-sort": sorted ? (chosen.down ? "descending" : "ascending") : undefined },
      button(name, sort, { id: `sort-${index}` }),
    );
  }

  const told = element("div");
  show(
    place,
    element("h1", {}, "All clusters"),
    element("div", { class: "bar" }, element("label", { for: "filter" }, "Filter"), filter,
      element("a", { class: "action", href: "#/create" }, "Create a cluster")),
    told,
    said,
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Clusters" },
      element("table", {}, element("caption", { class: "unseen" }, "Clusters"), element("thead", {}, headings), body)),
  );

  while (!signal.aborted) {
    const begun = performance.now(), found = [];
    refusals = [];
    for (const subscription of configuration.subscriptions) {
      try {
        for await (const page of api.pages(`/subscriptions/${subscription}/providers/${TYPE}`, { signal })) {
          found.push(...page);
          if (!whole) { clusters = found; draw(); }
        }
      } catch (error) {
        if (signal.aborted) throw error;
        refusals.push(error);
      }
    }
    [clusters, whole] = [found, true];
    draw();
    await pause(Math.max(LEAST_SECONDS, (performance.now() - begun) / 100), signal);
  }
}
