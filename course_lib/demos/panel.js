// A panel: controls, a picture and its caption. `model` is where pictures come from: as bytes that
// a kernel sends, or, in the book, as an element that the model draws itself.
const make = (tag, options = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), options);
  element.append(...children);
  return element;
};

// JupyterLab takes keys away from an input unless the input itself says that it wants them.
const native = (input) => (input.setAttribute("data-lm-suppress-shortcuts", "true"), input);

function slider(control, moved) {
  const value = make("span", { className: "value", ariaHidden: "true" }); // no <output>: that is a live region
  const input = native(make("input", { type: "range", min: 0, step: 1 }));
  const show = () => {
    value.textContent = stops[input.value];
    input.setAttribute("aria-valuetext", stops[input.value]);
  };
  let stops = control.stops;
  input.setAttribute("aria-label", control.label);
  input.addEventListener("input", () => (show(), moved()));
  const element = make("label", { className: "slider" }, make("span", { textContent: control.label }), value, input);
  return {
    element,
    get at() { return Number(input.value); },
    place(next, at) {
      stops = next.stops;
      input.max = stops.length - 1;
      input.value = at;
      show();
    },
  };
}

function choice(control, moved) {
  const group = `choice-${Math.random()}`;
  const inputs = control.stops.map(() => native(make("input", { type: "radio", name: group })));
  const labels = control.stops.map((word, i) => make("label", {}, inputs[i], make("span", { textContent: word })));
  inputs.forEach((input) => input.addEventListener("change", moved));
  const element = make("fieldset", { className: "choice" }, make("legend", { textContent: control.label }), ...labels);
  return {
    element,
    get at() { return inputs.findIndex((input) => input.checked); },
    place(_, at) { inputs[at].checked = true; },
  };
}

const darkPage = () => {
  const theme = document.body.dataset.jpThemeLight;
  return theme ? theme === "false" : matchMedia("(prefers-color-scheme: dark)").matches;
};

