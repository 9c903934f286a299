// The sites of operators: what each declares, what was run there, and what a run would change.

import { orNone, pause, Refusal } from "./api.js";
import { confirm } from "./dialog.js";
import { button, element, facts, show, table } from "./elements.js";
import { badge } from "./list.js";
import { begunBy, chart, headline } from "./operation.js";
import { problem } from "./problems.js";
import { ENDED, moment } from "./words.js";

const SITES = "/sre/providers/Microsoft.RedHatOpenShift/sites";
const RUNNING_SECONDS = 2, IDLE_SECONDS = 10;
const short = (bundle) => bundle.slice(0, 12);
const full = ({ namespace, name }) => (namespace ? `${namespace}/${name}` : name);

export async function sites(place, { api, signal }) {
  const body = element("div");
  show(place, element("h1", {}, "Sites"), body);
  while (!signal.aborted) {
    const { value } = await api.get(SITES, { signal });
    show(body, value.length ? table("Sites", [
      ["Name", ({ name }) => element("a", { href: `#/sites/${name}` }, name)],
      ["Bundle", ({ bundle }) => short(bundle)],
      ["Runs", ({ runningOperationId }) => runningOperationId ?? ""],
      ["Last operation", ({ lastOperationId }) => lastOperationId ?? ""],
    ], value) : element("p", {}, "There is no site. An operator stores a bundle and gives it to one."));
    await pause(IDLE_SECONDS, signal);
  }
}

export async function site(name, place, { api, signal }) {
  const parts = Object.fromEntries(["head", "told", "operation", "plans", "phases", "clusters"].map((each) => [each, element("section")]));
  const at = `${SITES}/${name}`;
  let declared = {}, bundle = "", picked = "", asked = new AbortController();
  const again = () => asked.abort();
  show(place, Object.values(parts));

  while (!signal.aborted) {
    const found = await orNone(api.get(at, { signal }));
    if (!found) {
      show(place, element("h1", {}, name), element("p", {}, "There is no such site, or no longer. ", element("a", { href: "#/sites" }, "Sites")));
      return;
    }
    // What a bundle declares changes only with the bundle.
    if (found.bundle !== bundle) declared = await read(["plans", "phases", "clusters"]);
    bundle = found.bundle;
    const current = await operationOf(found), runs = current && !ENDED.includes(current.status);
    show(parts.head, element("h1", {}, found.name), facts({ Bundle: found.bundle, Metadata: found.metadata, "Running operation": found.runningOperationId }));
    show(parts.operation, current && shown(current, runs));
    const last = Object.fromEntries(await Promise.all((declared.plans ?? []).map(async (plan) => [full(plan), await lastRun(plan)])));
    show(parts.plans, (declared.plans ?? []).length && [element("h2", {}, "Plans"), table("Plans", [
      ["Plan", full],
      ["What", ({ description }) => description ?? ""],
      ["Last run", (plan) => last[full(plan)] ? element("button", { type: "button", id: `last-${plan.name}`, click: () => { picked = last[full(plan)].name; again(); } },
        badge(last[full(plan)].status), ` ${moment(last[full(plan)].startTime)}`) : "never"],
      ["Actions", (plan) => element("span", { class: "bar" }, planActions(plan, last[full(plan)], runs))],
    ], declared.plans)]);
    show(parts.phases, (declared.phases ?? []).length && [element("h2", {}, "Phases"), table("Phases", [
      ["Phase", full],
      ["Cluster", ({ clusterName }) => clusterName],
      ["Executor", ({ executor }) => executor],
      ["Actions", (phase) => element("span", { class: "bar" },
        begin("What would change", `change-${phase.name}`, path("phases", phase, "dryRun"), {}, runs),
        begin("What it waits for", `status-${phase.name}`, path("phases", phase, "status"), {}, runs))],
    ], declared.phases)]);
    show(parts.clusters, (declared.clusters ?? []).length && [element("h2", {}, "Clusters"), table("Clusters of the site", [
      ["Cluster", (each) => each.name],
      ["Parent", ({ parentCluster }) => parentCluster ?? ""],
      ["Kubeconfig from", ({ kubeconfigSources }) => kubeconfigSources.join(", ")],
    ], declared.clusters)]);
    asked = new AbortController();
    await pause(runs ? RUNNING_SECONDS : IDLE_SECONDS, AbortSignal.any([signal, asked.signal])).catch(() => {});
  }

  // What cannot be read says why, and hides nothing else.
  async function read(names) {
    const answers = await Promise.all(names.map(async (each) => {
      try {
        return [each, (await api.get(`${at}/${each}`, { signal })).value];
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return [each, [], error];
      }
    }));
    show(parts.told, answers.map(([, , error]) => error).filter(Boolean).slice(0, 1).map(problem));
    return Object.fromEntries(answers);
  }

  function operationOf({ runningOperationId, lastOperationId }) {
    const id = runningOperationId ?? (picked || lastOperationId);
    return id ? allowed(api.get(`${at}/operations/${id}`, { signal })) : undefined;
  }

  function lastRun(plan) {
    return allowed(api.get(path("plans", plan, "status"), { signal }));
  }

  function path(kind, { namespace, name: of }, verb) {
    return `${at}/${kind}/${encodeURIComponent(of)}/${verb}${namespace ? `?namespace=${encodeURIComponent(namespace)}` : ""}`;
  }

  // Begins what changes nothing, without a question.
  function begin(verb, id, where, options, runs) {
    return button(verb, () => attempt(() => api.send("POST", where, options)), { id, disabled: Boolean(runs) });
  }

  async function attempt(act) {
    show(parts.told);
    try {
      picked = (await act()).body.name;
      again();
    } catch (error) {
      if (!signal.aborted) show(parts.told, problem(error));
    }
  }

  function planActions(plan, last, runs) {
    const where = path("plans", plan, "run");
    const ask = (verb, text, options) => button(verb, () => confirm({
      title: `${verb} the plan ${plan.name} of ${name}`, text, verb, act: async () => { picked = (await api.send("POST", where, options)).body.name; },
    }).then((done) => done && again()), { id: `${verb.toLowerCase()}-${plan.name}`, disabled: Boolean(runs) });
    return [
      begin("What would change", `change-${plan.name}`, where, { dryRun: true }, runs),
      ask("Run", "Its phases are applied to their clusters, one after the other: objects are made and changed, and deleted where a phase prunes. " +
        "First look at what would change.", {}),
      last && ["Failed", "Canceled"].includes(last.status) && ask("Resume", "The last run goes on; the phases that it has done are not repeated.", { resume: true }),
    ].filter(Boolean);
  }

  function shown(operation, runs) {
    const cancel = button("Cancel", () => confirm({
      title: `Cancel the operation on ${name}`, text: "It changes nothing more, and ends. What it has applied stays.", verb: "Cancel it",
      act: () => api.send("POST", `${at}/operations/${operation.name}/cancel`),
    }).then((done) => done && again()), { id: "cancel" });
    return [element("h2", { id: "headline" }, headline(operation)), element("p", {}, `Begun by ${begunBy(operation)}.`), runs && cancel, chart(operation)].filter(Boolean);
  }
}

// An operation on clusters whose credentials the caller may not have is not shown.
async function allowed(answer) {
  try {
    return await orNone(answer);
  } catch (error) {
    if (error instanceof Refusal && error.status === 403) return undefined;
    throw error;
  }
}
