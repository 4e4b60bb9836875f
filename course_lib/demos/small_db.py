"""The figures of notebook 05 on what SmallDB chooses; those on samples and price are elsewhere."""

import numpy as np

from course_lib.demos.drawing import EXACT, MEASURED, THEOREM, VALUES, bars, line, place_bars
from course_lib.demos.explore import about, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.numeric_sparse_survey import RELEASED
from course_lib.demos.small_db_sample import NARROW
from course_lib.lab.histograms import scaled_survey, survey_marginals
from course_lib.lab.small_db import survey_draw, workload_levels
from course_lib.linear_queries import fractions
from course_lib.small_db import small_db_error, small_db_size

BETA = 0.05
ALPHAS = [0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]  # R stays small enough
ROWS = nice(20, 20_190)
EDGES = np.linspace(0, 1, 41)  # of the bins of errors
REAL = VALUES | {"linestyle": "none", "markersize": 10}
BEST = {"color": "black", "linestyle": ":"}
WORST = {"color": "none", "marker": "o", "markersize": 18, "markeredgecolor": "black"}


def lemma_error(epsilon, n, alpha, attributes):
    return small_db_error(
        n=n,
        universe_size=2**attributes,
        num_queries=2**attributes - 1,
        alpha=alpha,
        beta=BETA,
        epsilon=epsilon,
    )


def promise(bound):
    return about(bound) if bound < 1 else f"{about(bound)}, which says nothing of a fraction"


def in_bins(errors, weights):
    """The weight in each bin of errors; a bin has its left edge."""
    places = np.floor(np.asarray(errors) * (len(EDGES) - 1) + 1e-9).astype(int)
    return np.bincount(np.minimum(places, len(EDGES) - 2), weights, minlength=len(EDGES) - 1)


@demo(
    epsilon=(nice(0.05, 10.0), 1.0),
    n=(ROWS, 100),
    alpha=(ALPHAS, 0.5),
    attributes=([2, 3], 3),
    seed=1,
    again="New draw",
    size=(7.2, 4.2),
)
def law_over_small_databases(fig):
    """The errors of all small databases, and the chance that SmallDB gives to each."""
    ax = fig.subplots()
    ax.set(yscale="log", xlim=(-0.01, 1.01), ylim=(1e-7, 3))
    ax.set(xlabel="largest error on a marginal", ylabel="probability of the bin")
    zeros = np.zeros(len(EDGES) - 1)
    uniform = ax.stairs(
        zeros, EDGES, baseline=1e-9, fill=True, color="0.8", label="uniform on R", animated=True
    )
    chances = ax.stairs(
        zeros, EDGES, baseline=1e-9, linewidth=2.5, edgecolor=EXACT["color"], animated=True
    )
    chances.set_label("SmallDB")
    best = ax.axvline(0, label="best", **BEST, animated=True)
    promised = ax.axvline(0, label="accuracy lemma", **THEOREM, animated=True)
    here = ax.axvline(0, color="0.5", linewidth=1, animated=True)
    name = ax.text(0, 1.1, "α ", color="0.3", ha="right", animated=True)
    dot = line(ax, "this draw", MEASURED | {"markersize": 9})
    fig.legend(loc="outside upper center", ncols=5, frameon=False, **NARROW)

    def update(*, epsilon, n, alpha, attributes, seed):
        levels = workload_levels(f"{2**attributes - 1} marginals", n=n, alpha=alpha)
        number, errors = levels.counts.sum(), levels.errors
        shown = in_bins(errors, levels.law(n=n, epsilon=epsilon))
        uniform.set_data(np.maximum(in_bins(errors, levels.counts / number), 1e-12))
        chances.set_data(np.maximum(shown, 1e-12))
        _, errors_drawn = survey_draw(attributes, n=n, alpha=alpha, epsilon=epsilon, seed=seed)
        drawn = errors_drawn.max()
        dot.set_data([drawn], [in_bins([drawn], [1.0]) @ shown])
        best.set_xdata([errors[0]] * 2)
        bound = lemma_error(epsilon, n, alpha, attributes)
        promised.set_xdata([bound] * 2)
        here.set_xdata([alpha] * 2)
        name.set_x(alpha)
        enough = levels.error(n=n, beta=BETA, epsilon=epsilon)
        few = number // 100
        told = f"the best {few:,} (1%) have" if few > 1 else "the best one has"
        chance = levels.best_probability(n=n, num_candidates=max(few, 1), epsilon=epsilon)
        size = small_db_size(num_queries=2**attributes - 1, alpha=alpha)
        return (
            f"R has {number:,} databases of m = {size} rows: {told} probability "
            f"{about(chance) if chance < 0.9995 else 'above 0.999'}. The best is off by "
            f"{about(errors[0])}, this draw by {about(drawn)}. For β = {BETA} the accuracy lemma "
            f"promises {promise(bound)}; exactly it is {about(enough)}."
        )

    return update


