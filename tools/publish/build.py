"""What book and slides stand on: notebooks that have run, states of demos, a cache by content."""

import hashlib
import json
import os
import platform
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from string import Template

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from tools.publish import cells, moving, vector
from tools.publish.states import MOST
from tools.refresh import joined

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
CELL_SECONDS = 300
DEMO_STATES, DEMO_BYTES, PAGE_BYTES, BOOK_BYTES = MOST, 800_000, 8_000_000, 40_000_000
MEASURED = ["states.py", "vector.py", "moving.py"]  # of these, what is stored depends


class Problem(Exception):
    """What the reader has to know, in a sentence."""


@dataclass
class Chapter:
    """A notebook that has run: its cells as HTML, and its demos, each with where it opens."""

    name: str
    pieces: list
    demos: dict = field(default_factory=dict)

    @property
    def title(self):
        return next((piece.heading for piece in self.pieces if piece.heading), self.name)


@dataclass
class Folders:
    """Where notebooks are read and what is made is written."""

    notebooks: Path = ROOT / "notebooks"
    build: Path = ROOT / "build"


def notebooks(folders, start=""):
    """The notebooks whose names start so, in order; 1 stands for 01."""
    there = sorted(folders.notebooks.glob("[0-9][0-9]_*.ipynb"))
    found = [path for path in there if path.name.startswith(start.zfill(2) if start else "")]
    if not found:
        names = ", ".join(path.stem for path in there) or "none"
        raise Problem(f"There is no notebook '{start}'; there are {names}.")
    return found


def chapters(folders, paths, *, pages):
    """The notebooks, run and with the states of their demos; two at a time."""
    workers = min(2, os.cpu_count() or 1)
    with ProcessPoolExecutor(workers) as pool:
        run = list(pool.map(partial(_run, folders.build), paths))
        found = [
            Chapter(path.stem, _pieces(path, nbformat.from_dict(done), pages))
            for path, done in zip(paths, run, strict=True)
        ]
        wanted = []
        for chapter in found:
            starts = {}
            for piece in chapter.pieces:
                for name, parameters in piece.demos:
                    starts.setdefault(name, []).append(parameters)
            wanted += [(chapter, name, starts[name]) for name in starts]
        names, places = [name for _, name, _ in wanted], [at for *_, at in wanted]
        results = pool.map(partial(_states, folders.build), names, places)
        for done, ((chapter, name, _), packed) in enumerate(zip(wanted, results, strict=True), 1):
            within(DEMO_BYTES, len(packed), f"The demo {name}")
            _few_states(name, packed)
            chapter.demos[name] = packed
            say(f"demo {done} of {len(wanted)}: {name}", passing=True)
    say("")
    return found


def _pieces(path, notebook, pages):
    try:
        return list(cells.pieces(notebook, pages=pages))
    except ValueError as error:
        raise Problem(f"{path.name}: {error}; nothing was written.") from None


def within(limit, size, what):
    """Refuse what would be too large for a phone."""
    if size > limit:
        most, got = (f"{number / 1e6:.1f} MB" for number in (limit, size))
        raise Problem(f"{what} takes {got}, more than {most}; nothing was written.")


def _few_states(name, packed):
    """Refuse a demo with too many states; say if it has fewer than it might."""
    data = moving.unpacked(packed)
    count, most = len(data["states"]), data["most"]
    if count > DEMO_STATES:
        raise Problem(
            f"The demo {name} has {count} states, more than {DEMO_STATES}; nothing was written."
        )
    if most < DEMO_STATES:
        told = f"Of the demo {name}, {count} states are stored, of at most {most}"
        say(f"{told}: with more it takes over {DEMO_BYTES / 1e6:.1f} MB.")


def say(text, *, passing=False):
    """A line; a passing one gives way to the next, and is left out where nobody watches."""
    if not passing and text:
        print(text, flush=True)
    elif sys.stdout.isatty():
        print(f"\r{text:<60}", end="\r", flush=True)


