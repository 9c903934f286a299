// The page: who calls, and which view the address after `#` names. The views are in modules of their own.

import { Api } from "./api.js";
import { cluster } from "./cluster.js";
import { create } from "./create.js";
import { button, element, note, show } from "./elements.js";
import { list } from "./list.js";
import { problem } from "./problems.js";
import { open } from "./session.js";
import { site, sites } from "./sites.js";

const TITLE = "OpenShift clusters";
const CLUSTER = /^#(\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/[^/]+\/openShiftClusters\/[^/?]+)$/i;
const SITE = /^#\/sites\/([a-z0-9-]+)$/i;
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
  if (session.signsIn) await signIn(session);
  show(document.getElementById("caller"), session.name);
  document.getElementById("to-sites").hidden = !session.operates;
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
  asking ??= waiting();
  const act = async () => {
    try {
      await session.signIn();
      note("signing in");
      asking?.resolve();
      asking = undefined;
    } catch (error) {
      ask(`The sign-in has not worked: ${error.message}`);
    }
  };
  const ask = (text) => note("signing in", text, " ", button("Sign in again", act, { id: "again" }));
  // Each time: the view or the dialog that has shown it may be gone.
  ask("Your sign-in has ended. What you see and what you have typed stays.");
  return Promise.race([asking.promise, new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))]);
}

function waiting() {
  const made = {};
  made.promise = new Promise((resolve) => { made.resolve = resolve; });
  return made;
}

async function navigate(context) {
  leave.abort(new DOMException("Another view is shown.", "AbortError"));
  leave = new AbortController();
  const { signal } = leave, [title, view] = viewOf(location.hash);
  document.title = `${title} – ${TITLE}`;
  note("reading");
  show(main, element("h1", {}, title), element("p", {}, "Loading …"));
  main.focus();
  try {
    await view(main, { ...context, signal });
  } catch (error) {
    if (signal.aborted) return;
    show(main, element("h1", {}, title), problem(error), element("p", {}, button("Try again", () => navigate(context), { id: "try-again" })));
  }
}

function viewOf(hash) {
  const id = CLUSTER.exec(hash)?.[1], name = SITE.exec(hash)?.[1];
  if (id) return [decodeURIComponent(id.split("/").pop()), (...all) => cluster(decodeURI(id), ...all)];
  if (name) return [`Site ${name}`, (...all) => site(name, ...all)];
  return { "#/create": ["Create a cluster", create], "#/sites": ["Sites", sites] }[hash] ?? ["All clusters", list];
}

begin().catch((error) => show(main, problem(error)));
