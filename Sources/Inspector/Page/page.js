// The frame of the page: it chooses the view, and tells it about new events.

import { ask } from "./api.js";
import { refusal } from "./elements.js";
import * as log from "./log.js";
import * as outbox from "./outbox.js";
import * as record from "./record.js";
import * as records from "./records.js";
import * as store from "./store.js";

const views = { records, record, log, outbox, store };
const place = document.getElementById("view");
const live = document.getElementById("live");

/** What all views share: the last report about the store, and the way to other views. */
const context = { store: undefined, go: (address) => location.assign(address) };
let view;

/** The parts of the address after the #: the name of the view, its path, and its parameters. */
function route() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...parts] = path.split("/").map(decodeURIComponent);
  return { name: views[name] ? name : "records", parts, parameters: new URLSearchParams(query ?? "") };
}

async function show() {
  const wanted = route();
  view?.close?.();
  view = undefined;
  for (const tab of document.querySelectorAll("nav.tabs a")) {
    const isCurrent = tab.hash === `#/${wanted.name === "record" ? "records" : wanted.name}`;
    if (isCurrent) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  const next = document.createElement("div");
  next.className = wanted.name;
  place.replaceChildren(next);
  try {
    view = await views[wanted.name].show(next, wanted, context);
  } catch (error) {
    next.replaceChildren(refusal(error));
  }
}

async function readStore() {
  context.store = await ask("store");
  document.getElementById("name").textContent = context.store.name;
  document.title = `${context.store.name.split("/").pop()} – Tidelog`;
  view?.storeChanged?.(context.store);
}

function say(text, isLive) {
  live.textContent = text;
  live.classList.toggle("stopped", !isLive);
}

/** Returns when the page is visible. A hidden page asks nothing, because a browser has few connections for all pages of a host. */
async function visibility() {
  while (document.hidden) {
    await new Promise((resume) => document.addEventListener("visibilitychange", resume, { once: true }));
  }
}

/** The next events, or none if the page becomes hidden while the question waits. */
async function nextEvents(after) {
  const hiding = new AbortController();
  document.addEventListener("visibilitychange", () => hiding.abort(), { signal: hiding.signal });
  try {
    return await ask("log", { after, wait: 25, limit: 500 }, { signal: hiding.signal });
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    throw error;
  } finally {
    hiding.abort();
  }
}

const pause = (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds));

/** Follows the log: each question waits in the program until there is an event. */
async function follow() {
  let after = context.store.head;
  for (;;) {
    try {
      say(`Live · event ${after.toLocaleString("en-US")}`, true);
      await visibility();
      const page = await nextEvents(after);
      if (page === undefined) continue;
      if (page.head < after) return location.reload();
      after = page.through;
      if (page.events.length === 0) continue;
      view?.eventsCame?.(page.events);
      await readStore();
    } catch (error) {
      if (error.code === "storeCleared") return location.reload();
      say(error.status === 0 ? "Stopped" : "Not live", false);
      await pause(2000);
    }
  }
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  place.focus();
});
window.addEventListener("hashchange", show);

try {
  await readStore();
  await show();
  follow();
} catch (error) {
  say("Stopped", false);
  place.replaceChildren(refusal(error));
}
