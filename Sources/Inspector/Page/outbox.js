// The view of the changes that no server has taken: they wait, or a server refused them.

import { ask, decide } from "./api.js";
import { counted, element, empty, oneAtATime, recordLink, refusal, table } from "./elements.js";

/** Beyond this many events to look through, the list is made only if it is asked for. */
const slowLag = 50_000;

const words = { pending: "pending", inFlight: "in flight" };

export async function show(place, route, context) {
  const view = { isOpen: true };
  const message = element("div", { "aria-live": "polite" });
  const lists = element("div");
  place.append(message, lists);

  async function load() {
    const report = await ask("outbox");
    if (!view.isOpen) return;
    lists.replaceChildren(...sections(report, act));
  }

  async function act(decision, entry) {
    message.replaceChildren();
    try {
      const { isDecided } = await decide(decision, entry.sequence);
      const done = decision === "retry" ? "is tried again by the next sync" : "was discarded";
      message.append(
        element("p", { class: "note" }, isDecided ? `Change ${entry.sequence} ${done}.` : "This change was decided before."),
      );
    } catch (error) {
      message.append(refusal(error));
    }
    await load();
  }

  const refresh = oneAtATime(() => load().catch((error) => message.replaceChildren(refusal(error))));
  const lag = context.store.consumers.find((consumer) => consumer.name === "outbox")?.lag ?? 0;
  if (lag > slowLag && !context.store.isServers) {
    const list = () => {
      lists.replaceChildren(empty("Looking through the events …"));
      load().catch((error) => message.replaceChildren(refusal(error)));
    };
    lists.append(
      empty(
        element("p", {}, `The list is made from ${counted(lag, "event")} that no sync has looked at yet. This can take a while.`),
        element("button", { type: "button", click: list }, "Make the list"),
      ),
    );
    return { close: () => (view.isOpen = false) };
  }
  await load();
  return {
    eventsCame: refresh,
    close: () => {
      view.isOpen = false;
    },
  };
}

function sections(report, act) {
  const refused = report.entries.filter((entry) => entry.state === "setAside");
  const waiting = report.entries.filter((entry) => entry.state !== "setAside");
  const hidden = report.counts.waiting + report.counts.setAside - report.entries.length;
  const obstacle = report.obstacle ? element("p", { class: "note" }, report.obstacle) : undefined;
  return [
    element(
      "section",
      { class: "content" },
      element("h2", {}, "Set aside"),
      element("p", { class: "quiet" }, "A server refused these changes. Later changes of the same records wait with them."),
      refused.length > 0 ? obstacle : undefined,
      refused.length === 0
        ? empty("No change was refused.")
        : list(refused, "Refused changes", (entry) => actions(entry, report, act)),
    ),
    element(
      "section",
      { class: "content" },
      element("h2", {}, "Waiting"),
      element("p", { class: "quiet" }, "The next sync sends these changes, in this order."),
      waiting.length === 0
        ? empty(report.isServers ? "A server's store sends nothing." : "Nothing waits to be sent.")
        : list(waiting, "Waiting changes"),
      hidden > 0 ? element("p", { class: "quiet" }, `${counted(hidden, "more change")} not shown.`) : undefined,
    ),
  ];
}

function list(entries, caption, actionsOf) {
  const columns = [
    { title: "event", isNumber: true },
    { title: "record" },
    { title: actionsOf ? "" : "state" },
    { title: "change" },
    { title: "tries", isNumber: true },
    { title: "reason", isWide: true },
  ];
  const rows = entries.map((entry) => [
    entry.sequence.toLocaleString("en-US"),
    element("span", {}, `${entry.model} `, recordLink(entry.model, entry.key)),
    actionsOf?.(entry) ?? element("span", { class: `tag ${entry.state}` }, words[entry.state]),
    entry.operation,
    String(entry.attempts),
    entry.reason,
  ]);
  return table(columns, rows, caption);
}

function actions(entry, report, act) {
  const isOff = report.obstacle !== undefined;
  const title = report.obstacle;
  return element(
    "span",
    { class: "actions" },
    element("button", { type: "button", disabled: isOff, title, click: () => act("retry", entry) }, "Retry"),
    element("button", { type: "button", class: "danger", disabled: isOff, title, click: () => confirm(entry, act) }, "Discard"),
  );
}

/** Asks before a change is given up, because nothing brings it back. */
function confirm(entry, act) {
  const dialog = element(
    "dialog",
    { close: () => dialog.remove() },
    element("p", {}, `Give up the ${entry.operation} of ${entry.model} ${entry.key.join(" ")}? The record becomes what the server has.`),
    element(
      "p",
      { class: "actions" },
      element("button", { type: "button", click: () => dialog.close() }, "Keep the change"),
      element(
        "button",
        {
          type: "button",
          class: "danger",
          click: () => {
            dialog.close();
            act("discard", entry);
          },
        },
        "Discard it",
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
