// What one looks at: what runs, the resources, the journal. A view has a title, its elements, and a function that asks
// and returns a function that shows the answer.
import { element, facts, field, show, table } from "./elements.js";

const SHOWN_CALLS = 200;
const SHOWN_RESOURCES = 500;

export function overview({ ask }) {
  const place = element("div");
  const title = "Overview";
  return {
    title,
    parts: [place],
    ask: async () => {
      const found = await ask("GET", "/overview");
      return () => show(place, clusters(found), processes(found), own(found));
    },
  };
}

function clusters({ addresses, now, timeScale }) {
  const { portal } = addresses;
  const link = portal && element("a", { href: portal, rel: "noreferrer" }, portal);
  return [
    element("h2", {}, "Clusters"),
    portal
      ? element("p", {}, "The service shows its clusters on its own page, in a browser that reaches Azure's names: ", link)
      : element("p", {}, "The service has a page for its clusters where people call it with tokens: ", element("code", {}, "make up CALLERS=entra"), ". Here Azure Resource Manager calls it. Its clusters are among the resources."),
    facts({
      "Called by": addresses.callers === "entra" ? "anyone with a token" : addresses.callers && "Azure Resource Manager",
      "The service": addresses.service,
      Subscription: addresses.subscription_id,
      Tenant: addresses.tenant_id,
      "Time here": moment(now),
      "Faster than Azure": `${timeScale} times`,
    }),
  ];
}

function processes({ ready, processes: found }) {
  return [
    element("h2", {}, "Processes"),
    !ready && element("p", { class: "bad" }, "Not everything is up."),
    table(
      "Processes",
      [
        ["Process", (row) => row.name],
        ["Id", (row) => (row.pid ? `${row.pid}` : element("span", { class: "bad" }, "not running")), "number"],
        ["Memory", (row) => `${Math.round(row.memoryMiB)} MiB`, "number"],
        ["CPU", (row) => `${row.cpuSeconds ?? 0} s`, "number"],
        ["Restarts", (row) => `${row.restarts ?? 0}`, "number"],
      ],
      found,
    ),
  ];
}

function own({ addresses }) {
  return [
    element("h2", {}, "Your own browser"),
    element("p", {}, "This page works in any browser. Azure's names, such as the service's, exist behind the local proxy only. ", element("code", {}, "python -m emulator browse"), " opens a browser with all that is needed and a profile of its own. To use another, give a new profile of it the proxy for HTTPS, and let it trust the authority for websites. Keep both out of the profile that you use for the internet."),
    facts({ Proxy: addresses.proxy, "Authority, a file": addresses.ca_bundle }),
  ];
}

export function resources({ ask, refresh }) {
  const filter = element("input", { id: "filter", type: "search", autocomplete: "off", spellcheck: "false", input: refresh });
  const [number, place] = [element("p", { role: "status" }), element("div")];
  return {
    title: "Resources",
    parts: [element("div", { class: "bar" }, field("Filter by name, type, group or state", filter)), number, place],
    ask: async () => {
      const { value } = await ask("GET", "/resources");
      return () => {
        const wanted = filter.value.trim().toLowerCase();
        const met = value.filter((each) => `${each.id} ${each.type} ${each.state}`.toLowerCase().includes(wanted));
        show(number, count(met.length, value.length, SHOWN_RESOURCES));
        show(place, services(met.slice(0, SHOWN_RESOURCES)));
      };
    },
  };
}

function services(found) {
  const groups = new Map();
  for (const row of found) groups.set(service(row), [...(groups.get(service(row)) ?? []), row]);
  return [...groups.keys()].sort().map((name) => [
    element("h2", {}, `${name} (${groups.get(name).length})`),
    table(
      name,
      [
        ["Name", (row) => row.id.split("/").at(-1)],
        ["Type", (row) => row.type.slice(name.length + 1)],
        ["Group", (row) => /\/resourcegroups\/([^/]+)/i.exec(row.id)?.[1] ?? ""],
        ["State", (row) => (row.state === "Failed" ? element("span", { class: "bad" }, row.state) : row.state)],
        ["Location", (row) => row.location],
      ],
      groups.get(name),
    ),
  ]).flat();
}

function service(row) {
  return row.type.split("/")[0];
}

export function journal({ ask, refresh }) {
  const text = element("input", { id: "text", type: "search", autocomplete: "off", spellcheck: "false", input: refresh });
  const services = element("select", { id: "service", change: refresh }, element("option", { value: "" }, "all but this page's"));
  const failed = element("input", { id: "failed", type: "checkbox", change: refresh });
  const place = element("div");
  let named = false;
  const search = (found) => {
    text.value = found;
    refresh();
  };
  return {
    title: "Journal",
    parts: [
      element("form", { class: "bar", submit: (event) => event.preventDefault() }, field("Filter by any text", text), field("Service", services), field("Only what failed", failed)),
      place,
    ],
    ask: async () => {
      if (!named) {
        const names = (await ask("GET", "/overview")).services;
        services.append(...names.map((name) => element("option", { value: name }, name)));
        named = true;
      }
      // More than is shown, because only here those that failed are told from the others.
      const query = new URLSearchParams({ text: text.value.trim(), service: services.value, last: failed.checked ? 5000 : SHOWN_CALLS });
      if (services.value !== "control") query.set("without", "control");
      const { value } = await ask("GET", `/journal?${query}`);
      const met = value.filter((call) => !failed.checked || !call.status || call.status >= 400).slice(-SHOWN_CALLS).reverse();
      return () => show(place, element("p", {}, `${met.length} calls, the newest first`), calls(met, search));
    },
  };
}

function calls(found, search) {
  const bad = (call) => !call.status || call.status >= 400;
  return table(
    "Calls",
    [
      ["Time", (call) => moment(call.time), "time"],
      ["Service", (call) => call.service],
      ["Call", (call) => [call.operation, element("div", { class: "dim" }, call.path)]],
      ["Answer", (call) => [
        element("span", { class: bad(call) ? "bad" : undefined }, call.status ? `${call.status}` : "cut"),
        call.error && element("div", { class: "bad" }, `${call.error}: ${call.message}`),
        call.fault && element("div", { class: "bad" }, "by a fault"),
      ]],
      ["Took", (call) => `${Math.round(call.seconds * 1000)} ms`, "number"],
      ["Caller", (call) => [more(call.caller, search), call.step && element("div", { class: "dim" }, `step ${call.step}`)]],
      ["Together with", (call) => more(call.correlation_id, search)],
    ],
    found,
  );
}

// Returns a button that filters by an id, of which the beginning is enough to tell it from others.
function more(id, search) {
  const short = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(id) ? id.slice(0, 8) : id;
  return id && element("button", { type: "button", class: "plain", click: () => search(id), "aria-label": `Show the calls of ${id}` }, short);
}

function moment(text) {
  return text.slice(11, 19);
}

function count(met, all, most) {
  const shown = met > most ? `; the first ${most} are shown` : "";
  return met === all ? `${all} resources${shown}` : `${met} of ${all} resources${shown}`;
}
