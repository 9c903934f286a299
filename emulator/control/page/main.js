// The views by address, and the clock that lets the one in view ask again.
import { note, show } from "./elements.js";
import { faults } from "./faults.js";
import { journal, overview, resources } from "./views.js";

const AGAIN_MILLISECONDS = 3000;
const VIEWS = { "#/": overview, "#/resources": resources, "#/journal": journal, "#/faults": faults };
let current = () => {};
let asked = 0;

// Asks the control service. A refusal is an error with its own words.
async function ask(method, path, body) {
  const sent = body && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  const answer = await fetch(path, { method, ...sent });
  const document = await answer.json();
  if (document.error) throw new Error(document.error.message);
  return document;
}

// Lets the view ask and show what it was told. What an older question brings is not shown over a newer answer.
async function refresh() {
  const number = ++asked;
  try {
    const shown = await current();
    if (number === asked) {
      shown?.();
      note("");
    }
  } catch (error) {
    if (number === asked) note(error instanceof TypeError ? "The local Azure does not answer. It is asked again." : error.message);
  }
}

function open() {
  const address = VIEWS[location.hash] ? location.hash : "#/";
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === address) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const main = document.getElementById("main");
  const { title, parts, ask: again } = VIEWS[address]({ ask, refresh });
  document.title = `${title} – Local Azure`;
  const heading = document.createElement("h1");
  heading.textContent = title;
  heading.tabIndex = -1;
  show(main, heading, ...parts);
  current = again;
  refresh();
  return heading;
}

addEventListener("hashchange", () => {
  // The link to the content is no view.
  if (location.hash === "#main") document.getElementById("main").focus();
  else open().focus();
});
setInterval(() => document.hidden || refresh(), AGAIN_MILLISECONDS);
open();
