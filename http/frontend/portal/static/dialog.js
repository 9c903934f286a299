// A question before anything is changed: what will happen, and what has to be said for it.

import { button, drawNotes, element } from "./elements.js";
import { problem } from "./problems.js";

// Asks in a dialog; `act` sends the request. Returns whether that was done.
// `fields` are what `field` returns; `typed` is a text that has to be typed in.
export function confirm({ title, text, verb, act, typed = "", fields = [] }) {
  return new Promise((resolve) => {
    const said = element("div"), asker = document.activeElement;
    const done = (result) => {
      dialog.close();
      dialog.remove();
      drawNotes();
      resolve(result);
      asker?.focus({ preventScroll: true });
    };
    const input = typed && element("input", { id: "typed", autocomplete: "off", input: () => { go.disabled = input.value !== typed; } });
    const go = element("button", { class: "first", id: "confirm", disabled: Boolean(typed) }, verb);
    const attempt = async (event) => {
      event.preventDefault();
      go.disabled = true;
      said.replaceChildren();
      try {
        await act();
        done(true);
      } catch (error) {
        said.replaceChildren(problem(error));
        go.disabled = false;
      }
    };
    const dialog = element(
      "dialog",
      { "aria-labelledby": "dialog-title", cancel: (event) => { event.preventDefault(); done(false); } },
      element(
        "form",
        { submit: attempt },
        element("h2", { id: "dialog-title" }, title),
        text.split("\n").map((line) => element("p", {}, line)),
        fields,
        input && element("p", {}, element("label", { for: "typed" }, `Type ${typed} to go on `), input),
        element("div", { class: "notes", role: "status" }),
        said,
        element("p", { class: "bar" }, go, button("Back", () => done(false))),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
    drawNotes();
  });
}

// Returns an input with its label.
export function field(label, input) {
  return element("p", { class: "field" }, element("label", { for: input.id }, label), input);
}
