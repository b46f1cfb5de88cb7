// Events of the log as elements, for the log and for the history of a record.

import { bytes, element, recordLink, time } from "./elements.js";

/** An event with the values that it changed. Without a record, its own record is named. */
export function eventItem(event, isOfRecord = false) {
  const head = element(
    "div",
    { class: "event-head" },
    element("span", { class: "number sequence" }, event.sequence.toLocaleString("en-US")),
    element("span", { class: `tag ${event.kind}` }, words[event.kind] ?? event.kind),
    isOfRecord ? undefined : subject(event),
    ...marks(event).map((mark) => element("span", { class: "quiet" }, mark)),
    time(event.at),
  );
  const item = element("li", { class: "event" }, head);
  if (event.changes.length > 0) item.append(changes(event));
  if (event.reason) item.append(element("p", { class: "warning" }, event.reason));
  return item;
}

const words = { leftScope: "left scope", schemaChanged: "schema changed" };

function subject(event) {
  if (event.note !== undefined) return element("code", {}, event.note);
  if (event.model === undefined) return undefined;
  return element("span", { class: "subject" }, `${event.model} `, recordLink(event.model, event.key ?? []));
}

function marks(event) {
  const found = [];
  if (event.note !== undefined) found.push(event.noteBytes === undefined ? "removed" : bytes(event.noteBytes));
  if (event.origin === "remote") found.push("from the server");
  if (event.isShadowed) found.push("shadowed by unsent changes");
  if (event.commit !== event.sequence) found.push(`in commit ${event.commit.toLocaleString("en-US")}`);
  return found;
}

/** The changed fields, each with its values before and after. */
function changes(event) {
  const value = (name, text, title) =>
    text === undefined ? element("span", { class: "missing" }, "–") : element(name, { title }, text);
  const rows = event.changes.flatMap((change) => {
    const before = event.effect === "set" || !event.isBeforeKnown ? undefined : value("del", change.before, "before");
    const after = event.effect === "removed" ? undefined : value("ins", change.after, "after");
    const arrow = event.effect === "changed" ? element("span", { class: "arrow" }, " → ") : undefined;
    return [element("dt", {}, change.name), element("dd", {}, before, arrow, after)];
  });
  return element("dl", { class: "changes" }, rows);
}
