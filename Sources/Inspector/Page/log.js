// The view of the log: the newest events first, and new ones as they come.

import { ask } from "./api.js";
import { element, empty } from "./elements.js";
import { eventItem } from "./events.js";

const pageSize = 50;
/** The most events that the page holds, so that a busy writer does not fill the browser's memory. */
const limit = 1000;

export async function show(place, route, context) {
  const state = { model: route.parameters.get("model") ?? "", end: undefined, isPaused: false, missed: 0 };
  const list = element("ol", { class: "events" });
  const none = empty("No events yet.");
  none.hidden = true;
  const earlier = element("button", { type: "button", click: () => loadEarlier() }, "Earlier events");
  const pause = element("button", { type: "button", "aria-pressed": "false", click: () => turn() }, "Pause");
  const choice = element(
    "select",
    { "aria-label": "Model", change: (event) => context.go(logAddress(event.target.value)) },
    element("option", { value: "" }, "All models"),
    context.store.models.map((model) =>
      element("option", { value: model.name, selected: model.name === state.model }, model.name),
    ),
  );
  place.append(element("p", { class: "tools" }, choice, pause), none, list, element("p", { class: "pager" }, earlier));

  async function loadEarlier() {
    const page = await ask("log", { upTo: state.end, model: state.model, limit: pageSize });
    state.end = page.after;
    list.append(...page.events.toReversed().map((event) => eventItem(event)));
    finish();
  }

  function finish() {
    none.hidden = list.childElementCount > 0;
    earlier.hidden = state.end === 0 || list.childElementCount >= limit;
  }

  function turn() {
    state.isPaused = !state.isPaused;
    pause.setAttribute("aria-pressed", String(state.isPaused));
    pause.textContent = state.isPaused ? "Continue" : "Pause";
    if (!state.isPaused && state.missed > 0) {
      state.missed = 0;
      state.end = undefined;
      list.replaceChildren();
      loadEarlier();
    }
  }

  await loadEarlier();
  return {
    eventsCame: (events) => {
      const wanted = events.filter((event) => state.model === "" || event.model === state.model);
      if (wanted.length === 0) return;
      if (state.isPaused) {
        state.missed += wanted.length;
        pause.textContent = `Continue (${state.missed} new)`;
        return;
      }
      const items = wanted.slice(-limit).toReversed().map((event) => eventItem(event));
      for (const item of items) item.classList.add("fresh");
      list.prepend(...items);
      while (list.childElementCount > limit) list.lastElementChild.remove();
      finish();
    },
  };
}

const logAddress = (model) => `#/log${model ? `?model=${encodeURIComponent(model)}` : ""}`;
