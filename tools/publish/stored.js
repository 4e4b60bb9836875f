// A panel without a kernel: its model goes from one stored state to another.
const workbook = { packed: {}, models: {} };
workbook.keep = (name, text) => (workbook.packed[name] = text);

workbook.unpacked = async (name) => {
  const bytes = Uint8Array.from(atob(workbook.packed[name]), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
};

workbook.stored = (data, start, own) => {
  const { parameters, states, shown, words, parts, scenes } = data;
  const listeners = {}, drawn = [];
  let here = states[start], answers = 0, wanted = {};
  const place = (name) => parameters.findIndex((one) => one.name === name);
  const sliders = parameters.map((_, i) => i).filter((i) => parameters[i].kind !== "noise");

  // Where a slider's range follows others, its stops are those that are stored while these stay.
  const follows = parameters.map((one) => one.follows.map(place).filter((i) => i >= 0));
  const stops = (i) => {
    const { kind, values } = parameters[i];
    if (kind === "choice") return values.map((_, value) => value);
    const near = states.filter((state) => follows[i].every((other) => state[other] === here[other]));
    return [...new Set(near.map((state) => state[i]))].sort((one, other) => one - other);
  };

  // Of the states in which this parameter has this value, the one most like the present one.
  const nearest = (i, value) => {
    const unlike = (state) => state.reduce((sum, at, j) =>
      sum + (at === here[j] ? 0 : 1000 + Math.abs(at - here[j])), 0);
    const found = states.filter((state) => state[i] === value);
    return found.reduce((best, state) => (unlike(state) < unlike(best) ? state : best), found[0]);
  };

  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "drawn");
  svg.setAttribute("aria-hidden", "true");
  const picture = Object.assign(document.createElement("div"), { className: "picture" });
  picture.setAttribute("role", "img");
  picture.append(svg);
  Object.defineProperty(picture, "alt", { set: (words) => picture.setAttribute("aria-label", words) });

  const draw = () => {
    const [, about, , numbers = []] = shown[states.indexOf(here)];
    const [width, height] = about === undefined ? [7.2, 4] : words[about][0];
    svg.setAttribute("viewBox", `0 0 ${72 * width} ${72 * height}`);
    while (svg.childNodes.length > numbers.length) svg.lastChild.remove(), drawn.pop();
    numbers.forEach((number, i) => {
      if (drawn[i] === number) return;
      if (!svg.childNodes[i]) svg.append(document.createElementNS(svg.namespaceURI, "g"));
      svg.childNodes[i].innerHTML = parts[number].replaceAll("¦", own);
      drawn[i] = number;
    });
  };
  const line = () => {
    const moved = parameters.map((one, i) => [one.name, one.codes[here[i]], one.usual]);
    const said = moved.filter(([, code, usual]) => code !== usual).map(([name, code]) => `${name}=${code}`);
    return `explore(${[data.name, ...said].join(", ")})`;
  };
  const controls = () => sliders.map((i) => {
    const { name, label, kind, values } = parameters[i], at = stops(i);
    return { name, label, kind, stops: at.map((value) => values[value]), at: at.indexOf(here[i]) };
  });
  const told = () => {
    const [sentence, about, texts = []] = shown[states.indexOf(here)];
    const [size, names, first] = about === undefined ? [[7.2, 4], [], []] : words[about];
    const numbers = names.map((name, i) => [name, words[texts[i]]]);
    const scene = Object.keys(scenes).find((name) => states[scenes[name]] === here) ?? "";
    return {
      sentence: words[sentence], numbers, named: first.map((i) => numbers[i]), line: line(), scene, size, answers,
      at: Object.fromEntries(controls().map((control) => [control.name, control.at])),
    };
  };

  const tell = (what, ...rest) => (listeners[what] ?? []).forEach((listener) => listener(...rest));
  const go = (state) => {
    here = state;
    draw();
    tell("change:controls");
    tell("change:shown");
  };
  const follow = ({ move, at }) => {
    answers = move;
    const moved = controls().find((control) => control.at !== at[control.name]);
    if (!moved) return go(here);
    const i = place(moved.name);
    go(nearest(i, stops(i)[at[moved.name]]));
  };
  const renew = () => {
    const i = parameters.findIndex((one) => one.kind === "noise");
    go(nearest(i, (here[i] + 1) % parameters[i].values.length));
  };

  draw();
  return {
    picture,
    get: (what) => ({
      title: data.title, controls: controls(), wanted, view: {}, shown: told(),
      buttons: { scenes: Object.keys(scenes), again: data.again, time: data.time },
    })[what],
    set: (what, value) => what === "wanted" && (wanted = value),
    save_changes: () => wanted.move > answers && follow(wanted),
    on: (what, listener) => (listeners[what] ??= []).push(listener),
    off: (what, listener) => (listeners[what] = (listeners[what] ?? []).filter((one) => one !== listener)),
    send: (message) => {
      if (message === "alive?") setTimeout(() => tell("msg:custom", "alive"));
      else if (message === "again") renew();
      else if (message === "reset") go(states[start]);
      else if (message in scenes) go(states[scenes[message]]);
    },
  };
};

// What the reader may expect of the sliders.
workbook.promise = ({ together, parameters }) => {
  const sliders = parameters.filter((one) => one.kind !== "noise").length;
  if (sliders === 1) return "";
  if (together.length === sliders) return "On this page the sliders have fewer stops than in the notebook.";
  const last = together.at(-1), first = together.slice(0, -1).join(", ");
  return `On this page ${first} and ${last} move together; any other moves alone, from a scene. In the notebook all move freely.`;
};

workbook.mount = async (figure) => {
  const name = figure.dataset.demo;
  workbook.models[name] ??= workbook.unpacked(name);
  const data = await workbook.models[name];
  const own = `d${document.querySelectorAll(".mounted").length}-`;
  const model = workbook.stored(data, data.starts[Number(figure.dataset.start)], own);
  const element = document.createElement("div");
  figure.replaceChildren(element);
  figure.classList.add("mounted");
  figure.model = model;
  panel.render({ model, el: element });
  const note = Object.assign(document.createElement("p"), { className: "together", textContent: workbook.promise(data) });
  element.querySelector(".side").append(note);
};
