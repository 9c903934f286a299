// Requests to the service, in the caller's name and with patience. What passes by itself (a service that is away, slow
// or throttling) is asked again, and the page says so. A request that changes something is sent again only if the
// service has said that it has not taken it.

import { note } from "./elements.js";
import { SignedOut } from "./session.js";

const PASSING = [408, 429, 500, 502, 503, 504], NOT_TAKEN = [429, 503];
const LONGEST_SECONDS = 30, SLOW_SECONDS = 5, SILENT_SECONDS = 45, MOST_TRIES = 5;
const WORDS = { 408: "was too slow", 429: "is throttling", 503: "is not available" };
const UNKNOWN = "The service does not answer, so whether it has the request is not known. Look at the cluster before you repeat it.";
const REMEDIES = {
  AuthorizationFailed:
    "Ask an owner of the subscription for a role that includes this action, such as Contributor, or Reader for what " +
    "only reads. A new role counts after a minute.",
  Forbidden:
    "Who is asked for here has to be an operator: with a token, one with the app role Operator; hosted, a browser " +
    "with the operators' certificate. A browser asks for the certificate once: close all its windows to choose another.",
  PreconditionFailed: "Somebody has changed it since you looked. Look at it again, and then decide.",
};

// An error of the service: its code, its message, and what to do.
export class Refusal extends Error {
  constructor(status, error = {}) {
    super(error.message ?? `The service answers ${status}.`);
    Object.assign(this, { status, code: error.code ?? "", details: error.details ?? [], remedy: REMEDIES[error.code] ?? "" });
  }
}

export class Api {
  // `ask` shows that the sign-in has ended, and returns once the caller has signed in again.
  constructor(session, version, ask) {
    Object.assign(this, { session, version, ask });
  }

  async get(path, { signal } = {}) {
    for (let tries = 0; ; tries++) {
      const answer = await this.#patiently(path, signal, tries);
      if (answer) return answer.body;
    }
  }

  // Yields the pages of a list.
  async *pages(path, options = {}) {
    for (let following = path; following; ) {
      const page = await this.get(following, options);
      yield page.value ?? [];
      following = page.nextLink ? relative(page.nextLink) : "";
    }
  }

  // Sends a request that changes something; returns its status, headers and body.
  async send(method, path, body, headers = {}, signal = undefined) {
    for (let tries = 1; ; tries++) {
      try {
        const answer = await this.once(method, path, body, headers, signal);
        if (tries > 1) note("writing");
        return answer;
      } catch (error) {
        note("writing");
        if (!NOT_TAKEN.includes(error.status) || tries === MOST_TRIES) throw error;
        const wait = error.seconds || 2 ** tries;
        note("writing", `The service ${WORDS[error.status]} (${error.status}), and has not taken the request. It is sent again in ${wait} s.`);
        await pause(wait, signal);
      }
    }
  }

  // Sends a request, after a sign-in if there has to be one.
  async once(method, path, body, headers = {}, signal = undefined) {
    const content = body === undefined ? {} : { "Content-Type": "application/json" };
    for (;;) {
      let response;
      try {
        const sent = { ...content, ...headers, ...(await this.session.headers()) };
        response = await fetch(this.#address(path), {
          method, headers: sent, signal, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store",
        });
      } catch (error) {
        if (!(error instanceof SignedOut)) throw method === "GET" || signal?.aborted ? error : new Error(UNKNOWN);
      }
      if (response && response.status !== 401) return read(response);
      await this.ask(signal);
    }
  }

  async #patiently(path, signal, tries) {
    let met, seconds = Math.min(2 ** tries, LONGEST_SECONDS);
    const slow = setTimeout(() => note("reading", "The service is slow. What you see is what it said last."), SLOW_SECONDS * 1000);
    try {
      const answer = await this.once("GET", path, undefined, {}, either(signal, AbortSignal.timeout(SILENT_SECONDS * 1000)));
      note("reading");
      return answer;
    } catch (error) {
      if (signal?.aborted || (error instanceof Refusal && !PASSING.includes(error.status))) throw error;
      met = error instanceof Refusal ? `${WORDS[error.status] ?? "has a problem"} (${error.status})` : "does not answer";
      seconds = error.seconds || seconds;
    } finally {
      clearTimeout(slow);
    }
    note("reading", `The service ${met}. Asking again in ${seconds} s; what you see is what it said last.`);
    await pause(seconds, signal);
    return undefined;
  }

  #address(path) {
    return path.includes("api-version=") ? path : `${path}${path.includes("?") ? "&" : "?"}api-version=${this.version}`;
  }
}

function either(...signals) {
  return AbortSignal.any(signals.filter(Boolean));
}

async function read(response) {
  const text = await response.text();
  let body = {};
  try {
    body = text ? JSON.parse(text) : {};
  } catch {
    // Something between the browser and the service has answered.
  }
  if (response.ok) return { status: response.status, headers: response.headers, body };
  const refusal = new Refusal(response.status, body.error);
  refusal.seconds = seconds(response.headers, 0);
  throw refusal;
}

// Returns how long to wait before asking again: what the service says, or a number of one's own.
export function seconds(headers, otherwise = 10) {
  const said = headers.get("Retry-After") ?? "";
  return /^\d+$/.test(said) ? Number(said) : otherwise;
}

// Returns what is asked for, or undefined if it does not exist.
export async function orNone(answer) {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}

// Returns the path and query of a link, which may name the service by another address.
export function relative(link) {
  const url = new URL(link, location.origin);
  return url.pathname + url.search;
}

export function pause(wait, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) reject(signal.reason);
    const timer = setTimeout(resolve, wait * 1000);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}
