// The view of a model's records: a predicate, the plan of the query, and its result in pages.

import { ask } from "./api.js";
import { cell, counted, element, empty, grouped, oneAtATime, recordLink, refusal, table } from "./elements.js";

const pageSize = 100;

export async function show(place, route, context) {
  const models = context.store.models;
  if (models.length === 0) {
    place.append(empty("The schema of this store has no models."));
    return {};
  }
  const largest = models.reduce((left, right) => (right.rows > left.rows ? right : left));
  const model = models.find((candidate) => candidate.name === route.parts[0]) ?? largest;
  const state = {
    model,
    where: route.parameters.get("where") ?? "",
    sort: route.parameters.get("sort") ?? "",
    /** The places at which the pages before this one and this one begin. The first page has no place. */
    places: [undefined],
    offset: 0,
  };
  const list = element("nav", { class: "models", "aria-label": "Models" });
  const plan = element("p", { class: "plan", "aria-live": "polite" });
  const result = element("div", { class: "result" });
  const pager = element("p", { class: "pager" });
  const form = predicateForm(state, context);
  place.append(list, element("section", { class: "content" }, form, plan, result, pager));
  fillModels(list, models, model);

  const page = { state, plan, result, pager, shown: new Map(), isOpen: true };
  await load(page, context);
  const refresh = oneAtATime(() => (page.isOpen ? load(page, context, true) : undefined));
  return {
    storeChanged: (store) => fillModels(list, store.models, model),
    eventsCame: (events) => {
      if (events.some((event) => event.model === model.name)) refresh();
    },
    close: () => {
      page.isOpen = false;
    },
  };
}

function fillModels(list, models, chosen) {
  list.replaceChildren(
    ...models.map((model) =>
      element(
        "a",
        { href: `#/records/${encodeURIComponent(model.name)}`, "aria-current": model.name === chosen.name && "true" },
        element("span", {}, model.name),
        element("span", { class: "number" }, grouped(model.rows)),
      ),
    ),
  );
}

function predicateForm(state, context) {
  const example = state.model.fields.find((field) => field.isNumber && !field.isKey)?.name;
  const input = element("input", {
    id: "where",
    type: "text",
    value: state.where,
    placeholder: example ? `${example} > 100` : 'id == "1"',
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-label": `Predicate for ${state.model.name}`,
  });
  return element(
    "form",
    {
      class: "predicate",
      submit: (event) => {
        event.preventDefault();
        open(state, context, { where: input.value.trim() });
      },
    },
    input,
    element("button", { type: "submit" }, "Find"),
    state.where
      ? element("button", { type: "button", class: "quiet", click: () => open(state, context, { where: "" }) }, "Clear")
      : undefined,
  );
}

/** Opens the view with another predicate or order. The address has both, so that the browser's history does. */
function open(state, context, change) {
  const { where, sort } = { where: state.where, sort: state.sort, ...change };
  const parameters = new URLSearchParams();
  if (where) parameters.set("where", where);
  if (sort) parameters.set("sort", sort);
  const query = parameters.size > 0 ? `?${parameters}` : "";
  context.go(`#/records/${encodeURIComponent(state.model.name)}${query}`);
}

async function load(page, context, isAgain = false) {
  const { state } = page;
  const question = { model: state.model.name, where: state.where };
  const place = state.places.at(-1);
  page.result.setAttribute("aria-busy", "true");
  try {
    const answer = await ask("records", { ...question, sort: state.sort, after: place, limit: pageSize });
    // The view may show something else by now.
    if (!page.isOpen || place !== state.places.at(-1)) return;
    showPlan(page, answer);
    showRows(page, answer, context, isAgain);
    showPager(page, answer, context);
    const { count } = await ask("count", question);
    if (page.isOpen) page.plan.firstElementChild.textContent = counted(count, "record");
  } catch (error) {
    if (!page.isOpen) return;
    page.plan.replaceChildren();
    page.pager.replaceChildren();
    page.result.replaceChildren(refusal(error));
    if (error.corrected) {
      const fix = () => open(state, context, { where: error.corrected });
      page.result.firstElementChild.append(
        element("button", { type: "button", click: fix }, `Use ${error.corrected}`),
      );
    }
  } finally {
    page.result.removeAttribute("aria-busy");
  }
}

