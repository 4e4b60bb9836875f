"""The figure of notebook 03 on the price of not knowing which queries are large."""

import numpy as np

from course_lib.demos.drawing import ADVANCED, BASIC, EXACT, THEOREM, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.lecture11_sparse import DELTAS, NO_USE, USELESS
from course_lib.exact.family import member
from course_lib.exact.lecture11_sparse import find_then_answer_alpha_exact, known_alpha
from course_lib.exact.worst_stream import needed_alpha
from course_lib.lecture11_sparse import lecture11_alpha

QUERIES = np.logspace(2, 12, 11)
ROWS = np.array([1e3, 1e8])  # on both axes logarithmic, two points make the line


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    n=(nice(1000, 10**8), 20_190),
    num_queries=(nice(100, 10**12), 1000),
    cutoff=(nice(1, 100), 5),
    beta=([0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5], 0.05),
    delta=(DELTAS, 0.0),
    size=(7.2, 4.4),
)
def price_of_not_knowing(fig):
    """The error against the rows n, and against that of an analyst who knows the c queries."""
    ax, ratio = fig.subplots(1, 2)
    ax.set(xscale="log", yscale="log", xlim=ROWS, ylim=(1e-8, 100))
    ax.set(xlabel="rows n", ylabel="error α needed")
    ax.set_xticks(10.0 ** np.arange(3, 9))
    ax.axhspan(1, 100, **NO_USE)
    ax.text(1.2e5, 10, "α > 1: no use", va="center", color="0.3")
    ratio.set(xscale="log", xlim=(70, 2e12), ylim=(0, 60))
    ratio.set(xlabel="number of queries k", ylabel="factor over “c known”")
    ratio.set_xticks(10.0 ** np.arange(2, 13, 2))
    curves = [
        [line(axes, label if axes is ax else None, style) for axes in (ax, ratio)]
        for label, style in (
            ("Sparse: Theorem 2 or 5", THEOREM),
            ("Sparse: exact", EXACT),
            ("all known: exponential, Laplace", ADVANCED),
            ("c known: Laplace", BASIC),
        )
    ]
    here, there = (axes.axvline(1, color="0.5", linewidth=1, animated=True) for axes in (ax, ratio))
    fig.legend(loc="outside upper center", ncols=2, frameon=False)

    def update(*, epsilon, n, num_queries, cutoff, beta, delta):
        at = {"cutoff": cutoff, "beta": beta, "epsilon": epsilon, "delta": delta}
        base = known_alpha(n=1, **at)
        row = member("lecture11_sparse", cutoff=cutoff, epsilon=epsilon, delta=delta)

        def alphas(num_queries):
            return (
                lecture11_alpha(num_queries=num_queries, n=1, **at),
                needed_alpha(row, num_queries=num_queries, beta=beta),
                find_then_answer_alpha_exact(num_queries=num_queries, n=1, **at),
                np.full_like(num_queries, base, dtype=float),
            )

        for (_, curve), alpha in zip(curves, alphas(QUERIES), strict=True):
            curve.set_data(QUERIES, alpha / base)
        highest = curves[0][1].get_ydata().max()
        top = next(limit for limit in (60, 200, 500, 3000) if highest < limit)
        if ratio.get_ylim()[1] != top:
            ratio.set_ylim(0, top)
        at_k = alphas(num_queries)
        for (curve, _), alpha in zip(curves, at_k, strict=True):
            curve.set_data(ROWS, alpha / ROWS)
        here.set_xdata([n] * 2)
        there.set_xdata([num_queries] * 2)
        asked, real, found, _ = at_k
        useless = USELESS if asked / n >= 1 else ""
        large = "large one is" if cutoff == 1 else f"{cutoff} large ones are"
        return (
            f"ε = {epsilon:g}, n = {compact(n)}, k = {compact(num_queries)}, δ = {compact(delta)}: "
            f"Theorem {5 if delta else 2} asks for α = {about(asked / n)}; {about(real / n)} is "
            f"enough. If all queries are known: {about(found / n)} (exponential mechanism, "
            f"Laplace); if the {large}: {about(base / n)} (Laplace). Sparse needs "
            f"{about(real / base)} times that, its theorem {about(asked / base)} times."
            f"{useless}"
        )

    return update
