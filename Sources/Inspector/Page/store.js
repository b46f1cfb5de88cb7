// The view of the store as a whole: its consumers, its size, and who writes it.

import { bytes, counted, element, empty, grouped, table, time } from "./elements.js";

export async function show(place, route, context) {
  const fill = (store) => place.replaceChildren(...sections(store));
  fill(context.store);
  return { storeChanged: fill };
}

function sections(store) {
  const warnings = store.warnings.map((warning) => element("p", { class: "warning" }, warning));
  return [
    ...warnings,
    element("div", { class: "two" }, growth(store), consumers(store)),
    element("section", { class: "content" }, element("h2", {}, "Models"), models(store)),
    element("section", { class: "content" }, element("h2", {}, "The store"), facts(store)),
  ];
}

function growth(store) {
  const total = store.logBytes + store.rowsBytes;
  const bar = (name, count) =>
    element(
      "div",
      { class: "bar" },
      element("span", {}, name),
      element("meter", { min: 0, max: Math.max(total, 1), value: count, "aria-label": name }),
      element("span", { class: "number" }, bytes(count)),
    );
  const kept = store.eventCount - store.supersededCount;
  const dropped =
    store.supersededCount === 0
      ? "No event is superseded, so a compaction would drop nothing."
      : `A compaction would drop at most ${grouped(store.supersededCount)} of ${counted(store.eventCount, "event")}: ` +
        `${grouped(kept)} are needed for the records as they are. Unsent changes and slow consumers keep more.`;
  return element(
    "section",
    { class: "content" },
    element("h2", {}, "Size on the disk"),
    bar("Log", store.logBytes),
    bar("of it, events", store.eventBytes),
    bar("Rows", store.rowsBytes),
    element("p", { class: "quiet" }, dropped),
  );
}

function consumers(store) {
  const rows = store.consumers.map((consumer) => [
    consumer.name,
    grouped(consumer.position),
    element("span", { class: consumer.lag > 0 ? "behind" : undefined }, grouped(consumer.lag)),
    element("meter", {
      min: 0,
      max: Math.max(store.head, 1),
      value: consumer.position,
      "aria-label": `${consumer.name} has processed ${consumer.position} of ${store.head} events`,
    }),
  ]);
  const columns = [{ title: "consumer" }, { title: "at event", isNumber: true }, { title: "lag", isNumber: true }, { title: "" }];
  return element(
    "section",
    { class: "content" },
    element("h2", {}, "Consumers"),
    rows.length === 0 ? empty("This store has no consumers.") : table(columns, rows, "Consumers"),
    element("p", { class: "quiet" }, `The log ends at event ${grouped(store.head)}. A lag is the number of events not processed yet.`),
  );
}

function models(store) {
  const columns = [{ title: "model" }, { title: "records", isNumber: true }, { title: "fields", isNumber: true }, { title: "indexes", isWide: true }];
  const rows = store.models.map((model) => [
    element("a", { href: `#/records/${encodeURIComponent(model.name)}` }, model.name),
    grouped(model.rows),
    grouped(model.fields.length),
    model.indexes.map((index) => `${index.name} (${index.fields.join(", ")})`).join("; ") || undefined,
  ]);
  return table(columns, rows, "Models");
}

function facts(store) {
  const rows = [
    ["directory", store.name],
    ["rows", `${store.adapter}, at event ${grouped(store.checkpoint)}`],
    ["durability", store.durability],
    ["log", `events ${grouped(store.floor + 1)} to ${grouped(store.head)}, ${grouped(store.eventCount)} kept`],
    ["last event", store.lastEventAt ? time(store.lastEventAt) : "–"],
    ["schema", `version ${store.schemaVersion}`],
    ["open for writing", store.writer ? `in ${store.writer}` : "nowhere"],
    ["oldest reader", store.oldestReaderLag === undefined ? "none" : `${counted(store.oldestReaderLag, "transaction")} behind`],
  ];
  return element("dl", { class: "fields" }, rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}
