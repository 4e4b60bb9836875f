"""The picture of the house, from its files and imports.  python tools/house.py [--check]

docs/house.svg shows every room with its files, what each is for (the first line of its docstring)
and which rooms import which. With --check nothing is written: it fails unless the picture is
current.
"""

import ast
import functools
import json
import sys
import textwrap
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "house.svg"

# from the roof to the foundation: what a room is for, and its colour
ROOMS = {
    "notebooks": ("what a student opens, in teaching order", "#555555"),
    "tools": ("what keeps the notebooks and this picture up to date", "#555555"),
    "demos": ("pictures with sliders: a demo draws and computes nothing", "#b35900"),
    "checks": ("exercises and solutions: a check judges and simulates nothing", "#8a3d70"),
    "lab": ("many runs: trials, audits, noise, data", "#00694d"),
    "exact": ("laws: what a mechanism really does, computed", "#005a8c"),
    "slides": ("a mechanism and its theorems, nothing else", "#9c1f1f"),
    "support": ("what the slides stand on", "#5c4a00"),
}
WIDTH, GUTTER, LANE, LINE, HEAD = 900, 104, 15, 18, 58
BADGE, NAME, PURPOSE = GUTTER + 16, GUTTER + 50, GUTTER + 184
GUIDE = (
    "A number is a notebook: follow 01 and find AboveThreshold’s picture, check, law and slide.",
    "Arrows lead from a room that imports, marked by a dot, to the room that is imported.",
)
STYLE = """
text { font: 14px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1b1b1b }
.file { font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace }
.purpose { font-size: 13px }
.room { font-size: 18px; font-weight: 600 }
.quiet { fill: #4d4d4d }
.number { font-size: 12px; text-anchor: middle; fill: #ffffff }
@media (max-width: 600px) { /* on a telephone: rooms, numbers and names */
.purpose { display: none }
.room { font-size: 26px }
.file, .quiet { font-size: 19px }
.number { font-size: 15px }
}
"""


