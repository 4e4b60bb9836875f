// A deck: slides that fit, steps through what unfolds and through a demo's scenes, keys, notes.
const ROOM = 1280, stage = document.querySelector("main");
const shell = (slide, ...nodes) => {
  const copy = slide.cloneNode(false), inside = document.createElement("div");
  inside.className = "inside";
  inside.append(...nodes);
  copy.append(inside);
  for (const notes of slide.querySelectorAll(":scope > .notes")) copy.append(notes.cloneNode(true));
  return copy;
};
const insideOf = (slide) => slide.querySelector(":scope > .inside");

// Whether all is seen: as it is, and with each fold open alone.
const fits = (slide) => {
  const inside = insideOf(slide), folds = [...inside.querySelectorAll("details")];
  const whole = () => inside.scrollHeight <= inside.clientHeight + 1 && inside.scrollWidth <= inside.clientWidth + 1;
  return whole() && folds.every((fold) => {
    fold.open = true;
    const good = whole();
    fold.open = false;
    return good;
  });
};

// Move what does not fit from the end of a block into a copy of it; nothing if it has one part, as a
// paragraph and a formula have.
const rest = (slide, block) => {
  const words = [...block.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  if (block.tagName !== "PRE" && (words || block.tagName === "P" || block.closest("math"))) return null;
  const copy = block.cloneNode(false), tail = [];
  if (block.tagName === "PRE") {
    const lines = block.innerHTML.split("\n");
    while (lines.length > 1 && !fits(slide)) {
      tail.unshift(lines.pop());
      block.innerHTML = lines.join("\n");
    }
    copy.innerHTML = tail.join("\n");
    return tail.length ? copy : null;
  }
  const kept = (node) => ["THEAD", "SUMMARY"].includes(node.tagName);
  const parts = () => [...block.children].filter((node) => !kept(node));
  while (parts().length > 1 && !fits(slide)) {
    tail.unshift(parts().at(-1));
    tail[0].remove();
  }
  if (!fits(slide) && parts().length) {
    const more = rest(slide, parts()[0]);
    if (more) tail.unshift(more);
  }
  if (!tail.length) return null;
  copy.append(...[...block.children].filter(kept).map((node) => node.cloneNode(true)), ...tail);
  if (block.tagName === "OL") copy.start = block.start + parts().length;
  return copy;
};

const isHeading = (node) => /^H[1-6]$/.test(node?.tagName ?? "");
const paginate = (slide) => {
  const waiting = [...insideOf(slide).children];
  insideOf(slide).replaceChildren();
  while (waiting.length) {
    const inside = insideOf(slide), block = waiting.shift();
    inside.append(block);
    if (fits(slide)) continue;
    const before = [...inside.children].slice(0, -1);
    if (before.every(isHeading)) {
      const more = rest(slide, block);
      if (!more) continue; // one thing, larger than a slide
      waiting.unshift(more);
    } else {
      block.remove();
      waiting.unshift(block);
      while (isHeading(inside.lastElementChild)) waiting.unshift(inside.lastElementChild), inside.lastElementChild.remove();
    }
    const next = shell(slide);
    next.classList.remove("first");
    slide.after(next);
    slide = next;
  }
};

// What happens on a slide, one after another: a fragment appears, a fold opens alone, a scene is gone to.
const stepsOf = (slide) => {
  const steps = [];
  for (const node of slide.querySelectorAll(".fragment, details:not(.fold, .more), figure.demo")) {
    if (node.matches("figure")) steps.push(...Object.keys(node.scenes).map((scene) => ({ figure: node, scene })));
    else if (node.matches("details")) steps.push({ fold: node });
    else steps.push({ fragment: node });
  }
  return steps;
};
let slides = [], steps = [], here = 0, step = 0, talk;
const show = (slide, at = 0) => {
  here = Math.min(Math.max(slide, 0), slides.length - 1);
  step = Math.min(Math.max(at, 0), steps[here].length);
  slides.forEach((one, i) => one.classList.toggle("now", i === here));
  play(slides[here], step);
  speak();
  history.replaceState(null, "", `#${here + 1}${step ? `.${step}` : ""}`); // last: WebKit refuses it to a key held down
};
const play = (slide, at) => {
  const all = steps[slides.indexOf(slide)];
  all.forEach(({ fragment, fold }, i) => {
    fragment?.classList.toggle("later", i >= at);
    if (fold) fold.open = i === at - 1;
  });
  const figure = slide.querySelector("figure.demo");
  if (figure?.model) figure.model.send(all[at - 1]?.scene ?? "reset");
};
const next = () => (step < steps[here].length ? show(here, step + 1) : here < slides.length - 1 && show(here + 1));
const back = () => (step ? show(here, step - 1) : here && show(here - 1, steps[here - 1].length));

const speak = () => {
  if (!talk || talk.closed) return;
  const notes = slides[here].querySelector(".notes")?.innerHTML ?? "";
  const after = slides[here + 1]?.querySelector("h1, h2, h3, .over")?.textContent ?? "the end";
  talk.document.body.innerHTML = `<p>${here + 1} of ${slides.length}, step ${step} of ${steps[here].length}</p>${notes}<p><em>next: </em></p>`;
  talk.document.querySelector("em").append(after);
};
const openNotes = () => {
  talk = open("", "notes", "width=620,height=520");
  if (!talk) return;
  talk.document.title = "Notes";
  talk.document.body.style.cssText = "font: 20px/1.4 system-ui, sans-serif; margin: 24px;";
  talk.addEventListener("keydown", keys);
  speak();
};
const fit = () => (stage.style.transform = `scale(${Math.min(innerWidth / 1280, innerHeight / 720)})`);
const overview = () => {
  document.body.classList.toggle("overview");
  slides[here].scrollIntoView({ block: "center" });
};
const keys = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const inside = event.target.closest?.("input, button, summary, a");
  const moves = { PageDown: next, PageUp: back };
  if (!inside?.matches("input")) Object.assign(moves, { ArrowRight: next, ArrowLeft: back, ArrowDown: next, ArrowUp: back, Home: () => show(0), End: () => show(slides.length - 1) });
  if (!inside) Object.assign(moves, { " ": event.shiftKey ? back : next, Enter: () => document.body.classList.remove("overview") });
  const letters = { o: overview, s: openNotes, f: () => document.documentElement.requestFullscreen?.(), "?": () => (help.hidden = !help.hidden) };
  const act = moves[event.key] ?? letters[event.key.toLowerCase()] ?? (event.key === "Escape" && (() => (inside?.blur(), document.body.classList.remove("overview"))));
  if (act) event.preventDefault(), act();
};
const help = document.querySelector(".help");

