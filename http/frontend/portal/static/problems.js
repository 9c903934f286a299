// What went wrong, with what to do.

import { element } from "./elements.js";

export function problem(error) {
  return element(
    "div",
    { class: "problem", role: "alert" },
    element("p", {}, error.code ? `${error.code}: ${error.message}` : error.message),
    details(error),
    error.remedy && element("p", {}, error.remedy),
  );
}

// Details of an error that are told in another way, or only matter to the service's own people.
const UNSAID = ["Owner"], LABELS = { Step: "step", CorrelationId: "correlation id", Remedy: "what to do" };

// Returns the details of an error, the remedy first.
export function details({ details: given = [], message: whole = "" }) {
  const told = given.filter(({ code, message }) => message && !UNSAID.includes(code) && !whole.includes(message));
  return told
    .sort((a, b) => (b.code === "Remedy") - (a.code === "Remedy"))
    .map(({ code, message }) => element("p", { class: code === "Remedy" ? "remedy" : undefined }, `${LABELS[code] ?? code}: ${message}`));
}