def source(path):
    """The Python of a file; of a notebook, that of its cells."""
    text = path.read_text(encoding="utf8")
    if path.suffix == ".py":
        return text
    cells = json.loads(text)["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def used(path):
    """The full names of all that a file imports, and of what it takes from imported modules."""
    tree, local, names = ast.parse(source(path)), {}, set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
            local |= {a.asname or a.name.split(".")[0]: a.asname and a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            local |= {a.asname or a.name: f"{module}.{a.name}" for a in node.names}
            names |= {f"{module}.{alias.name}" for alias in node.names}
    for node in ast.walk(tree):
        parts = []
        while isinstance(node, ast.Attribute):
            parts, node = [node.attr, *parts], node.value
        if parts and isinstance(node, ast.Name) and node.id in local:
            names.add(".".join([local[node.id] or node.id, *parts]))
    return names


def files(room):
    """The files of a room, without the empty ones that make it a package."""
    if room in ("notebooks", "tools"):
        found = (ROOT / room).glob("*.ipynb" if room == "notebooks" else "*.py")
    elif room == "slides":
        found = (ROOT / "course_lib").glob("*.py")
    else:
        found = (ROOT / "course_lib" / room).rglob("*.py")
    return sorted(path for path in found if path.name != "__init__.py")


def room_of(name):
    """The room in which a full name of the package stands; None for other packages."""
    parts = name.split(".")
    if parts[0] in ("notebooks", "tools"):
        return parts[0]
    if parts[0] != "course_lib" or len(parts) == 1:
        return None
    return parts[1] if parts[1] in ROOMS else "slides"


def doors():
    """For each room the other rooms that its files import, in the order of ROOMS."""
    found = {room: {room_of(name) for path in files(room) for name in used(path)} for room in ROOMS}
    return {room: [to for to in ROOMS if to in found[room] - {room}] for room in ROOMS}


@functools.cache
def topics():
    """Each stem and the number of its notebook; for a slide without one, the first to import it."""
    numbers = {}
    for notebook in reversed(files("notebooks")):
        modules = {".".join(name.split(".")[:2]) for name in used(notebook)}
        for slide in files("slides"):
            if f"course_lib.{slide.stem}" in modules:
                numbers[slide.stem] = notebook.stem[:2]
    return numbers | {notebook.stem[3:]: notebook.stem[:2] for notebook in files("notebooks")}


def notebook_of(path):
    """The number of the notebook that a file belongs to, by its stem; None where it serves many."""
    if path.suffix == ".ipynb":
        return path.stem[:2]
    stems = [stem for stem in topics() if f"{path.stem}_".startswith(f"{stem}_")]
    return topics()[max(stems, key=len)] if stems else None


def purpose(path):
    """The first line of a file's docstring; of a notebook, its title."""
    if path.suffix == ".ipynb":
        title = "".join(json.loads(path.read_text(encoding="utf8"))["cells"][0]["source"])
        return title.splitlines()[0].removeprefix("# ").removeprefix(path.stem[:2] + " · ")
    text = ast.get_docstring(ast.parse(source(path)))
    if not text:
        raise ValueError(f"{path.relative_to(ROOT)} does not say what it is for: no docstring")
    return text.splitlines()[0].split("  ")[0].strip(".")


def shelf(room):
    """The rows of a room: the notebook's number, a file, its purpose, the files called after it.

    Those are alp_flip, alp_rounding and solutions/alp for the file alp.
    """
    rows = {}
    order = {path: (notebook_of(path) or "", len(path.parts), path.stem) for path in files(room)}
    for path in sorted(order, key=order.get):
        first = next((f for f in rows if path.stem == f or path.stem.startswith(f + "_")), None)
        if first is None:
            rows[path.stem] = path, []
        else:
            inside = path.parent.name + "/" if path.stem == first else ""
            rows[first][1].append(inside + path.stem.removeprefix(first))
    for name, (path, others) in rows.items():
        number = order[path][0]
        yield number, name.removeprefix(number + "_"), purpose(path), others


def words(x, y, text, kind):
    return f'<text x="{x}" y="{y}" class="{kind}">{escape(text)}</text>'


def drawn_room(room, top, imports):
    """The box of a room with all that stands in it, and where it ends."""
    what, colour = ROOMS[room]
    parts = [
        f'<text x="{BADGE}" y="{top + 26}">'
        f'<tspan class="room" style="fill: {colour}">{room}</tspan>'
        f'<tspan class="purpose" dx="10">{escape(what)}</tspan></text>'
    ]
    if imports:
        parts.append(words(BADGE, top + 47, "imports " + ", ".join(imports), "quiet"))
    y = top + (HEAD if imports else HEAD - LINE)
    for number, name, sentence, others in shelf(room):
        y += LINE
        if number:
            parts += [
                f'<rect x="{BADGE}" y="{y - 13}" width="24" height="17" rx="3" fill="{colour}"/>',
                words(BADGE + 12, y, number, "number"),
            ]
        parts.append(words(NAME, y, name, "file"))
        lines = textwrap.wrap(sentence, 86)
        parts += [words(PURPOSE, y + LINE * i, line, "purpose") for i, line in enumerate(lines)]
        y += LINE * (len(lines) - 1)
        for line in textwrap.wrap("and " + ", ".join(others), 50) if others else []:
            y += LINE
            parts.append(words(PURPOSE, y, line, "file"))
        y += 3
    box = f'x="{GUTTER}" y="{top}" width="{WIDTH - GUTTER - 10}" height="{y + 14 - top}" rx="6"'
    parts.insert(0, f'<rect {box} fill="#ffffff" stroke="{colour}" stroke-width="1.5"/>')
    return parts, y + 14


def drawn_imports(tops, imports):
    """A lane for each room that is imported: a dot for each that imports it, an arrow into it."""
    lanes = [room for room in reversed(ROOMS) if any(room in to for to in imports.values())]
    place = {room: 12 + LANE * lane for lane, room in enumerate(lanes)}
    for room, reached in imports.items():
        if reached:
            wire = f"M{GUTTER} {tops[room] + 20}H{min(place[to] for to in reached)}"
            yield f'<path d="{wire}" stroke="#999999" stroke-width="1.5"/>'
    for room, x in place.items():
        joins = [tops[other] + 20 for other, reached in imports.items() if room in reached]
        end, colour = tops[room] + 42, ROOMS[room][1]
        lane = f"M{x} {joins[0]}V{end}H{GUTTER - 8}"
        yield f'<path d="{lane}" fill="none" stroke="{colour}" stroke-width="2"/>'
        yield f'<path d="M{GUTTER - 9} {end - 5}l9 5l-9 5z" fill="{colour}"/>'
        yield from (f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"/>' for y in joins)


def picture():
    """The house as SVG."""
    imports, tops, rooms, y = doors(), {}, [], 80
    for room in ROOMS:
        tops[room] = y
        parts, end = drawn_room(room, y, imports[room])
        rooms += parts
        y = end + 14
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" '
        f'height="{y}" role="img" aria-labelledby="title">',
        '<title id="title">The rooms of the package, their files and their imports</title>',
        f"<style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{y}" fill="#f6f5f1"/>',
        words(10, 28, "The house", "room"),
        words(10, 50, GUIDE[0], "purpose"),
        words(10, 69, GUIDE[1], "purpose"),
        *rooms,
        *drawn_imports(tops, imports),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        current = PICTURE.is_file() and PICTURE.read_text(encoding="utf8") == picture()
        sys.exit(0 if current else "docs/house.svg is not current: run python tools/house.py")
    PICTURE.write_text(picture(), encoding="utf8", newline="\n")
