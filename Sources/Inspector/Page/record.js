// The view of one record: its values, what the server said, and its history as differences.

import { ask } from "./api.js";
import { element, empty, grouped, oneAtATime } from "./elements.js";
import { eventItem } from "./events.js";

export async function show(place, route) {
  const [model, ...key] = route.parts;
  const load = async () => {
    const record = await ask("record", { model, key });
    place.replaceChildren(
      element(
        "p",
        { class: "crumbs" },
        element("a", { href: `#/records/${encodeURIComponent(model)}` }, model),
        " / ",
        element("strong", {}, key.join(" ")),
      ),
      element(
        "div",
        { class: "two" },
        element("section", { class: "content" }, element("h2", {}, "Values"), ...values(record)),
        element("section", { class: "content" }, element("h2", {}, "History"), ...history(record)),
      ),
    );
  };
  await load();
  const refresh = oneAtATime(() => load().catch(() => {}));
  return {
    eventsCame: (events) => {
      if (events.some((event) => event.model === model && event.key?.join("\0") === key.join("\0"))) refresh();
    },
  };
}

function values(record) {
  if (!record.fields) return [empty("This record is deleted.")];
  const rows = record.fields.flatMap((field) => [
    element("dt", { title: field.type }, field.name, field.isKey ? element("span", { class: "tag" }, "key") : undefined),
    field.value === undefined
      ? element("dd", { class: "missing" }, "–")
      : element("dd", { class: "value" }, field.value),
  ]);
  return [element("dl", { class: "fields" }, rows), server(record.server)];
}

function server(state) {
  if (!state) return element("p", { class: "quiet" }, "No server has said anything about this record.");
  const version = state.version === undefined ? "no version" : `version ${grouped(state.version)}`;
  const at = new Date(state.lastChangedAt).toISOString().slice(0, 19).replace("T", " ");
  return element("p", { class: "quiet" }, `The server has ${version}, changed ${at}${state.isDeleted ? ", deleted" : ""}.`);
}

function history(record) {
  const list = element("ol", { class: "events" }, record.history.toReversed().map((event) => eventItem(event, true)));
  if (record.isComplete) return [list];
  return [list, element("p", { class: "quiet" }, "Earlier events are not shown, or a compaction has dropped them.")];
}
