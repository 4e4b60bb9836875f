"""The exercises of notebook 03: the numbers in their reasons are confirmed by other means."""

import math

import pytest
from scipy.integrate import quad
from scipy.stats import laplace

from course_lib.checks.lecture11_sparse import check_breaks_at, check_false_step, check_log_ratio
from course_lib.exact.family import member
from course_lib.exact.transcripts import exact_loss, log_probability
from course_lib.support.answers import BELOW

SAID = check_false_step.reasons


def loss(m, number, cutoff, epsilon):
    row = member("lecture11_sparse", cutoff=cutoff, epsilon=epsilon)
    output = [BELOW, float(number)]
    return exact_loss(row, [0, 0], [1, 0], output, threshold=0, counts=[m, 1])


@pytest.mark.parametrize("case", check_log_ratio.cases, ids=str)
def test_the_solution_is_the_exact_loss(case):
    assert math.isclose(check_log_ratio.solution(*case), loss(*case), rel_tol=1e-7)


def test_the_log_ratios_of_the_ten_and_of_the_number_are_those_named():
    threshold, noise = laplace(scale=2), laplace(scale=2)

    def tens(value, end):
        def joint(z):
            return threshold.pdf(z) * noise.cdf(z - value) ** 10

        return quad(joint, -80, end, points=[-1, 0], epsabs=0, limit=200)[0]

    below = math.log(tens(0, 120) / tens(1, 120))
    whole = math.log(tens(0, 0) / tens(1, 0))
    named = f"{below:.4f}", f"{whole - below:.4f}", f"{whole:.0f}"
    assert named == ("0.4999", "4.5001", "5")
    assert all(number in SAID[step] for step in "ab" for number in named)
    assert named[0] in SAID["e"]


def test_the_probabilities_of_the_three_sets_and_the_change_of_density_are_those_named():
    noise = laplace(scale=2)
    sets = [noise.cdf(x) ** 10 for x in (-1 - 1, 0 - 0, 1 - 1)]
    assert [f"{each:.1e}" for each in sets] == ["4.4e-08", "9.8e-04", "9.8e-04"]
    assert "4.4·10⁻⁸, 9.8·10⁻⁴ and 9.8·10⁻⁴" in SAID["c"]
    assert f"e^(ε/2) = {noise.pdf(0) / noise.pdf(1):.4f}" in SAID["d"]


def test_a_number_lowers_the_chance_of_a_later_below_as_said():
    row = member("lecture11_sparse", cutoff=2, epsilon=1.0)
    both, number = (
        log_probability(row, [0.0] * size, [0.0, BELOW][:size], threshold=0) for size in (2, 1)
    )
    alone = log_probability(row, [0.0], [BELOW], threshold=0)
    said = f"with probability {math.exp(both - number):.4f}, not {math.exp(alone):.1f}"
    assert said in SAID["e"]


def test_it_breaks_there():
    first = check_breaks_at.solution
    assert loss(first, 0, 3, 0.5) > 5 >= loss(first - 1, 0, 3, 0.5) - 1e-9
    times = {m: loss(m, 0, 3, 0.5) / 0.5 for m in check_breaks_at.slips}
    assert math.isclose(times[60], 10) and loss(6, 0, 3, 0.5) <= 0.5 + 1e-9 and times[7] > 1
    assert 0.5 * times[121] > 10 and round(times[31]) == 5
