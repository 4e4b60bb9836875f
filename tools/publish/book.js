// A page of the book: its demos come alive when they come near, and the search box searches.
const load = (source) => new Promise((done, failed) =>
  document.head.append(Object.assign(document.createElement("script"), { src: source, onload: done, onerror: failed })));

const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    const name = target.dataset.demo;
    const there = workbook.packed[name] ? Promise.resolve() : load(`demos/${name}.js`);
    there.then(() => workbook.mount(target));
  }
}, { rootMargin: "600px" });
document.querySelectorAll("figure.demo").forEach((figure) => near.observe(figure));

// A link to what is folded unfolds it.
const unfold = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let one = target; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
};
addEventListener("hashchange", unfold);
unfold();
const contents = document.querySelector("nav details");
const wide = matchMedia("(min-width: 1100px)");
const unroll = () => (contents.open = wide.matches);
wide.addEventListener("change", unroll);
unroll();

const box = document.querySelector("input[type=search]"), results = document.querySelector(".results");
const plain = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
let index;
workbook.index = (sections) => (index = sections.map(([page, anchor, title, text]) =>
  ({ page, anchor, title, text, name: plain(title), body: plain(text) })));
const search = () => {
  const words = plain(box.value).split(/\s+/).filter(Boolean);
  results.hidden = !words.length;
  if (!words.length || !index) return;
  const worth = ({ name, body }) => words.reduce((sum, word) => {
    const times = body.split(word).length - 1;
    return sum * ((name.includes(word) ? 20 : 0) + Math.min(times, 5));
  }, 1);
  const found = index.map((section) => [worth(section), section]).filter(([value]) => value > 0);
  found.sort(([one], [other]) => other - one);
  const items = found.slice(0, 20).map(([, { page, anchor, title, text, body }]) => {
    const start = Math.max(0, body.indexOf(words[0]) - 60);
    const link = Object.assign(document.createElement("a"), { href: `${page}.html#${encodeURIComponent(anchor)}` });
    const name = Object.assign(document.createElement("strong"), { textContent: `${page.slice(0, 2)} · ${title}` });
    const part = `${start ? "… " : ""}${text.slice(start, start + 160)} …`;
    link.append(name, Object.assign(document.createElement("span"), { textContent: part }));
    link.addEventListener("click", () => (results.hidden = true));
    return link;
  });
  const count = Object.assign(document.createElement("p"), { textContent: found.length ? `${found.length} found` : "Nothing found" });
  results.replaceChildren(count, ...items);
};
box.addEventListener("focus", () => index || load("search.js").then(search), { once: true });
box.addEventListener("input", search);
box.form.addEventListener("submit", (event) => (event.preventDefault(), results.querySelector("a")?.click()));
document.addEventListener("keydown", (event) => event.key === "Escape" && (results.hidden = true));
