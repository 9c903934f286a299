// A create from a form. It shows the body that it sends; its dry run says row by row what the create would do. Secrets
// are in the fields alone, and are neither shown nor kept.

import { pause, relative, seconds } from "./api.js";
import { confirm } from "./dialog.js";
import { button, element, show, table } from "./elements.js";
import { problem } from "./problems.js";

const TYPE = "Microsoft.RedHatOpenShift/openShiftClusters";
const HIDDEN = "(hidden)";
const SUBNET = "/subscriptions/…/virtualNetworks/NAME/subnets/NAME";

// Name of the field, its label, what it begins with, and attributes of its input.
const FIELDS = [
  ["name", "Name", "", { pattern: "[a-zA-Z0-9][\\-_.a-zA-Z0-9]{0,89}" }],
  ["subscription", "Subscription (its id)", "", { pattern: "[0-9a-fA-F\\-]{36}" }],
  ["group", "Resource group", "", {}],
  ["domain", "Domain", "", { placeholder: "c1, or c1.example.com" }],
  ["masterSubnet", "Subnet of the masters (its id)", "", { placeholder: SUBNET }],
  ["workerSubnet", "Subnet of the workers (its id)", "", { placeholder: SUBNET }],
  ["masterSize", "Size of the masters", "Standard_D8s_v5", {}],
  ["workerSize", "Size of the workers", "Standard_D4s_v5", {}],
  ["count", "Workers", "3", { type: "number", min: "2", max: "50" }],
  ["podCidr", "Range of the pods", "10.128.0.0/14", {}],
  ["serviceCidr", "Range of the services", "172.30.0.0/16", {}],
  ["clientId", "Application of the cluster (its id)", "", {}],
  ["clientSecret", "Secret of that application", "", { type: "password", autocomplete: "off" }],
  ["pullSecret", "Pull secret (may be empty)", "", { type: "password", autocomplete: "off", required: false }],
];

// What was typed is there again when the caller comes back to the form. Secrets are not.
const typed = {};

export async function create(place, { api, configuration, signal }) {
  typed.subscription ??= configuration.subscription;
  const field = Object.fromEntries(FIELDS.map(([name, , value, more]) => [name, element("input", {
    id: `field-${name}`, name, value: typed[name] ?? value, required: true, spellcheck: "false", autocomplete: "off", ...more })]));
  const location = element("input", { id: "field-location", value: configuration.location, required: true });
  const version = element("select", { id: "field-version" }, element("option", { value: "" }, "The one that the service prefers"));
  const visibility = element("select", { id: "field-visibility" }, ["Public", "Private"].map((each) => element("option", {}, each)));
  const preview = element("pre", { id: "body", tabindex: "0", role: "region", "aria-label": "The body of the request" }), result = element("div", { id: "result" });
  const id = () => `/subscriptions/${field.subscription.value}/resourceGroups/${field.group.value}/providers/${TYPE}/${field.name.value}`;

  function body(hide = false) {
    const secret = (input) => (hide && input.value ? HIDDEN : input.value);
    const disk = { diskSizeGB: 128, count: Number(field.count.value) };
    const machine = (size, subnet) => ({ vmSize: size.value, subnetId: subnet.value, encryptionAtHost: "Disabled" });
    return {
      location: location.value,
      properties: {
        clusterProfile: {
          domain: field.domain.value, fipsValidatedModules: "Disabled",
          resourceGroupId: `/subscriptions/${field.subscription.value}/resourceGroups/aro-${field.name.value}`,
          ...(version.value && { version: version.value }),
          ...(field.pullSecret.value && { pullSecret: secret(field.pullSecret) }),
        },
        servicePrincipalProfile: { clientId: field.clientId.value, clientSecret: secret(field.clientSecret) },
        networkProfile: { podCidr: field.podCidr.value, serviceCidr: field.serviceCidr.value },
        masterProfile: machine(field.masterSize, field.masterSubnet),
        workerProfiles: [{ name: "worker", ...machine(field.workerSize, field.workerSubnet), ...disk }],
        apiserverProfile: { visibility: visibility.value },
        ingressProfiles: [{ name: "default", visibility: visibility.value }],
      },
    };
  }

  const keep = ({ target: { name, type, value } }) => { if (name && type !== "password") typed[name] = value; };
  const draw = () => { preview.textContent = `PUT ${id()}\n\n${JSON.stringify(body(true), null, 2)}`; };
  const form = element(
    "form",
    { input: (event) => { keep(event); draw(); }, submit: (event) => { event.preventDefault(); attempt(begin); } },
    [["location", "Region", location], ["version", "Version", version], ["visibility", "API server and ingress are", visibility]]
      .concat(FIELDS.map(([name, label]) => [name, label, field[name]]))
      .map(([name, label, input]) => element("p", { class: "field" }, element("label", { for: `field-${name}` }, label), input)),
    element("p", { class: "bar" },
      button("Try it (dry run)", () => form.reportValidity() && attempt(tryIt), { id: "try" }),
      element("button", { class: "first", id: "create" }, "Create")),
  );

  async function attempt(act) {
    show(result);
    try {
      await act();
    } catch (error) {
      if (!signal.aborted) show(result, problem(error));
    }
  }

  async function tryIt() {
    show(result, element("p", { role: "status" }, "The dry run runs; it changes nothing."));
    let answer = await api.send("POST", `${id()}/dryRun`, body(), {}, signal);
    while (answer.status === 202) {
      await pause(seconds(answer.headers), signal);
      answer = await api.send("GET", relative(answer.headers.get("Location")), undefined, {}, signal);
    }
    const { refused = [], rows = [] } = answer.body;
    show(result, element("p", { role: "status", class: refused.length ? "problem" : "good" },
      refused.length ? `The create would fail: ${refused.join(", ")} would be refused.` : "A dry run refuses nothing."),
    table("Dry run", [["Row", ({ row }) => row], ["Verdict", ({ verdict }) => verdict], ["Message", ({ message }) => message ?? ""]], rows));
  }

  async function begin() {
    const where = id();
    const text = `A cluster with three masters and ${field.count.value} workers is made in ${location.value}, in the group ${field.group.value}. ` +
      "That takes most of an hour, and its machines cost from their start.\nYou can close this page: the create goes on.";
    // A cluster that exists is never changed by a create.
    const done = await confirm({ title: `Create ${field.name.value}`, text, verb: "Create it", act: () => api.send("PUT", where, body(), { "If-None-Match": "*" }) });
    if (done) globalThis.location.hash = encodeURI(where);
  }

  show(place, element("h1", {}, "Create a cluster"), element("p", {}, "The network, its empty subnets and the application must exist. What you do not see here is what ",
    element("code", {}, "az aro create"), " sends, too."), element("div", { class: "two" }, form, element("div", {}, element("h2", {}, "The body of the request"), preview)), result);
  draw();
  const versions = `/subscriptions/${configuration.subscription}/providers/Microsoft.RedHatOpenShift/locations/${configuration.location}/openShiftVersions`;
  await attempt(async () => {
    const { value = [] } = await api.get(versions, { signal });
    version.append(...value.map(({ properties }) => element("option", {}, properties.version)));
  });
}