// On paper a slide is there once for each fold and scene.
const onPaper = () => {
  document.querySelectorAll(".printed").forEach((copy) => copy.remove());
  slides.forEach((slide, i) => {
    const last = steps[i].length, stops = steps[i].map(({ fragment }, at) => (fragment ? null : at + 1)).filter(Boolean);
    for (const at of [...new Set([steps[i][0]?.fragment ? last : 0, ...stops])]) {
      play(slide, at);
      const copy = slide.cloneNode(true), own = `p${stage.children.length}-`;
      // a page looks for a name in what stands first, which is not printed, and of radio buttons of a
      // name only one is pressed
      for (const button of copy.querySelectorAll("[type=radio]")) button.name = own + button.name;
      for (const drawn of copy.querySelectorAll(".drawn")) {
        drawn.innerHTML = drawn.innerHTML.replace(/(id="|href="#|url\(#)/g, `$1${own}`);
      }
      copy.classList.add("printed");
      copy.classList.remove("now");
      stage.append(copy);
    }
  });
  show(here, step);
};

const start = async () => {
  await document.fonts.ready;
  for (const figure of document.querySelectorAll("figure.demo")) {
    await workbook.mount(figure);
    figure.scenes = figure.model.get("buttons").scenes.reduce((all, name) => ({ ...all, [name]: true }), {});
  }
  for (const slide of document.querySelectorAll(".slide:not(.live)")) paginate(slide);
  slides = [...document.querySelectorAll(".slide")];
  steps = slides.map(stepsOf);
  let section = "";
  slides.forEach((slide, i) => {
    section = slide.querySelector("h1, h2")?.textContent ?? section;
    const over = Object.assign(document.createElement("div"), { className: "over" });
    const name = slide.querySelector("h1, h2") ? "" : section;
    for (const text of [name, `${i + 1}`]) over.append(Object.assign(document.createElement("span"), { textContent: text }));
    slide.prepend(over);
    slide.addEventListener("click", () => document.body.classList.contains("overview") && (overview(), show(i)));
  });
  for (const link of document.querySelectorAll('.slide a[href^="#"]')) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (target) show(slides.indexOf(target.closest(".slide")));
    });
  }
  addEventListener("resize", fit);
  addEventListener("keydown", keys);
  addEventListener("beforeprint", onPaper);
  addEventListener("afterprint", () => document.querySelectorAll(".printed").forEach((copy) => copy.remove()));
  let from;
  addEventListener("touchstart", (event) => (from = event.touches[0].clientX), { passive: true });
  addEventListener("touchend", (event) => {
    const far = event.changedTouches[0].clientX - from;
    if (Math.abs(far) > 60 && !event.target.closest("input")) far < 0 ? next() : back();
  });
  fit();
  const [slide, at] = location.hash.slice(1).split(".").map(Number);
  show((slide || 1) - 1, at || 0);
  document.body.dataset.ready = "yes";
};
start();
