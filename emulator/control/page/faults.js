// Faults as switches: one for each service, and a list of those that somebody else has put in force.
import { element, field, note, show, table } from "./elements.js";

// A switch stays on until it is switched off.
const LASTING = 1e9;
const KINDS = {
  "is away: 503": { kind: "status", status_code: 503 },
  "throttles: 429": { kind: "status", status_code: 429, retry_after: 1 },
  "cuts connections": { kind: "reset" },
  "loses its answers": { kind: "lost-response" },
  "waits 5 seconds first": { kind: "delay", delay_seconds: 5 },
};

export function faults({ ask, refresh }) {
  const kinds = element("select", { id: "kind" }, Object.keys(KINDS).map((name) => element("option", {}, name)));
  const place = element("div");
  // Changes something, then shows what is so, and why it was refused.
  const act = async (...request) => {
    const refused = await ask(...request).then(() => "", (error) => error.message);
    await refresh();
    if (refused) note(refused);
  };
  const toggle = (name, on) =>
    on ? act("DELETE", `/faults/${on.id}`) : act("POST", "/faults", { service: name, count: LASTING, ...KINDS[kinds.value] });
  return {
    title: "Faults",
    parts: [
      element("p", {}, "A switch makes every call to a service fail, until you switch it off or the local Azure ends. This page itself is not met."),
      element("div", { class: "bar" }, field("A service that is switched on", kinds)),
      place,
    ],
    ask: async () => {
      const [{ services }, { value }] = await Promise.all([ask("GET", "/overview"), ask("GET", "/faults")]);
      return () => show(place, switches(services, value, toggle), others(value, act));
    },
  };
}

function isSwitch(fault) {
  return fault.count > LASTING / 2 && fault.operation === ".*" && fault.step === ".*" && !fault.correlation_id;
}

function switches(services, found, toggle) {
  const on = new Map(found.filter(isSwitch).map((fault) => [fault.service, fault]));
  return table(
    "Services",
    [
      ["Service", (name) => name],
      ["Fault", (name) => {
        const fault = on.get(name);
        const text = fault ? "On" : "Off";
        const attributes = { type: "button", role: "switch", id: `switch-${name}`, "aria-checked": `${Boolean(fault)}`, "data-fault": fault?.id };
        return element("button", { ...attributes, "aria-label": `${name} fails: ${text}`, click: () => toggle(name, fault) }, text);
      }],
      ["What happens", (name) => (on.has(name) ? told(on.get(name)) : "")],
    ],
    services.filter((name) => name !== "control"),
  );
}

function others(found, act) {
  const rest = found.filter((fault) => !isSwitch(fault));
  return [
    element("h2", {}, "Other faults in force"),
    rest.length
      ? table(
          "Other faults in force",
          [
            ["Service", (fault) => (fault.service === "*" ? "all" : fault.service)],
            ["Calls", (fault) => [fault.operation === ".*" ? "all" : fault.operation, fault.step !== ".*" && element("div", { class: "dim" }, `step ${fault.step || "none"}`)].filter(Boolean)],
            ["What happens", told],
            ["For", (fault) => (fault.seconds ? `${fault.seconds} seconds` : `${fault.count} calls`)],
            ["Action", (fault) => element("button", { type: "button", id: `lift-${fault.id}`, "aria-label": `Lift the fault of ${fault.service}`, click: () => act("DELETE", `/faults/${fault.id}`) }, "Lift")],
          ],
          rest,
        )
      : element("p", {}, "None. ", element("code", {}, "python -m emulator faults add"), " has more kinds, for single operations and steps."),
    found.length > 0 && element("p", {}, element("button", { type: "button", id: "lift-all", click: () => act("DELETE", "/faults") }, "Lift all faults")),
  ];
}

function told(fault) {
  const known = Object.entries(KINDS).find(([, kind]) => kind.kind === fault.kind && (!kind.status_code || kind.status_code === fault.status_code));
  return known ? known[0] : fault.kind === "status" ? `answers ${fault.status_code}` : fault.kind;
}
