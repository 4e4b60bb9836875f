"""The exercise of notebook 03: the step at which the printed proof of Theorem 3 is false."""

import math

from course_lib.checks.exercise import choose, exercise
from course_lib.exact.family import member
from course_lib.exact.integral import log_cdf, log_density
from course_lib.exact.transcripts import exact_loss, log_probability
from course_lib.support.answers import BELOW

# Ten times the value 0 is answered ⊥, then the value 0 with the number 0; on the neighbour the ten
# are larger by 1/n. Counted in units of 1/n, with T = 0, c = 1 and ε = 1.
_ROW = member("lecture11_sparse", cutoff=1, epsilon=1.0)
_COUNT = 10
_STREAMS = ([0.0, 0.0], [1.0, 0.0])
_COUNTS = [_COUNT, 1]


def log_ratios():
    """Of the transcript, of its ten ⊥, and of the number given the ⊥."""
    whole = exact_loss(_ROW, *_STREAMS, [BELOW, 0.0], threshold=0, counts=_COUNTS)
    below = exact_loss(_ROW, [0.0], [1.0], [BELOW], threshold=0, counts=[_COUNT])
    return float(whole), float(below), float(whole - below)


def all_below(z):
    """Pr[ν in A_z] for the ten ⊥, on the stream and on its neighbour."""
    return [math.exp(_COUNT * log_cdf((z - value) / _ROW.query_scale)) for value in (0, 1)]


def after_a_number():
    """Pr[⊥ to the value 0 after the number 0] with c = 2, by the mechanism and by step (e)."""
    row = member("lecture11_sparse", cutoff=2, epsilon=1.0)
    both, number = (
        log_probability(row, [0.0] * size, [0.0, BELOW][:size], threshold=0) for size in (2, 1)
    )
    over_the_line = log_probability(row, [0.0], [BELOW], threshold=0)
    return math.exp(both - number), math.exp(over_the_line)


def _reasons():
    whole, below, number = log_ratios()
    (here, _), (_, lower), (_, upper) = all_below(0), all_below(-1), all_below(1)
    density, shifted = (math.exp(log_density(z, _ROW.threshold_scale)) for z in (0, 1))
    conditional, over_the_line = after_a_number()
    return {
        "a": "(a) is the chain rule, true of probabilities and densities alike. Here the ten ⊥ "
        f"give {below:.4f} and the number {number:.4f}, together {whole:.4f}. Which of the two is "
        "larger than the proof says?",
        "b": "the number 0 comes out if its noise is 0 and if T̂ ≤ 0. The proof has the noise "
        "alone, whose log-ratio is 0 here and never more than ε/2c = 0.5; the exact one, given the "
        f"ten ⊥, is {number:.4f}, all from the factor Pr[T̂ ≤ 0 | ten ⊥]. With {below:.4f} from the "
        f"ten ⊥ this makes {whole:.4f}, where the theorem allows 1.",
        "c": "(c) holds for the sets as they are stated here: no query is raised by more than 1/n, "
        f"so a threshold raised by 1/n keeps every ⊥. With T̂ at 0 the three sets have "
        f"probabilities {lower:.2e}, {here:.2e} and {upper:.2e}, in this order.",
        "d": "(d) holds: T̂ has noise Lap(2/(εn)), whose density changes by a factor of at most "
        f"e^(ε/2) = {math.exp(0.5):.4f} over 1/n. From Z = 0 to 1/n it is {density / shifted:.4f}.",
        "e": "(e) holds for this output, where no number comes before a ⊥: the ten ⊥ have the "
        f"log-ratio {below:.4f}, at most ε/2, as the proof says. You are right that it is false "
        "for a ⊥ after a number, which has told that T̂ ≤ â (with c = 2, after the number 0, a "
        f"value 0 gets ⊥ with probability {conditional:.4f}, and (e) says {over_the_line:.4f}). "
        "But that comes from an earlier step, which is false here too.",
    }


@exercise
def check_false_step(answer):
    """Judge which of the steps (a) to (e) is the first that is false of ten ⊥ and a number."""
    return choose(answer, _reasons(), right="b")
