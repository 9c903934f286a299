// Elements. Text becomes text nodes only: nothing in this page makes HTML from a string, and its policy forbids it.

// Returns an element. Members of `attributes` that are functions listen to the event of that name; `false` and
// `undefined` leave an attribute out. Children are elements or texts; what is empty is left out.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== false && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== undefined && child !== "" && child !== null));
  return made;
}

// Shows elements in the place of what an element has, and keeps the focus where it was, by the ids of elements. What is
// there already stays, so that nobody who reads it is interrupted.
export function show(place, ...children) {
  const focused = document.activeElement?.id;
  const made = place.cloneNode(false);
  made.append(...children.flat().filter(Boolean));
  if (made.isEqualNode(place)) return;
  place.replaceChildren(...made.childNodes);
  const again = focused && document.getElementById(focused);
  if (again && again !== document.activeElement) again.focus({ preventScroll: true });
}

// Returns a table. Columns are `[heading, cell of a row, class]`; a cell is a text or an element.
export function table(caption, columns, rows) {
  const cells = (row) => columns.map(([heading, cell, kind]) => element("td", { class: kind, "data-heading": heading }, cell(row)));
  return element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    element(
      "table",
      {},
      element("caption", { class: "unseen" }, caption),
      element("thead", {}, element("tr", {}, columns.map(([heading]) => element("th", { scope: "col" }, heading)))),
      element("tbody", {}, rows.map((row) => element("tr", {}, cells(row)))),
    ),
  );
}

// Returns a list of names and values; what is empty is left out.
export function facts(found) {
  const known = Object.entries(found).filter(([, value]) => value);
  return element("dl", {}, known.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

// Returns a field with its label.
export function field(text, control) {
  return element("label", {}, text, control);
}

// Shows a sentence about what was met, until it is replaced. "" removes it.
export function note(text) {
  show(document.getElementById("notes"), text && element("p", {}, text));
}
