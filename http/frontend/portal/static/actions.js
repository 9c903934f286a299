// What a caller can do to a cluster: which states allow each action, and what will happen. Nothing is sent before the
// caller has read that.

import { confirm, field } from "./dialog.js";
import { button, element } from "./elements.js";
import { saveKubeconfig, saveKubeconfigThatEnds } from "./kubeconfigs.js";
import { schedule } from "./schedule.js";

const STOPPED = ["Failed", "Canceled"], RESUMED = ["create", "update"], HOURS = [1, 8, 24];

// Each action: its verb; `when` the cluster allows it; `title`, `text` and `act`, or `ask` for a dialog of its own.
// Operators who come with a certificate act below `/sre`, and only so far as the service lets them.
const ACTIONS = [
  {
    verb: "Resume",
    when: ({ state, plan }) => STOPPED.includes(state) && RESUMED.includes(plan),
    title: ({ name, plan }) => `Resume the ${plan} of ${name}`,
    text: () => "The same request is sent again. What is done is not repeated, and the service has kept the secrets.\n" +
      "First mend the cause that the failed operation names.",
    act: async ({ api, id, etag }) => api.send("PUT", id, await api.get(id), { "If-Match": etag }),
  },
  {
    verb: "Cancel",
    operators: true,
    when: ({ runs, plan }) => runs && plan !== "delete",
    title: ({ name, plan }) => `Cancel the ${plan} of ${name}`,
    text: () => "The operation changes nothing more, and ends. Resume continues it later.",
    act: ({ api, at, operation }) => api.send("POST", `${at}/operations/${operation.name}/cancel`),
  },
  {
    // A stop or start that has failed can be repeated, or undone by the other one.
    verb: "Stop",
    operators: true,
    when: ({ runs, power, state }) => !runs && ((power === "Running" && state === "Succeeded") || power === "Stopping"),
    title: ({ name }) => `Stop ${name}`,
    text: () => "All its machines are deallocated. What runs in the cluster is not served until it is started; its disks and " +
      "addresses go on costing.\nStart it again within 90 days.",
    act: ({ api, at }) => api.send("POST", `${at}/stop`),
  },
  {
    verb: "Start",
    operators: true,
    when: ({ runs, power }) => !runs && ["Stopped", "Stopping", "Starting"].includes(power),
    title: ({ name }) => `Start ${name}`,
    text: () => "Its machines start, which takes up to twenty minutes.",
    act: ({ api, at }) => api.send("POST", `${at}/start`),
  },
  { verb: "Schedule", when: ({ usable }) => usable, ask: schedule },
  {
    verb: "Get a kubeconfig",
    when: ({ hasCredentials, cluster }) => hasCredentials && cluster.properties.longLivedCredentials !== "Disabled",
    title: ({ name }) => `Get a kubeconfig of ${name}`,
    text: () => "Whoever has the file is an administrator of the cluster, for up to a year. Your browser saves it, and this page " +
      "keeps nothing of it. The service logs that you took it.",
    act: ({ api, cluster }) => saveKubeconfig(api, cluster),
  },
  {
    verb: "Get a kubeconfig that ends",
    when: ({ hasCredentials }) => hasCredentials,
    title: ({ name }) => `Get a kubeconfig of ${name} that ends`,
    text: () => "Whoever has the file is an administrator of the cluster until it ends; it names you in the cluster's audit log. " +
      "Your browser makes the key and saves the file, and this page keeps nothing of it.",
    fields: () => [field("It ends after", element("select", { id: "hours" },
      HOURS.map((each) => element("option", { value: each, selected: each === 8 }, `${each} ${each === 1 ? "hour" : "hours"}`))))],
    act: ({ api, cluster }) => saveKubeconfigThatEnds(api, cluster, 3600 * Number(document.getElementById("hours").value)),
  },
  {
    verb: "Rotate the secret",
    when: ({ usable, power, cluster }) => usable && power !== "Stopped" && Boolean(cluster.properties.servicePrincipalProfile?.clientId),
    title: ({ name }) => `Give ${name} another secret of its application`,
    text: () => "The service stores the secret in its vault and gives it to the cluster, which takes some minutes. What runs in " +
      "the cluster goes on. Remove the former secret from the application only after the update has succeeded.",
    fields: ({ cluster }) => [
      field("Application (its id)", element("input", {
        id: "client-id", required: true, autocomplete: "off", spellcheck: "false", value: cluster.properties.servicePrincipalProfile.clientId })),
      field("Its new secret", element("input", { id: "client-secret", type: "password", required: true, autocomplete: "off" })),
    ],
    act: ({ api, id, etag }) => api.send("PATCH", id, { properties: { servicePrincipalProfile: {
      clientId: document.getElementById("client-id").value, clientSecret: document.getElementById("client-secret").value } } }, { "If-Match": etag }),
  },
  {
    verb: "Renew",
    operators: true,
    when: ({ usable, power, state }) => usable && power === "Running" && state === "Succeeded",
    title: ({ name }) => `Renew what ends in ${name}`,
    text: () => "What is due is renewed now, and not only when the service would do it. The rest is left alone.",
    act: ({ api, at }) => api.send("POST", `${at}/renew`),
  },
  {
    verb: "Revoke credentials",
    operators: true,
    when: ({ usable, power, hasCredentials }) => usable && hasCredentials && power === "Running",
    title: ({ name }) => `Revoke all credentials of ${name}`,
    text: () => "Every kubeconfig and certificate of an administrator that was ever given stops working, yours and the " +
      "installer's included. That takes some minutes.\nIt does not end the password of kubeadmin, tokens of users, and " +
      "tokens of service accounts: delete those in the cluster.",
    act: ({ api, at }) => api.send("POST", `${at}/revokeCredentials`),
    typed: true,
  },
  {
    verb: "Delete",
    when: ({ runs, plan }) => !(runs && plan === "delete"),
    title: ({ name }) => `Delete ${name}`,
    text: () => "The cluster is deleted with its machines, disks and addresses, and with all that runs in it. Nothing brings it " +
      "back. A create that still runs is canceled.",
    act: ({ api, id }) => api.send("DELETE", id),
    typed: true,
  },
];

