"""The check of notebook 03 has a reason for each step, with numbers that other means confirm."""

import math

import pytest
from scipy.integrate import quad
from scipy.stats import laplace

from course_lib.checks import lecture11_sparse as checks
from course_lib.checks.solutions import lecture11_sparse as solutions


@pytest.mark.parametrize("answer", [solutions.which_step, "b", "(b)", " B. "])
def test_the_density_of_a_number_is_the_false_step(verdict, answer):
    text = verdict(checks.check_false_step, answer)
    assert text.startswith("Right: the number 0 comes out if its noise is 0 and if T̂ ≤ 0.")
    assert "ε/2c = 0.5; the exact one, given the ten ⊥, is 4.5001" in text
    assert "With 0.4999 from the ten ⊥ this makes 5.0000, where the theorem allows 1." in text


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("a", "the ten ⊥ give 0.4999 and the number 4.5001, together 5.0000."),
        ("c", "the three sets have probabilities 4.43e-08, 9.77e-04 and 9.77e-04, in this order."),
        ("d", "e^(ε/2) = 1.6487 over 1/n. From Z = 0 to 1/n it is 1.6487."),
        ("e", "(e) holds for this output, where no number comes before a ⊥:"),
        ("e", "a value 0 gets ⊥ with probability 0.3333, and (e) says 0.5000)."),
        ("f", 'answer with one of "a", "b", "c", "d", "e"; you gave \'f\'.'),
        (2, 'answer with one of "a", "b", "c", "d", "e"; you gave 2.'),
    ],
)
def test_each_other_step_has_its_reason(verdict, answer, message):
    text = verdict(checks.check_false_step, answer)
    assert text.startswith("Not yet: ")
    assert message in text


def test_none_is_not_answered_yet(verdict):
    expected = "Not answered yet: put your answer in place of None, then run this cell again."
    assert verdict(checks.check_false_step, None) == expected


def ten_below(value, ceiling):
    """∫ p(z) F(z - value)^10 dz up to the ceiling: threshold Lap(2), queries Lap(2)."""

    def integrand(z):
        return laplace.pdf(z, scale=2) * laplace.cdf(z - value, scale=2) ** 10

    return quad(integrand, -80, ceiling, points=[min(ceiling, 0), min(ceiling, 1)], limit=200)[0]


def test_the_log_ratios_are_those_of_the_integrals():
    whole, below, number = checks.log_ratios()
    assert math.isclose(whole, 10 / 2)  # m ε / 2c
    assert math.isclose(below, math.log(ten_below(0, 200) / ten_below(1, 200)), rel_tol=1e-6)
    factors = [ten_below(value, 0) / ten_below(value, 200) for value in (0, 1)]
    assert math.isclose(number, math.log(factors[0] / factors[1]), rel_tol=1e-6)


def test_only_step_b_fails_on_this_output():
    whole, below, number = checks.log_ratios()
    assert math.isclose(whole, below + number)  # (a)
    assert number > 0.5  # (b): more than ε/2c
    for z in (-3, -1, 0, 0.5, 2, 7):
        (_, lower), (here, _), (_, upper) = (checks.all_below(z + step) for step in (-1, 0, 1))
        assert lower <= here * (1 + 1e-12)  # (c)
        assert here <= upper * (1 + 1e-12)
        assert laplace.pdf(z, scale=2) <= math.exp(0.5) * laplace.pdf(z + 1, scale=2) + 1e-15  # (d)
    assert below <= 0.5  # (e), with the integral over all Z in the test above


def test_step_e_fails_after_a_number():
    # with c = 2 the threshold has Lap(2), the queries Lap(4); the number 0 says that z <= 0
    def integrand(z):
        return laplace.pdf(z, scale=2) * laplace.cdf(z, scale=4)

    conditional, over_the_line = checks.after_a_number()
    assert math.isclose(conditional, quad(integrand, -100, 0)[0] / 0.5)
    assert math.isclose(conditional, 1 / 3)
    assert math.isclose(over_the_line, 1 / 2)
