"""How much memory the tests take: their own process, and all that they start. Linux alone."""

import ctypes
import functools
import gc
import sys
import threading
from pathlib import Path

LINUX = sys.platform == "linux"
LIMITS = {"pytest": 800, "pytest and all that it starts": 2_500}  # megabytes


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
    """Looks every second; `most` holds what this process has taken, and what it has with all."""

    def __init__(self):
        super().__init__(daemon=True)
        self.most, self._stop_now = [0.0, 0.0], threading.Event()

    def run(self):
        while LINUX and not self._stop_now.wait(1):
            own, *others = map(megabytes, descendants(Path("/proc/self").resolve().name))
            self.most = [max(self.most[0], own), max(self.most[1], own + sum(others))]

    def stop(self):
        self._stop_now.set()
        self.join()
        return dict(zip(LIMITS, self.most, strict=True))


def descendants(number):
    """The process and its children, their children, and so on."""
    found = [number]
    try:
        for task in Path(f"/proc/{number}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += descendants(child)
    except OSError:  # it has ended meanwhile
        pass
    return found


def megabytes(number):
    """The memory of a process, what it shares with others divided among them."""
    try:
        text = Path(f"/proc/{number}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1e3
