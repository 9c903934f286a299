// One operation as a chart: a row for each step, grouped by phase, with a bar on the time axis, what a wait waits for,
// and a mark on the chain of steps that decided the end. It is a table, so that it can be read without seeing the bars.

import { element } from "./elements.js";
import { details } from "./problems.js";
import { duration, ENDED, MARKS, moment, spoken } from "./words.js";

const begin = (operation, step) => Math.max((Date.parse(step.startTime) - Date.parse(operation.startTime)) / 1000, 0);
const end = (operation, step) => (step.startTime ? begin(operation, step) + (step.durationSeconds ?? 0) : 0);
const isCarried = (step) => step.status === "Succeeded" && !step.startTime;
const isWait = (step) => step.kind !== "action" || Boolean(step.polls);

// Returns the names of the steps that decided the end: the last to end, what it waited for last, and so on.
export function criticalPath(operation) {
  const steps = new Map(operation.steps.map((step) => [step.name, step]));
  const last = (found) => found.filter((step) => step?.startTime)
    .reduce((most, step) => (!most || end(operation, step) > end(operation, most) ? step : most), undefined);
  const path = new Set();
  for (let step = last(operation.steps); step && !path.has(step.name); step = last((step.needs ?? []).map((need) => steps.get(need)))) {
    path.add(step.name);
  }
  return path;
}

// Returns an operation in a sentence.
export function headline(operation) {
  const { status, plan = "operation", percentComplete = 0, durationSeconds = 0 } = operation;
  return ENDED.includes(status)
    ? `${spoken(plan)}: ${status} after ${duration(durationSeconds)}`
    : `${spoken(plan)}: ${status}, ${percentComplete} %, ${duration(durationSeconds)}`;
}

// Returns who began an operation, and when.
export function begunBy({ begunBy: who, startTime }) {
  return who ? `${who.kind} ${who.objectId}, ${moment(who.at)}` : moment(startTime);
}

// Returns the chart of an operation, with its error whole.
export function chart(operation) {
  const critical = criticalPath(operation);
  const span = Math.max(...operation.steps.map((step) => end(operation, step)), operation.durationSeconds ?? 0, 0.1);
  const phases = operation.phases.map((phase) => [phase, operation.steps.filter((step) => step.phase === phase.name)]);
  return element(
    "div",
    { class: "operation" },
    element("progress", { max: "100", value: String(operation.percentComplete ?? 0), "aria-label": "How much is done" }),
    operation.error && failure(operation.error),
    element(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Steps" },
      element(
        "table",
        { class: "chart" },
        element("caption", {}, "Steps, on the time axis of the operation. A mark is on those that decided its end."),
        element("thead", {}, element("tr", {}, ["Step", "State", "Time", "Took"].map((name) => element("th", { scope: "col" }, name)))),
        phases.map(([phase, steps]) => element("tbody", {}, heading(phase), rows(operation, steps, span, critical))),
      ),
    ),
  );
}

function failure(error) {
  return element("div", { class: "problem" }, element("p", {}, `${error.code}: ${error.message}`), details(error));
}

function heading({ name, status, durationSeconds }) {
  return element(
    "tr",
    { class: "phase" },
    element("th", { scope: "rowgroup" }, spoken(name)),
    element("td", {}, mark(status)),
    element("td"),
    element("td", {}, durationSeconds === undefined ? "" : duration(durationSeconds)),
  );
}

// Returns the rows of a phase. What has not begun, and what an earlier operation has done, is one line each.
function rows(operation, steps, span, critical) {
  const begun = steps.filter((step) => step.startTime).sort((a, b) => Date.parse(a.startTime) - Date.parse(b.startTime));
  const folds = [[steps.filter(isCarried), "done by an earlier operation"],
    [steps.filter(({ status }) => status === "NotStarted"), "not begun"]];
  return [
    ...begun.map((step) => row(operation, step, span, critical.has(step.name))),
    ...folds.filter(([found]) => found.length).map(([found, words]) => element("tr", { class: "fold" },
      element("td", { colspan: "4" }, `${found.length} step${found.length > 1 ? "s" : ""} ${words}: ${found.map(({ name }) => spoken(name)).join(", ")}`))),
  ];
}

function row(operation, step, span, critical) {
  const bar = element("span", { class: `line ${look(step)}` });
  bar.style.marginInlineStart = `${(100 * begin(operation, step)) / span}%`;
  bar.style.width = `${Math.max((100 * (step.durationSeconds ?? 0)) / span, 0.3)}%`;
  return element(
    "tr",
    { class: critical ? "critical" : undefined },
    element("th", { scope: "row" }, critical ? "◆ " : "", spoken(step.name), critical && element("span", { class: "unseen" }, " (decided the end)")),
    element("td", {}, mark(step.status)),
    element("td", { class: "axis" }, bar, element("span", { class: "label" }, label(step))),
    element("td", {}, duration(step.durationSeconds ?? 0)),
  );
}

function mark(status) {
  return element("span", { class: `mark ${status}`, title: status }, MARKS[status] ?? "?", element("span", { class: "unseen" }, ` ${status}`));
}

function look(step) {
  return ["Failed", "Canceled"].includes(step.status) ? step.status : isWait(step) ? "wait" : "work";
}

function label(step) {
  const again = step.attempt > 1 ? `attempt ${step.attempt}: ` : "";
  // Only operators get a message, and an error of a step that is tried again.
  const more = step.message ? ` – ${step.message}` : "";
  if (step.status === "Failed") return `${again}failed: ${step.error?.code ?? ""}${more}`;
  if (step.status === "Canceled") return `${again}canceled${more}`;
  const wait = step.endTime ? "waited" : "waits";
  const said = isWait(step) && step.waitsFor ? `${again}${wait} for ${step.waitsFor}` : again && `${again}run again`;
  return `${said}${more}`;
}
