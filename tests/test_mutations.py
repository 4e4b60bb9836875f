"""One mutation per topic, so that tests/mutations.py cannot rot; the rest run on demand."""

import pytest

from tests.mutations import EXEMPT, ROOT, TESTS, mutants, noticed

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("toolbox.py", "2 becomes 3 in “noisy = "),
        ("above_threshold.py", "4 becomes 5 in “noise = rng.laplace(scale=4 / epsilon)”"),
        ("numeric_sparse.py", "2 becomes 3 in “noise = rng.laplace(scale=2 * scale)”"),
        ("lecture11_sparse.py", "6 becomes 7 in “noise = rng.laplace(scale=6 * cutoff"),
        ("small_db.py", "2 becomes 3 in “noisy = epsilon * utilities / (2 * sensitivity)"),
        ("alp.py", "2 becomes 3 in “levels, flip_rate = "),
        ("online_ic.py", '2 becomes 3 in “return {"threshold": 2 * learner.alpha'),
    ],
)
def test_a_wrong_noise_scale_is_noticed(file, change):
    (mutant,) = [m for m in mutants(file) if m.change.startswith(change)]
    assert noticed(mutant)


def test_an_unchanged_file_is_not_accused():
    mutant = next(mutants("lab/confidence.py"))
    same = (ROOT / "course_lib" / mutant.file).read_text(encoding="utf8")
    assert not noticed(type(mutant)(mutant.file, 0, "nothing", same))


def test_every_file_of_the_core_is_mutated():
    core = {path.name for path in (ROOT / "course_lib").glob("*.py")} - {"__init__.py"}
    assert core <= TESTS.keys()


def test_every_exemption_is_still_needed():
    text = "".join((ROOT / "course_lib" / file).read_text(encoding="utf8") for file in TESTS)
    assert [words for words in EXEMPT if words not in text] == []