// Returns the actions that the state of a cluster allows, as buttons. `again` shows the cluster again.
export function actions({ api, configuration }, cluster, operation, again) {
  const byCertificate = !configuration.authority;
  const about = facts(api, cluster, operation, byCertificate);
  const offered = ACTIONS.filter(({ operators, when }) => (operators || !byCertificate) && when(about));
  return element("div", { class: "bar", role: "group", "aria-label": "Actions" }, offered.map((action) =>
    button(action.verb, async () => { if (await begin(action, about)) again(); }, { id: `action-${action.verb.toLowerCase().replaceAll(" ", "-")}` })));
}

function begin({ verb, ask, title, text, fields, act, typed }, about) {
  if (ask) return ask(about);
  return confirm({
    verb, title: title(about), text: text(about), fields: fields?.(about), act: () => act(about), typed: typed && about.name,
  });
}

function facts(api, cluster, operation, byCertificate) {
  const { id, name, etag, properties } = cluster, { provisioningState: state, powerState: power } = properties;
  const plan = operation?.properties.plan ?? "create";
  const runs = Boolean(operation) && !["Succeeded", ...STOPPED].includes(operation.properties.status);
  const usable = !runs && (state === "Succeeded" || (state === "Failed" && !["create", "delete"].includes(plan)));
  const hasCredentials = state === "Succeeded" || Boolean(properties.apiserverProfile?.url);
  return { api, cluster, operation, id, name, etag, state, power, plan, runs, usable, hasCredentials, at: byCertificate ? `/sre${id}` : id };
}
