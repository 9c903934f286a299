// Elements. Text becomes text nodes only: nothing in this page makes HTML from a string, and its policy forbids it.

// Returns an element. Members of `attributes` that are functions listen to the event of that name; `false` and
// `undefined` leave an attribute out. Children are elements or texts; what is empty is left out.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== undefined && child !== "" && child !== null && child !== false));
  return made;
}

// Shows elements in the place of what an element has, and keeps the focus where it was, by the ids of elements.
export function show(place, ...children) {
  const focused = document.activeElement?.id;
  place.replaceChildren(...children.flat().filter(Boolean));
  const again = focused && document.getElementById(focused);
  if (again && again !== document.activeElement) again.focus({ preventScroll: true });
}

// Returns a table. Columns are `[heading, cell of a row]`; a cell is a text or an element.
export function table(caption, columns, rows, attributes = {}) {
  return element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    element(
      "table",
      attributes,
      element("caption", { class: "unseen" }, caption),
      element("thead", {}, element("tr", {}, columns.map(([heading]) => element("th", { scope: "col" }, heading)))),
      element("tbody", {}, rows.map((row) => element("tr", {}, columns.map(([, cell]) => element("td", {}, cell(row)))))),
    ),
  );
}

// Returns a list of names and values; what is empty is left out.
export function facts(found) {
  const known = Object.entries(found).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return element(
    "dl",
    {},
    known.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
  );
}

export function button(text, act, attributes = {}) {
  return element("button", { type: "button", click: act, ...attributes }, text);
}

const notes = new Map();

// Shows a sentence about something, such as "reading", until it is replaced. Without a text, removes it.
export function note(about, ...text) {
  const shown = text.filter(Boolean);
  if (!shown.length && !notes.has(about)) return;
  if (shown.length) notes.set(about, element("p", {}, shown));
  else notes.delete(about);
  drawNotes();
}

// While a dialog is open, nothing else can be reached, so they are shown there.
export function drawNotes() {
  const places = [...document.querySelectorAll(".notes")], last = places.pop();
  places.forEach((place) => show(place));
  show(last, [...notes.values()]);
}