function render({ model, el }) {
  let move = 0, playing = 0, slow = 0, made = {}, url = "", alive = false, images = 0, newest = 0;
  const picture = model.picture ?? make("img", { className: "picture", alt: model.get("title"), draggable: false });
  const sentence = make("p", { className: "sentence" });
  sentence.setAttribute("role", "status");
  const named = make("dl", { className: "named" });
  const controls = make("div", { className: "controls" });
  const scenes = make("div", { className: "scenes" });
  const bar = make("div", { className: "bar" });
  const numbers = make("table", { className: "numbers", hidden: true });
  const line = native(make("code", { tabIndex: 0 }));
  const busy = make("span", { ariaLive: "polite" }), far = make("span", { ariaHidden: "true" });
  const note = make("p", { className: "note", hidden: true, textContent: "Run the cell above to move the sliders." });
  const button = (words, press) => {
    const made = native(make("button", { type: "button", textContent: words }));
    made.addEventListener("click", press);
    return made;
  };

  const ask = () => {
    const at = Object.fromEntries(Object.entries(made).map(([name, one]) => [name, one.at]));
    model.set("wanted", { move: ++move, at });
    model.save_changes();
  };
  const press = (what) => () => (stop(), model.send(what));

  const { scenes: names, again, time } = model.get("buttons");
  const sceneButtons = names.map((name) => button(name, press(name)));
  scenes.append(...sceneButtons);
  scenes.setAttribute("role", "group");
  scenes.setAttribute("aria-label", "scenes");
  if (again) bar.append(button(again, press("again")));
  const stop = () => {
    playing = 0;
    if (time) play.textContent = "▶ Play";
  };
  const step = () => {
    const one = made[time], last = model.get("controls").find((c) => c.name === time).stops.length - 1;
    if (one.at >= last) return stop();
    one.place(model.get("controls").find((c) => c.name === time), one.at + 1);
    ask();
  };
  const play = button("▶ Play", () => {
    if (playing) return stop();
    playing = 1;
    play.textContent = "⏸ Pause";
    const control = model.get("controls").find((c) => c.name === time);
    if (made[time].at === control.stops.length - 1) made[time].place(control, 0), ask();
    else step();
  });
  if (time) bar.append(play);
  const copy = button("Copy the line", () => {
    getSelection().selectAllChildren(line);
    navigator.clipboard?.writeText(line.textContent).then(() => (copy.textContent = "Copied"), () => {});
    setTimeout(() => (copy.textContent = "Copy the line"), 2000);
  });
  const more = make("details", { className: "more" }, native(make("summary", { textContent: "More" })),
    make("div", {}, button("Reset", press("reset")), ...(time ? [button("One step", () => (stop(), step()))] : []), copy, line));
  more.addEventListener("toggle", () => (numbers.hidden = !more.open));
  bar.append(more);

  const drawImage = () => {
    const next = URL.createObjectURL(new Blob([model.get("image")], { type: "image/png" }));
    const turn = ++images;
    const ahead = new Image();
    ahead.src = next;
    ahead.decode().catch(() => {}).then(() => {
      if (turn < newest) return URL.revokeObjectURL(next); // a later one was ready before
      newest = turn;
      picture.src = next;
      URL.revokeObjectURL(url);
      url = next;
    });
  };
  const drawControls = () => {
    const given = model.get("controls");
    for (const control of given) {
      if (!made[control.name]) {
        made[control.name] = (control.kind === "choice" ? choice : slider)(control, () => (stop(), ask()));
        controls.append(made[control.name].element);
      }
    }
  };
  const draw = () => {
    const shown = model.get("shown");
    const [width, height] = shown.size;
    picture.style.aspectRatio = `${width} / ${height}`;
    el.style.setProperty("--ratio", width / height);
    sentence.textContent = shown.sentence;
    named.replaceChildren(...shown.named.map(([name, value]) =>
      make("div", {}, make("dt", { textContent: name }), make("dd", { textContent: value }))));
    numbers.replaceChildren(...shown.numbers.map(([name, value]) =>
      make("tr", {}, make("th", { textContent: name }), make("td", { textContent: value }))));
    line.textContent = shown.line;
    picture.alt = [shown.sentence, ...shown.numbers.map((pair) => pair.join(": "))].join("; ");
    sceneButtons.forEach((one) => one.setAttribute("aria-pressed", String(one.textContent === shown.scene)));
    if (shown.answers === move || !move) {
      for (const control of model.get("controls")) made[control.name].place(control, shown.at[control.name]);
      if (playing) setTimeout(() => playing && step(), matchMedia("(prefers-reduced-motion: reduce)").matches ? 1500 : 700);
    }
  };
  const look = () => {
    const before = model.get("view"), dark = darkPage();
    // While JupyterLab changes its theme, and in a tab that is hidden, nothing has a width.
    const width = Math.round(picture.getBoundingClientRect().width * devicePixelRatio) || before.width;
    if (!alive || !width || (width === before.width && before.dark === dark)) return;
    model.set("view", { width, dark });
    model.save_changes();
  };

  drawControls();
  if (!model.picture) drawImage();
  draw();
  const listeners = { "change:image": drawImage, "change:controls": drawControls, "change:shown": draw };
  for (const [what, listener] of Object.entries(listeners)) model.on(what, listener);
  const answer = (message) => {
    if (message === "alive" && !alive) (alive = true), (note.hidden = true), look();
    if (message === "computing") slow = setTimeout(() => (busy.textContent = "Computing …"), 500);
    if (message.endsWith("%") && busy.textContent) far.textContent = ` ${message}`;
    if (message === "computed") clearTimeout(slow), (busy.textContent = far.textContent = "");
  };
  model.on("msg:custom", answer);
  model.send("alive?");
  const waiting = setTimeout(() => (note.hidden = alive), 3000);
  let later;
  const sizes = new ResizeObserver(() => (clearTimeout(later), (later = setTimeout(look, 150))));
  sizes.observe(picture);
  const themes = new MutationObserver(look);
  themes.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });

  const caption = make("div", { className: "caption" }, sentence, named, numbers, note);
  el.classList.add("workbook-panel");
  const waits = make("p", { className: "busy" }, busy, far);
  el.append(make("div", { className: "main" }, make("div", { className: "seen" }, waits, picture, caption),
    make("div", { className: "side" }, scenes, controls, bar)));
  return () => {
    stop();
    clearTimeout(waiting);
    sizes.disconnect();
    themes.disconnect();
    for (const [what, listener] of Object.entries(listeners)) model.off(what, listener);
    model.off("msg:custom", answer);
    URL.revokeObjectURL(url);
  };
}

// A saved notebook that is opened again: JupyterLab looks two seconds for the model of an output, and if
// the kernel starts more slowly it says for good “model not found”. So an output that has a model by now,
// and no view of it, is shown once more.
async function showLate(model) {
  const manager = model.widget_manager, kind = "application/vnd.jupyter.widget-view+json";
  await new Promise((later) => setTimeout(later, 2500));
  for (const { outputs } of manager.context?.model?.cells ?? []) {
    for (let place = 0; place < (outputs?.length ?? 0); place++) {
      const id = outputs.get(place).data[kind]?.model_id;
      const found = id && manager.has_model(id) && (await manager.get_model(id));
      const own = found && found.get("shown") === model.get("shown");
      if (own && !Object.keys(found.views ?? {}).length) outputs.set(place, outputs.get(place).toJSON());
    }
  }
}

// Not awaited: nothing is shown before `initialize` has ended.
const initialize = ({ model }) => void showLate(model);

export default { initialize, render };
