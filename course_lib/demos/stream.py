"""One run on a stream as a picture: a line for each query, with its value, noise and answer."""

import numpy as np

from course_lib.demos.drawing import EXACT, MEASURED, VALUES, bars, line, place_bars


def signed(value, places):
    """A number with so many decimal places, a true minus sign, and none before zero."""
    return f"{value:z,.{places}f}".replace("-", "−")


def outside(limits, **shown):
    """A sentence that counts what lies beyond the limits, by kind; nothing if all is inside."""
    told = []
    for kind, x in shown.items():
        number = int(np.count_nonzero((np.asarray(x) < limits[0]) | (np.asarray(x) > limits[1])))
        word = kind.replace("_", " ") + "s" * (number > 1)
        told += [f"{'one' if number == 1 else number} {word}"] * (number > 0)
    return f" Outside the picture: {listed(told)}." if told else ""


def listed(words):
    """Words as a sentence lists them: one, two and three."""
    return " and ".join([*[", ".join(words[:-1])] * (len(words) > 1), words[-1]])


class StreamPicture:
    """The artists of such a picture; `kind` names the values, answers stand left of `edge`.

    Font sizes: `sizes` for ⊤ (or a number) and for ⊥, `names` for the queries.
    """

    def __init__(self, ax, queries, *, kind, edge, sizes, names=10):
        self.rows, self.sizes = np.arange(len(queries)), sizes
        ax.set_ylim(len(queries) - 0.4, -0.6)
        ax.set_yticks(self.rows, [query.name for query in queries], fontsize=names)
        self.shifts = bars(ax, color="0.6", linewidth=1)
        self.values = line(ax, kind, VALUES | {"linestyle": "none"})
        self.noisy = line(ax, f"noisy {kind}", MEASURED)
        self.bar = ax.axvline(0, color="0.5", linewidth=1.5, label="T", animated=True)
        at = {"va": "center", "ha": "right", "animated": True}
        self.words = [ax.text(edge, row, "", **at) for row in self.rows]

    def place(self, values, noise, threshold, answers, above, *, queries=None):
        """Show the values asked for and their noise; `answers` are words, `above` which are ⊤.

        Of `queries` in all, those without an answer are marked as not asked.
        """
        asked = len(answers)
        rows, values = self.rows[:asked], values[:asked]
        self.values.set_data(values, rows)
        self.noisy.set_data(values + noise, rows)
        place_bars(self.shifts, self.values.get_data(), self.noisy.get_data())
        self.bar.set_xdata([threshold] * 2)
        for row, word in enumerate(self.words):
            told, bold = row < asked, row < asked and above[row]
            unasked = "not asked" if queries is None or row < queries else ""
            word.set_text(answers[row] if told else unasked)
            word.set(color=EXACT["color"] if bold else "black" if told else "0.5")
            word.set(weight="bold" if bold else "normal", size=self.sizes[not bold])
