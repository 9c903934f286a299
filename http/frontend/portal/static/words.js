// Words for people: the same that `aroctl` uses.

const ACRONYMS = { acr: "ACR", api: "API", dns: "DNS", nsgs: "NSGs", vm: "VM" };
const MINUTE = 60, HOUR = 3600, DAY = 86400;

export const MARKS = { Succeeded: "✓", Failed: "✗", Canceled: "✗", Running: "●", NotStarted: "·" };
export const ENDED = ["Succeeded", "Failed", "Canceled"];

// Returns the name of a step or phase as people say it: "Deploy network" for `deploy_network_template`.
export function spoken(name) {
  const words = name.replace(/_template$/, "").split(/[_-]/).map((word) => ACRONYMS[word] ?? word).join(" ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

export function duration(seconds) {
  if (seconds < MINUTE) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ${Math.floor(seconds % MINUTE)} s`;
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)} h ${Math.floor((seconds % HOUR) / MINUTE)} min`;
  return `${Math.floor(seconds / DAY)} days`;
}

// Returns how long ago a time is, or how far ahead.
export function age(time, now = Date.now()) {
  const seconds = (now - Date.parse(time)) / 1000;
  if (Number.isNaN(seconds)) return "";
  const whole = Math.abs(seconds);
  if (whole < MINUTE) return `${Math.floor(whole)} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min`;
  if (whole < 2 * DAY) return `${Math.floor(whole / HOUR)} h`;
  return `${Math.floor(whole / DAY)} days`;
}

export function moment(time) {
  return time ? new Date(time).toLocaleString() : "";
}