@demo(
    epsilon=(nice(0.05, 10.0), 1.0),
    n=(ROWS, 100),
    alpha=(ALPHAS, 0.8),
    attributes=([2, 3], 3),
    seed=1,
    again="New draw",
    size=(7.2, 4.35),
)
def small_beside_real(fig):
    """The elements and the marginals of the real database and of the small one it releases."""
    elements, answers = fig.subplots(1, 2, width_ratios=(2, 3))
    elements.set(xlim=(-0.04, 1.04), xlabel="share of the rows", xticks=[0, 0.5, 1])
    answers.set(xlim=(-0.04, 1.04), xlabel="answer", xticks=[0, 0.5, 1])
    elements.set_title("elements")
    answers.set_title("marginals")
    promised = bars(answers, color=THEOREM["color"], linewidth=9, alpha=0.3)
    promised.set_label(f"accuracy lemma, β = {BETA}")
    gaps = bars(elements, color="0.6"), bars(answers, color="0.6")
    real = line(elements, None, REAL), line(answers, "real", REAL)
    small = line(elements, None, RELEASED), line(answers, "small", RELEASED)
    largest = line(answers, "largest error", WORST)
    fig.legend(loc="outside upper center", ncols=4, frameon=False)

    def update(*, epsilon, n, alpha, attributes, seed):
        universe, _, queries = survey_marginals(attributes)
        histogram = scaled_survey(attributes, n=n)
        released, errors = survey_draw(attributes, n=n, alpha=alpha, epsilon=epsilon, seed=seed)
        if len(elements.get_yticks()) != len(universe):
            label_rows(elements, universe.elements)
            label_rows(answers, [two_lines(query) for query in queries.names])
            elements.set_ylabel("bits: " + ", ".join(universe.names))
        shares = histogram / n, released / released.sum()
        values = fractions(histogram, queries), fractions(released, queries)
        for i, (true, given) in enumerate((shares, values)):
            rows = np.arange(len(true))
            real[i].set_data(true, rows)
            small[i].set_data(given, rows)
            place_bars(gaps[i], (true, rows), (given, rows))
        bound = lemma_error(epsilon, n, alpha, attributes)
        low, high = np.maximum(values[0] - bound, 0), np.minimum(values[0] + bound, 1)
        place_bars(promised, (low, rows), (high, rows))
        worst = np.argmax(errors)
        largest.set_data(values[1][[worst]], [worst])
        both, one = queries.names[attributes], queries.names[0]
        return (
            f"{released.sum()} rows answer all {len(queries)} marginals. The largest error is "
            f"{about(errors[worst])}, on “{queries.names[worst]}”; for β = {BETA} the accuracy "
            f"lemma promises {promise(bound)}. All answers come from one database: “{both}” "
            f"({about(values[1][attributes])}) is never above “{one}” ({about(values[1][0])})."
        )

    return update


def label_rows(ax, names):
    ax.set_yticks(range(len(names)), names, fontsize=11)
    ax.set_ylim(len(names) - 0.4, -0.6)


def two_lines(name):
    """A marginal of three attributes, broken after the second."""
    return name if name.count(" and ") < 2 else "\nand ".join(name.rsplit(" and ", 1))
