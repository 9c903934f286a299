// What a caller can do to a cluster. Each action first says what will happen, and sends its request only then.

import { button, element } from "./elements.js";
import { problem } from "./problems.js";

// Asks in a dialog; `act` sends the request. Returns whether that was done. `typed` is a text to type in.
export function confirm(title, text, verb, act, typed = "") {
  return new Promise((resolve) => {
    const said = element("div");
    const input = typed && element("input", { id: "typed", autocomplete: "off", input: () => { go.disabled = input.value !== typed; } });
    const done = (result) => { dialog.close(); dialog.remove(); resolve(result); };
    const go = button(verb, async () => {
      go.disabled = true;
      said.replaceChildren();
      try {
        await act();
        done(true);
      } catch (error) {
        said.replaceChildren(problem(error));
        go.disabled = false;
      }
    }, { class: "first", id: "confirm", disabled: Boolean(typed) });
    const dialog = element(
      "dialog",
      { "aria-labelledby": "dialog-title", cancel: (event) => { event.preventDefault(); done(false); } },
      element("h2", { id: "dialog-title" }, title),
      text.split("\n").map((line) => element("p", {}, line)),
      input && element("p", {}, element("label", { for: "typed" }, `Type ${typed} to go on `), input),
      said,
      element("p", { class: "bar" }, go, button("Back", () => done(false))),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}

const STOPPED = ["Failed", "Canceled"], RESUMED = ["create", "update"];

// Returns the actions that the state of a cluster allows, as buttons. `again` shows the cluster again.
export function actions(api, cluster, operation, again) {
  const { id, name, properties } = cluster, { provisioningState: state, powerState: power } = properties;
  const plan = operation?.properties.plan ?? "create", runs = operation && !["Succeeded", ...STOPPED].includes(operation.properties.status);
  const offer = (verb, title, text, act, typed) => button(verb, async () => { if (await confirm(title, text, verb, act, typed)) again(); }, { id: `action-${verb.toLowerCase().replaceAll(" ", "-")}` });
  const offered = [];
  if (STOPPED.includes(state) && RESUMED.includes(plan)) {
    offered.push(offer("Resume", `Resume the ${plan} of ${name}`,
      "The same request is sent again. What is done is not repeated, and the service has kept the secrets.\nFirst mend the cause that the failed operation names.",
      async () => api.send("PUT", id, await api.get(id), { "If-Match": cluster.etag })));
  }
  if (runs && plan !== "delete") {
    offered.push(offer("Cancel", `Cancel the ${plan} of ${name}`,
      "The operation changes nothing more, and ends. Resume continues it later.",
      () => api.send("POST", `${operation.id}/cancel`)));
  }
  // A stop or start that has failed can be repeated, or undone by the other one.
  if (!runs && ((power === "Running" && state === "Succeeded") || power === "Stopping")) {
    offered.push(offer("Stop", `Stop ${name}`,
      "All its machines are deallocated. What runs in the cluster is not served until it is started; its disks and addresses go on costing.\nStart it again within 90 days.",
      () => api.send("POST", `${id}/stop`)));
  }
  if (!runs && ["Stopped", "Stopping", "Starting"].includes(power)) {
    offered.push(offer("Start", `Start ${name}`, "Its machines start, which takes some minutes.", () => api.send("POST", `${id}/start`)));
  }
  if (state === "Succeeded" || properties.apiserverProfile?.url) {
    offered.push(offer("Get a kubeconfig", `Get a kubeconfig of ${name}`,
      "Whoever has the file is an administrator of the cluster. Your browser saves it, and this page keeps nothing of it. The service logs that you took it.",
      () => saveKubeconfig(api, cluster)));
  }
  if (!(runs && plan === "delete")) {
    offered.push(offer("Delete", `Delete ${name}`,
      "The cluster is deleted with its machines, disks and addresses, and with all that runs in it. Nothing brings it back. A create that still runs is canceled.",
      () => api.send("DELETE", id), name));
  }
  return element("div", { class: "bar", role: "group", "aria-label": "Actions" }, offered);
}

async function saveKubeconfig(api, cluster) {
  const { body } = await api.send("POST", `${cluster.id}/listAdminCredentials`);
  const bytes = Uint8Array.from(atob(body.kubeconfig), (character) => character.charCodeAt(0));
  const address = URL.createObjectURL(new Blob([bytes], { type: "application/yaml" }));
  element("a", { href: address, download: `${cluster.name}.kubeconfig` }).click();
  URL.revokeObjectURL(address);
}
