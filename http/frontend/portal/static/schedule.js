// When a cluster stops and starts by itself.

import { confirm, field } from "./dialog.js";
import { element } from "./elements.js";

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const USUAL = { days: DAYS.slice(0, 5), stopTime: "19:00", startTime: "07:00", timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC" };

// Asks for the schedule of a cluster and sends it. Returns whether that was done.
export function schedule({ api, id, name, etag, cluster }) {
  const former = cluster.properties.powerSchedule, { days, stopTime, startTime, timeZone } = former ?? USUAL;
  const input = (key, value, more = {}) => element("input", { id: `schedule-${key}`, value, required: true, autocomplete: "off", ...more });
  const stop = input("stop", stopTime, { type: "time" }), start = input("start", startTime, { type: "time" });
  const zone = input("zone", timeZone, { spellcheck: "false" });
  const boxes = DAYS.map((day) => element("input", { type: "checkbox", id: `schedule-${day}`, value: day, checked: days.includes(day) }));
  const none = element("input", { type: "checkbox", id: "schedule-none", change: () => {
    for (const each of [stop, start, zone, ...boxes]) each.disabled = none.checked;
  } });
  const wanted = () => none.checked ? null : {
    timeZone: zone.value, days: boxes.filter(({ checked }) => checked).map(({ value }) => value), stopTime: stop.value, startTime: start.value };
  return confirm({
    title: `When ${name} stops and starts by itself`,
    text: "On each of these days all its machines are deallocated at the one time, and start at the other. What you do by hand " +
      "takes the place of the schedule's last event.",
    verb: "Set the schedule",
    fields: [
      field("Stops at", stop), field("Starts at", start), field("Time zone", zone),
      element("fieldset", {}, element("legend", {}, "Days"), boxes.map((box) => element("label", { class: "choice" }, box, box.value))),
      former && element("p", {}, element("label", { class: "choice" }, none, "Remove the schedule: it stops and starts when somebody says so")),
    ].filter(Boolean),
    act: () => api.send("PATCH", id, { properties: { powerSchedule: wanted() } }, { "If-Match": etag }),
  });
}
