"""Which states of a demo are stored: where its sliders may stand in the book and in a deck.

Every place (where a notebook opens the demo, and its scenes), every slider alone from each place,
and the sliders of the demo's group in all combinations.
"""

import functools
import importlib
import inspect
import pkgutil
from itertools import product

import numpy as np

import course_lib.demos
from course_lib.demos.picture import nearest

STOPS = 8  # of a slider; one that plays has
FRAMES = 24
MOST = 800  # states of a demo
NOISES = 4  # "New noise", from each place
# The sliders that carry a demo's point and move together; of others the first two that are no
# guess. A demo that is not there any more is passed over.
GROUPS = {
    "alpha_against_queries": ("epsilon", "num_queries"),
    "alpha_against_rows": ("n", "universe_size"),
    "answers_and_updates": ("num_queries", "n"),
    "attack": ("num_below", "cut"),
    "chasing": ("updates", "analyst"),
    "choice_of_alpha": ("epsilon", "ratio"),
    "collisions_against_size": ("ratio", "sparsity"),
    "coupling": ("moved", "num_queries"),
    "dropped_factor": ("num_below", "answer"),
    "error_against_rows": ("n", "alpha"),
    "error_per_entry": ("alpha", "ratio"),
    "exact_comparison": ("queries", "alpha"),
    "failure_against_alpha": ("alpha", "num_queries"),
    "failure_on_the_survey": ("threshold", "alpha"),
    "how_sure": ("epsilon", "released"),
    "lecture11_failure_against_alpha": ("alpha", "cutoff"),
    "loss_against_below": ("num_below", "cutoff"),
    "one_lecture11_run": ("epsilon", "num_queries"),
    "one_run": ("epsilon", "num_queries"),
    "one_sparse_run": ("epsilon", "num_queries"),
    "price_of_not_knowing": ("num_queries", "cutoff"),
    "price_of_repair": ("num_queries", "cutoff"),
    "sampled_audit": ("trials", "query_noise"),
    "scale_against_cutoff": ("cutoff", "delta"),
    "sparse_failure_against_alpha": ("alpha", "cutoff"),
    "sparse_on_the_survey": ("threshold", "alpha"),
    "sparse_or_plain": ("num_queries", "n"),
    "structure_filling": ("asked", "support"),
    "table_of_variants": ("cutoff", "num_below", "monotone"),
    "two_potentials": ("updates", "weight"),
    "updates_against_bound": ("alpha", "num_queries"),
    "walk_of_estimate": ("value", "step"),
}


def figures():
    """Every picture of the course by its name."""
    found = {}
    for module in pkgutil.iter_modules(course_lib.demos.__path__, "course_lib.demos."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if inspect.isfunction(value) and hasattr(value, "demo"):
                assert found.setdefault(name, value) is value, f"two pictures are called {name}"
    return found


def stored(figure, starts, most=MOST):
    """The states that are stored, without repetition, and the sliders that move together.

    A third slider joins the group where there is room; there are never more than `most` states,
    but for those of single sliders.
    """
    described = figure.demo
    places = unique([*starts, *map(described.scene, described.scenes)])
    sliders = [name for name in described.values if name not in ("guess", "curves")]
    chosen = [name for name in GROUPS.get(described.name, sliders[:2]) if name in sliders]
    for third in (name for name in sliders if name not in chosen):
        found = _all(described, places, [*chosen, third], STOPS)
        if len(chosen) == 2 and len(found) <= most:
            return found, [*chosen, third]
    few = STOPS
    while len(found := _all(described, places, chosen, few)) > most and few > 3:
        few -= 1  # of the combinations, never of one slider alone
    return found, chosen


def followed(described, name):
    """The parameters on which the range of a slider depends."""
    values = described.values.get(name)
    return list(inspect.signature(values).parameters) if callable(values) else []


def _range(described, name, state):
    """All stops of a slider."""
    values = described.values[name]
    if not callable(values):
        return values
    return _following(
        values, tuple((other, state.get(other)) for other in followed(described, name))
    )


@functools.lru_cache(1000)
def _following(values, others):
    return list(values(**dict(others)))


def unique(states):
    """The states, each once, in their order."""
    return list({repr(sorted(state.items())): state for state in states}.values())


def _all(described, places, together, few):
    found = list(places)
    for place in places:
        for name in described.values:
            found += [
                _within(described, place | {name: v})
                for v in _stops(described, name, place, places)
            ]
        if {"guess", "curves"} <= set(place):  # a guess stays while it is answered
            pairs = product(
                *(_stops(described, name, place, places) for name in ("guess", "curves"))
            )
            found += [place | {"guess": guess, "curves": curves} for guess, curves in pairs]
        if "seed" in place:
            found += [place | {"seed": place["seed"] + more} for more in range(1, NOISES)]
    for rest in _rests(places, together):
        moved = [_stops(described, name, rest, places, few) for name in together]
        for values in product(*moved):
            found.append(_within(described, rest | dict(zip(together, values, strict=True))))
    return unique(found)


def _rests(places, together):
    """Of places that differ in the sliders of the group alone, the first."""
    rests = {}
    for place in places:
        rest = {name: value for name, value in place.items() if name not in together}
        rests.setdefault(repr(sorted(rest.items())), place)
    return list(rests.values())


def _stops(described, name, place, places, few=STOPS):
    """So many stops of a slider: those of the places, both ends, and others spread between them."""
    stops = _range(described, name, place)
    if isinstance(stops[0], str):
        return stops
    if name == described.time:
        few = FRAMES
    wanted = {nearest(each[name], stops) for each in places}
    spread = {stops[int(i)] for i in np.linspace(0, len(stops) - 1, few).round()}
    if len(stops) > few:
        # each value of a place takes the nearest place of the spread, but never an end's
        for value in sorted(wanted - spread):
            inner = sorted(spread - wanted - {stops[0], stops[-1]})
            if inner:
                spread.remove(
                    min(inner, key=lambda stop: abs(_rank(stops, stop) - _rank(stops, value)))
                )
            spread.add(value)
    return sorted(spread | wanted)


def _rank(stops, value):
    return sum(stop < value for stop in stops)


def _within(described, state):
    """The state with what follows other parameters moved into its range."""
    for name, values in described.values.items():
        if callable(values):
            state = state | {name: nearest(state[name], _range(described, name, state))}
    return state
