"""How much memory the tests take: their own process, and all that they start. Linux alone."""

import ctypes
import functools
import gc
import sys
import threading
from pathlib import Path

LINUX = sys.platform == "linux"
# In megabytes: of each process that runs tests, and of all that there are. Of all 2,500 is the aim;
# the rest is room for chance, because two processes share the tests, with a browser beside them.
LIMITS = {"pytest": 800, "pytest and all that it starts": 3_000}


def free():
    """Forget what is cached, and give it back: glibc keeps it otherwise, in pieces too small."""
    for thing in gc.get_objects():
        if isinstance(thing, functools._lru_cache_wrapper):
            if thing.__module__.startswith(("course_lib", "tests")):
                thing.cache_clear()
    gc.collect()
    if LINUX:
        ctypes.CDLL(None).malloc_trim(0)


class Watch(threading.Thread):
    """Looks every second; `most` holds what one process took that runs tests, and what all took.

    Where the tests are shared, those who run them are the children of this process.
    """

    def __init__(self, *, shared=False):
        super().__init__(daemon=True)
        self.shared, self.most, self._stop_now = shared, [0.0, 0.0], threading.Event()

    def run(self):
        this = Path("/proc/self").resolve().name if LINUX else ""
        while LINUX and not self._stop_now.wait(1):
            taken = {number: megabytes(number) for number in descendants(this)}
            own = [this, *children(this)] if self.shared else [this]
            self.most[0] = max(self.most[0], *(taken.get(number, 0.0) for number in own), 0.0)
            self.most[1] = max(self.most[1], sum(taken.values()))

    def stop(self):
        self._stop_now.set()
        self.join()
        return dict(zip(LIMITS, self.most, strict=True))


def too_much(most):
    """The limits that were exceeded."""
    return [name for name, taken in most.items() if taken > LIMITS[name]]


def children(number):
    """The processes that a process has started and that have not ended."""
    try:
        tasks = list(Path(f"/proc/{number}/task").iterdir())
        return [child for task in tasks for child in (task / "children").read_text().split()]
    except OSError:  # it has ended meanwhile
        return []


def descendants(number):
    """The process and its children, their children, and so on."""
    return [number, *(found for child in children(number) for found in descendants(child))]


def megabytes(number):
    """The memory of a process, what it shares with others divided among them."""
    try:
        text = Path(f"/proc/{number}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1e3