function showPlan(page, answer) {
  const { plan } = answer;
  const count = page.plan.firstElementChild ?? element("strong", { class: "count" });
  page.plan.replaceChildren(
    count,
    element("span", { class: plan.index ? "tag good" : "tag" }, plan.index ? "index" : "scan"),
    element("span", { class: "summary" }, plan.summary + (plan.sorts ? "; sorts the result" : "")),
    element("span", { class: "quiet" }, `${(answer.microseconds / 1000).toFixed(1)} ms`),
    ...answer.warnings.map((warning) => element("span", { class: "warning" }, warning)),
  );
}

function showRows(page, answer, context, isAgain) {
  const { state } = page;
  if (answer.rows.length === 0) {
    const text = state.where ? "No record satisfies this predicate." : `${state.model.name} has no records yet.`;
    page.result.replaceChildren(empty(text));
    page.shown = new Map();
    return;
  }
  const isShown = (field, index) => !field.isReadOnly || answer.rows.some((row) => row.cells[index] !== null);
  const columns = answer.columns.map((field, index) => ({
    ...field,
    ...heading(field, state, context),
    isShown: isShown(field, index),
  }));
  const shown = new Map();
  const rows = answer.rows.map((row) => {
    const name = JSON.stringify(row.key);
    shown.set(name, JSON.stringify(row.cells));
    const isFresh = isAgain && page.shown.get(name) !== shown.get(name);
    const cells = row.cells.map((value, index) => {
      const column = columns[index];
      if (!column.isShown) return undefined;
      return cell(column.isKey && value !== null ? recordLink(state.model.name, row.key, value) : value, column);
    });
    return element("tr", { class: isFresh ? "fresh" : undefined }, cells);
  });
  const before = page.result.querySelector(".scroll");
  const made = table(columns.filter((column) => column.isShown), rows, `Records of ${state.model.name}`);
  page.result.replaceChildren(made);
  if (isAgain && before) made.scrollLeft = before.scrollLeft;
  page.shown = shown;
}

/** The head of a column, which sorts by it: first ascending, then descending, then in the order of the keys. */
function heading(field, state, context) {
  const [now, next] =
    state.sort === field.name
      ? ["ascending", `-${field.name}`]
      : state.sort === `-${field.name}`
        ? ["descending", ""]
        : [undefined, field.name];
  const mark = { ascending: " ↑", descending: " ↓" }[now] ?? "";
  if (!field.isOrdered) return { title: field.name };
  const sort = () => open(state, context, { sort: next });
  return {
    title: field.name,
    sort: now,
    head: element("button", { type: "button", title: `${field.type}. Sorts the records.`, click: sort }, field.name + mark),
  };
}

function showPager(page, answer, context) {
  const { state } = page;
  const isFirst = state.places.length === 1;
  const turn = (text, isOff, change) =>
    element(
      "button",
      {
        type: "button",
        disabled: isOff,
        click: () => {
          change();
          load(page, context);
        },
      },
      text,
    );
  const range = answer.rows.length > 0
    ? `${grouped(state.offset + 1)} – ${grouped(state.offset + answer.rows.length)}`
    : "";
  page.pager.replaceChildren(
    turn("First", isFirst, () => {
      state.places = [undefined];
      state.offset = 0;
    }),
    turn("Previous", isFirst, () => {
      state.places.pop();
      state.offset -= pageSize;
    }),
    element("span", { class: "number" }, range),
    turn("Next", !answer.next, () => {
      state.places.push(answer.next);
      state.offset += answer.rows.length;
    }),
  );
}
