// The page: who calls, and which view the address after `#` names. The views are in modules of their own.

import { Api } from "./api.js";
import { cluster } from "./cluster.js";
import { create } from "./create.js";
import { button, element, note, show } from "./elements.js";
import { list } from "./list.js";
import { problem } from "./problems.js";
import { open } from "./session.js";

const TITLE = "OpenShift clusters";
const CLUSTER = /^#(\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/[^/]+\/openShiftClusters\/[^/?]+)$/i;
const main = document.getElementById("main");
let leave = new AbortController();

async function begin() {
  const response = await fetch("/portal/config.json");
  if (!response.ok) {
    show(main, element("p", { role: "alert" }, `The service is not ready (${response.status}). Reload in a minute.`));
    return;
  }
  const configuration = await response.json();
  const session = await open(configuration);
  const api = new Api(session, configuration.apiVersion, (signal) => askAgain(session, signal));
  const context = { api, configuration };
  await signIn(session);
  show(document.getElementById("caller"), session.name);
  addEventListener("hashchange", () => navigate(context));
  navigate(context);
}

// Shows what the sign-in is for, and returns once somebody has signed in.
function signIn(session) {
  return new Promise((resolve) => {
    const said = element("p", { role: "alert" });
    const act = async () => {
      show(said);
      try {
        await session.signIn();
        resolve();
      } catch (error) {
        show(said, `The sign-in has not worked: ${error.message}`);
      }
    };
    show(
      main,
      element("h1", {}, TITLE),
      element(
        "p",
        {},
        "Sign in to see the clusters that you may read, and what is done to them. The page keeps nothing: after a " +
          "reload it asks again.",
      ),
      button("Sign in", act, { id: "sign-in", class: "first" }),
      said,
    );
  });
}

// Says that the sign-in has ended, above a view that stays, and returns once the caller has signed in again.
let asking;
function askAgain(session, signal) {
  asking ??= new Promise((resolve) => {
    const act = async () => {
      try {
        await session.signIn();
        note("");
        resolve();
      } catch (error) {
        ask(`The sign-in has not worked: ${error.message}`);
      }
    };
    const ask = (text) =>
      show(document.getElementById("notes"), element("p", {}, text, " ", button("Sign in again", act, { id: "again" })));
    ask("Your sign-in has ended. What you see and what you have typed stays.");
  }).finally(() => { asking = undefined; });
  return Promise.race([asking, new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))]);
}

async function navigate(context) {
  leave.abort(new DOMException("Another view is shown.", "AbortError"));
  leave = new AbortController();
  const { signal } = leave, id = CLUSTER.exec(location.hash)?.[1];
  const [title, view] = id
    ? [decodeURIComponent(id.split("/").pop()), (...all) => cluster(decodeURI(id), ...all)]
    : location.hash === "#/create" ? ["Create a cluster", create] : ["All clusters", list];
  document.title = `${title} – ${TITLE}`;
  note("");
  show(main, element("h1", {}, title), element("p", {}, "Loading …"));
  main.focus();
  try {
    await view(main, { ...context, signal });
  } catch (error) {
    if (!signal.aborted) show(main, element("h1", {}, title), problem(error));
  }
}

begin().catch((error) => show(main, problem(error)));