def _run(build, path):
    """The notebook with the outputs it has today, as plain data."""
    try:
        notebook = nbformat.read(path, as_version=4)
    except (OSError, ValueError, KeyError, AttributeError, nbformat.ValidationError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Problem(f"{path.name} cannot be read: {reason}") from None
    key = [library(), [[cell.cell_type, cell.source, cell.metadata] for cell in notebook.cells]]
    return remembered(build, ["run", path.stem, *key], lambda: ran(path, notebook))


def ran(path, notebook):
    """The notebook with the outputs it has today."""
    place = {"metadata": {"path": str(path.parent)}}
    quiet, begun = ["--IPKernelApp.log_level=ERROR"], []
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=CELL_SECONDS,
        resources=place,
        store_widget_state=False,
        extra_arguments=quiet,
        on_cell_execute=lambda cell, cell_index: begun.append(cell_index),
    )
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        told = f"it takes more than {CELL_SECONDS} s"
        if isinstance(error, CellExecutionError):
            told = f"{error.ename}: {error.evalue}".splitlines()[0]
        if isinstance(error, DeadKernelError):
            told = "its kernel died"
        line = notebook.cells[begun[-1]].source.strip().splitlines()[0]
        raise Problem(
            f"{path.name}: cell {begun[-1] + 1}, which begins with “{line}”, fails ({told}); "
            "nothing was written."
        ) from None
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)  # a kernel sends what is printed in pieces
    return notebook


def _states(build, name, starts):
    """The states of a demo, as a short text."""
    key = ["states", name, library(), starts]
    return remembered(build, key, lambda: moving.packed_states(name, starts, DEMO_BYTES))


def remembered(build, key, make):
    """What was made for this key before, or now; kept in the folder of the cache."""
    digest = hashlib.sha256(json.dumps(key, default=str).encode()).hexdigest()
    path = build / "cache" / f"{key[0]}-{key[1]}-{digest[:24]}.json"
    try:
        return json.loads(path.read_text(encoding="utf8"))
    except (OSError, ValueError):
        made = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(f".{os.getpid()}")
    try:
        aside.write_text(json.dumps(made), encoding="utf8")
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
    return made


@cache
def library():
    """One text for everything on which outputs and states depend."""
    files = [path for path in (ROOT / "course_lib").rglob("*") if path.suffix in (".py", ".npz")]
    files += [HERE / name for name in MEASURED] + [ROOT / "requirements" / "run.txt"]
    digest = hashlib.sha256(platform.python_version().encode())
    for path in sorted(files):
        digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def first_picture(states, start, own):
    """What a page shows of a demo before, or without, a script: picture, sentence, numbers."""
    state = states["shown"][states["starts"][start]]
    words = states["words"]
    sentence = cells.escape(words[state[0]])
    if len(state) == 1:
        return f"<figcaption><p>{sentence}</p></figcaption>"
    (size, names, first), texts, parts = words[state[1]], state[2], state[3]
    said = [f"{names[i]}: {words[texts[i]]}" for i in first]
    svg = vector.whole(
        states["parts"],
        parts,
        size,
        own=own,
        label=f"{sentence} {'; '.join(map(cells.escape, said))}",
    )
    told = "".join(f"<span>{cells.escape(text)}</span> " for text in said)
    return f'{svg}<figcaption><p>{sentence}</p><p class="told">{told}</p></figcaption>'


def with_demos(chapter):
    """The pieces' HTML with each demo in its place."""
    states = {name: moving.unpacked(packed) for name, packed in chapter.demos.items()}
    opened, found = {}, []
    for piece in chapter.pieces:
        html = piece.html
        for i, (name, _) in enumerate(piece.demos):
            start = opened[name] = opened.get(name, -1) + 1
            own = f"s{sum(opened.values()) + len(opened)}-"
            figure = first_picture(states[name], start, own)
            known = f"{chapter.name[:2]}-{name}"
            html = html.replace(
                cells.PLACE.format(i),
                f'<figure class="demo" data-demo="{known}" data-start="{start}">{figure}</figure>',
            )
        found.append(html)
    return found


def page(name, *, title, **parts):
    """A template of this folder, filled; all pages begin with the same head."""
    head, rest = ((HERE / file).read_text(encoding="utf8") for file in ("head.html", name))
    return Template(head + rest).substitute(title=cells.escape(title), **parts)


def script(*names):
    """The panel's script, and those named, as one that runs from a file."""
    panel = (ROOT / "course_lib" / "demos" / "panel.js").read_text(encoding="utf8")
    panel = f"const panel = (() => {{\n{panel.replace('export default', 'return')}}})();\n"
    return panel + "".join(
        (HERE / name).read_text(encoding="utf8") for name in ("stored.js", *names)
    )


def move_in(new, place):
    """Put what was built aside in the place of what was there."""
    old = new.with_name(f"{new.name}-before")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.replace(old)
    try:
        new.replace(place)
    except OSError:
        if old.exists():
            old.replace(place)
        raise
    shutil.rmtree(old, ignore_errors=True)
