// One cluster: what it is, how it is, what was done to it and what is done now, and what the caller can do.

import { actions } from "./actions.js";
import { orNone, pause } from "./api.js";
import { element, facts, show, table } from "./elements.js";
import { attention, badge, group, state, workers } from "./list.js";
import { begunBy, chart, headline } from "./operation.js";
import { age, ENDED, moment } from "./words.js";

const RUNNING_SECONDS = 2, IDLE_SECONDS = 10;

export async function cluster(id, place, context) {
  const { api, configuration, signal } = context;
  const parts = Object.fromEntries(["head", "actions", "operation", "facts", "conditions", "expirations", "history"].map((name) => [name, element("section")]));
  const told = element("p", { class: "unseen", role: "status" });
  let asked = new AbortController(), shown = "", picked = "", looked = false;
  // After an action, nobody waits for the next look.
  const again = () => asked.abort();
  show(place, told, Object.values(parts));

  while (!signal.aborted) {
    const found = await orNone(api.get(id, { signal }));
    if (!found) {
      show(place, element("h1", {}, id.split("/").pop()), element("p", {}, "There is no such cluster, or no longer. ", element("a", { href: "#/" }, "All clusters")));
      return;
    }
    const operations = (await orNone(api.get(`${id}/operations`, { signal })))?.value ?? [];
    const current = await whole(operations.find(({ name }) => name === picked) ?? operations[0]);
    show(parts.head, element("h1", {}, found.name, " ", badge(state(found))), attention(found).map((each) => element("p", { class: "problem" }, `${each.type}: ${each.message}`)));
    drawActions(found, operations[0]);
    tell(current && `${current.properties.plan ?? "operation"}: ${current.properties.status}`);
    show(parts.operation, current && [element("h2", { id: "headline" }, headline(current.properties)),
      element("p", {}, `Begun by ${begunBy(current.properties)}.`), chart(current.properties)]);
    show(parts.facts, element("h2", {}, "Facts"), facts(known(found)));
    show(parts.conditions, conditions(found.properties.conditions));
    show(parts.history, history(operations, current));
    await drawExpirations();
    const runs = operations[0] && !ENDED.includes(operations[0].properties.status);
    asked = new AbortController();
    await pause(runs ? RUNNING_SECONDS : IDLE_SECONDS, AbortSignal.any([signal, asked.signal])).catch(() => {});
  }

  // Operators see more of an operation: what Azure and the cluster have answered, and errors of steps that are repeated.
  async function whole(operation) {
    if (!operation || configuration.authority) return operation;
    const report = await orNone(api.get(`/sre${id}/operations/${operation.name}`, { signal }));
    return report ? { ...operation, properties: report } : operation;
  }

  // Whoever does not see the page hears when an operation ends, not each of its seconds.
  function tell(text = "") {
    if (told.textContent !== text) told.textContent = text;
  }

  // Only when they change, so that a button stays under the pointer.
  function drawActions(found, newest) {
    const key = JSON.stringify([found.etag, found.properties.provisioningState, found.properties.powerState, newest?.name, newest?.properties.status]);
    if (key !== shown) show(parts.actions, actions(context, found, newest, again));
    shown = key;
  }

  // The calendar changes once a day.
  async function drawExpirations() {
    if (looked) return;
    looked = true;
    const found = (await orNone(api.get(`${id}/expirations`, { signal })))?.value ?? [];
    show(parts.expirations, found.length && [element("h2", {}, "Certificates and credentials"), table("Certificates and credentials", [
      ["What", ({ what, name }) => what ?? name],
      ["Ends in", ({ end }) => age(end)],
      ["End", ({ end }) => moment(end)],
      ["Renewed by", ({ renewedBy }) => renewedBy ?? ""],
    ], found)]);
  }

  function history(operations, current) {
    if (!operations.length) return undefined;
    const pick = ({ name }) => () => { picked = name; again(); };
    return [element("h2", {}, "Operations"), table("Operations", [
      ["What", (each) => element("button", { type: "button", id: `pick-${each.name}`, "aria-pressed": String(each.name === current.name), click: pick(each) }, each.properties.plan ?? "operation")],
      ["State", ({ properties }) => badge(properties.status)],
      ["Begun", ({ properties }) => moment(properties.startTime)],
      ["By", ({ properties }) => properties.begunBy ? `${properties.begunBy.kind} ${properties.begunBy.objectId}` : ""],
      ["Correlation id", ({ properties }) => properties.correlationId ?? ""],
    ], operations)];
  }
}

function conditions(found = []) {
  return found.length ? [element("h2", {}, "Conditions"), table("Conditions", [
    ["Condition", ({ type }) => type],
    ["Status", ({ status }) => status],
    ["Since", ({ lastTransitionTime }) => moment(lastTransitionTime)],
    ["Why", ({ reason, message }) => [reason, message].filter(Boolean).join(": ")],
  ], found)] : undefined;
}

function known(found) {
  const { properties, systemData = {} } = found;
  const { clusterProfile = {}, consoleProfile = {}, apiserverProfile = {}, networkProfile = {}, masterProfile = {} } = properties;
  const [ingress = {}] = properties.ingressProfiles ?? [], [worker = {}] = properties.workerProfiles ?? [];
  const schedule = properties.powerSchedule;
  const published = clusterProfile.domain?.includes(".") ? [["api", apiserverProfile.ip], ["*.apps", ingress.ip]] : [];
  return {
    Version: clusterProfile.version,
    Region: found.location,
    Group: group(found),
    Console: consoleProfile.url && link(consoleProfile.url),
    API: apiserverProfile.url,
    Visibility: [apiserverProfile.visibility, ingress.visibility].filter(Boolean).join(", ingress "),
    Masters: masterProfile.vmSize && `3 of ${masterProfile.vmSize}`,
    Workers: worker.vmSize ? `${workers(found)} of ${worker.vmSize}` : String(workers(found)),
    Network: (masterProfile.subnetId ?? "").split("/subnets/")[0].split("/").pop(),
    Schedule: schedule && `stops at ${schedule.stopTime}, starts at ${schedule.startTime} (${schedule.timeZone}), ${schedule.days.join(", ")}`,
    "Pods, services": [networkProfile.podCidr, networkProfile.serviceCidr].filter(Boolean).join(", "),
    "Outgoing traffic": networkProfile.outboundType,
    "Machines in": (clusterProfile.resourceGroupId ?? "").split("/").pop(),
    "Records to publish": published.filter(([, address]) => address).map(([name, address]) => `${name}.${clusterProfile.domain} A ${address}`).join("; "),
    Tags: Object.entries(found.tags ?? {}).map(([name, value]) => `${name}=${value}`).join(", "),
    Created: systemData.createdAt && `${moment(systemData.createdAt)}${systemData.createdBy ? ` by ${systemData.createdBy}` : ""}`,
    Id: found.id,
  };
}

// Only an address of the web becomes a link: the text comes from the cluster.
function link(address) {
  return /^https:\/\//.test(address) ? element("a", { href: address, rel: "noopener noreferrer", target: "_blank" }, address) : address;
}
