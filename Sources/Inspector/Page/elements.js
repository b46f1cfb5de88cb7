// Elements of the page. Texts are only ever set as text.

/** An element. Attributes whose value is false or undefined are left out, and functions listen to events. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== undefined && child !== null));
  return made;
}

/** A number with its digits in groups. */
export const grouped = (number) => number.toLocaleString("en-US");

/** A count with its noun. */
export const counted = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

/** A number of bytes. */
export function bytes(count) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; count >= 1024 && unit < units.length - 1; unit += 1) count /= 1024;
  return unit === 0 ? `${count} bytes` : `${count.toFixed(1)} ${units[unit]}`;
}

/** A time of the log, in UTC, to the second; its title has the microseconds. */
export const time = (text) =>
  element("time", { datetime: text, title: text }, text.slice(0, 19).replace("T", " "));

/** The place of an error: what is wrong, where, and what can be done. */
export function refusal(error) {
  const box = element("div", { class: "refusal", role: "alert" }, element("p", {}, error.message));
  if (error.excerpt) box.append(element("pre", {}, error.excerpt));
  if (error.recovery) box.append(element("p", { class: "advice" }, error.recovery));
  return box;
}

/** A sentence in place of a list that has nothing to show. */
export const empty = (...text) => element("div", { class: "empty" }, ...text);

/** A table. A column has a title and may be a number; a row is an element, or a list of cells. */
export function table(columns, rows, caption) {
  const heads = columns.map((column) =>
    element(
      "th",
      { scope: "col", class: column.isNumber ? "number" : undefined, "aria-sort": column.sort },
      column.head ?? column.title,
    ),
  );
  const body = rows.map((row) =>
    row instanceof Element ? row : element("tr", {}, row.map((value, index) => cell(value, columns[index]))),
  );
  return element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    element("table", {}, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, body)),
  );
}

/** A cell of a table. A missing value has a dash. */
export function cell(value, column = {}) {
  const isMissing = value === null || value === undefined;
  const kinds = [column.isNumber && "number", isMissing && "missing", column.isWide && "wide"].filter(Boolean);
  return element("td", { class: kinds.join(" ") || undefined }, isMissing ? "–" : value);
}

/** The address of a record's view. */
export const recordAddress = (model, key) => `#/record/${[model, ...key].map(encodeURIComponent).join("/")}`;

/** A link to a record. Its text is the key, unless another text is given. */
export const recordLink = (model, key, text = key.join(" ")) =>
  element("a", { href: recordAddress(model, key) }, text || "(empty)");

/** The function that runs `task`, but one at a time: calls that come while it runs are one more run after it, and a pause. */
export function oneAtATime(task, pause = 250) {
  let isRunning = false;
  let isWanted = false;
  return async function run() {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await task();
      await new Promise((resume) => setTimeout(resume, pause));
    }
    isRunning = false;
  };
}
