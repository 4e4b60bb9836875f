"""How two processes share the tests.

`workbook.py test` starts pytest with two workers of pytest-xdist. What is tested of a file stays
together, and so do the cells of a notebook that nbval runs. One worker begins with FIRST, which
waits for pages and kernels, the other with LAST, which computes; the many short ones lie between,
so that both end at the same time, and there is never more than one browser.
"""

from xdist.scheduler import LoadFileScheduling

FIRST = [
    "test_browser.py",
    "test_browser_panels.py",
    "test_browser_book.py",
    "test_hub.py",
    "test_setup.py",
]
LAST = []  # the longest at the end


def place(test):
    """Where a test stands in the queue, which one worker takes from the front, one from behind."""
    name = test.path.name
    if name in FIRST:
        return FIRST.index(name) - len(FIRST)
    return LAST.index(name) + 1 if name in LAST else 0


class FromBothEnds(LoadFileScheduling):
    """The first worker takes the first file that is left, the others the last."""

    def __init__(self, config, log=None):
        config.option.loadscopereorder = False  # as collected
        super().__init__(config, log)

    def _assign_work_unit(self, node):
        if node is not self.nodes[0]:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)
