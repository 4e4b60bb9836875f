"""What the picture of notebook 08 on the survey shows, read entry by entry in plain Python."""

import math

import numpy as np
import pytest

from course_lib.alp import alp_projection
from course_lib.demos import alp_survey as demos
from course_lib.demos.explore import about, explore, sweep
from course_lib.lab.data import load_survey
from course_lib.lab.profiles import CODES, profile_sample, survey_profiles
from course_lib.threshold_alp import threshold_alp_projection, threshold_release
from tests.pictures import curves
from tests.test_demos_alp_price import check_room

FIGURE = demos.profiles_of_the_survey


def test_sentence_and_panel_fit_everywhere_and_every_slider_moves():
    check_room(FIGURE)
    sweep(explore(FIGURE))


def read(embedding, index, scale):
    """One look-up as the paper has it: a bit of each level, the walk, its highest places."""
    walk = [0]
    for b, row in enumerate(embedding.table.T):
        digits = [i for i in range(64) if (2 * index + 1) >> i & 1]
        # NumPy unpacks a byte from its highest digit
        place = sum(int(embedding.hashes[8 * (i // 8) + 7 - i % 8, b]) for i in digits)
        walk.append(walk[-1] + 2 * int(row[place % embedding.size]) - 1)
    best = [n for n, height in enumerate(walk) if height == max(walk)]
    return embedding.alpha / scale * sum(best) / len(best)


def vector(codes):
    indices, counts, dimension = survey_profiles(*list(CODES)[:codes])
    return indices, counts, dimension, dict(zip(indices.tolist(), counts.tolist(), strict=True))


def shown(panel):
    drawn = curves(panel.figure.axes[0])
    return drawn["profiles that occur"], drawn["zeros"]


@pytest.mark.parametrize(
    ("codes", "neighbours", "epsilon", "scale"),
    [
        (5, "l1", 1.0, 1.0),
        (7, "histogram", 1.0, math.e - 1),
        (6, "histogram", 2.0, 3 + math.e**2 / 4 - 1),
    ],
)
def test_estimates_of_alp(codes, neighbours, epsilon, scale):
    at = {"codes": codes, "neighbours": neighbours, "epsilon": epsilon, "seed": 3}
    panel = explore(FIGURE, **at)
    indices, counts, dimension, truth = vector(codes)
    release = alp_projection(
        indices,
        counts,
        dimension=dimension,
        sparsity=10_000,
        size=40_000,
        cap=50,
        alpha=3.0,
        epsilon=epsilon,
        neighbours=neighbours,
        rng=np.random.default_rng(3),
    )
    _, (places, looked_up), zeros = profile_sample(codes)
    found, empty = shown(panel)
    for j in (0, 100, 400):
        assert found[1, j] == pytest.approx(read(release, int(places[j]), scale))
        assert empty[1, j] == pytest.approx(read(release, int(zeros[j]), scale))
    assert [truth[i] for i in places.tolist()] == looked_up.tolist()
    assert not any(i in truth for i in zeros.tolist()) and max(zeros) < dimension
    assert f"m = {math.ceil(50 * scale / 3)}." in panel.sentence
    error = np.mean([abs(release.estimate(i) - truth[i]) for i in places[:600].tolist()])
    assert np.abs(found[1] - looked_up)[:600].mean() == pytest.approx(error)
    told = f"Mean error of {len(places):,} entries: {about(np.abs(found[1] - looked_up).mean())} ("
    assert told in panel.sentence
    assert f"of {len(zeros):,} zeros: {about(empty[1].mean())} (bound" in panel.sentence
    assert release.neighbours == neighbours


@pytest.mark.parametrize("mechanism", ["Threshold", "Thresh-ALP"])
def test_estimates_with_a_level(mechanism):
    panel = explore(FIGURE, mechanism=mechanism, codes=7, seed=5)
    indices, counts, dimension, _ = vector(7)
    rng, half = np.random.default_rng(5), math.log(dimension / 2)
    if mechanism == "Thresh-ALP":
        at = {"dimension": dimension, "sparsity": 10_000, "size": 40_000, "alpha": 3.0}
        release = threshold_alp_projection(
            indices, counts, **at, epsilon1=0.5, epsilon2=0.5, rng=rng
        )
        kept, level = release.kept, 2 * half
    else:
        at = {"dimension": dimension, "level": half, "epsilon": 1.0}
        kept, level = threshold_release(indices, counts, **at, rng=rng), half
    stored = dict(zip(kept.indices.tolist(), kept.values, strict=True))
    _, (places, looked_up), _ = profile_sample(7)
    found, _ = shown(panel)
    for place, value in zip(places[:300].tolist(), found[1], strict=False):
        other = read(release.embedding, place, 0.5) if mechanism == "Thresh-ALP" else 0
        assert value == pytest.approx(stored.get(place, other))
    assert np.max(looked_up) > level and np.max(found[1]) > level  # some are kept
    limit = next(
        line for line in panel.figure.axes[0].get_lines() if line.get_label() == "cap or level"
    )
    assert list(limit.get_ydata()) == pytest.approx([level] * 2)
    equal = "= " if mechanism == "Thresh-ALP" else ""
    assert f"level {equal}{about(level)}" in panel.sentence


def test_dots_stand_beside_their_true_count():
    for codes in (5, 6, 7):
        found, empty = shown(explore(FIGURE, codes=codes))
        _, (_, counts), _ = profile_sample(codes)
        assert np.abs(np.log(found[0] / counts)).max() <= 0.12
        assert np.abs(empty[0]).max() <= 0.3
        whole = vector(codes)[1]
        assert len(counts) == min(2000, len(whole))
        assert abs(counts.mean() - whole.mean()) < 4 * whole.std() / np.sqrt(len(counts))


def test_what_is_promised():
    g, ratio = 1 / 5 + 0.25 * 3 / 5, 3.0
    walk = 4 * g * (1 - g) / (1 - 2 * g) ** 2
    panel = explore(FIGURE, codes=5, cap=20)
    beyond = np.mean(np.maximum(0, vector(5)[1] - 20))
    assert f"(bound {about(ratio * (0.5 + walk) + beyond)})" in panel.sentence
    assert f"(bound {about(ratio * walk / 2)})." in panel.sentence
    panel.set(neighbours="histogram")
    scale = math.e - 1
    assert f"(bound {about(ratio * (0.5 + walk) / scale + beyond)})" in panel.sentence
    panel.set(neighbours="l1", mechanism="Thresh-ALP", cap=50)
    t, zero = 2 * math.log(4000), 1 / 8000
    kept = (t + 2) / 2 * math.exp(-t / 2)
    assert f"(bound {about(6 * (0.5 + walk) * (1 - zero) + kept)})." in panel.sentence


def test_sizes_in_the_sentence():
    rows = load_survey()
    assert len(rows) == 20_190 > demos.SPARSITY > max(len(vector(c)[0]) for c in (5, 6, 7))
    panel = explore(FIGURE, codes=7)
    assert panel.sentence.startswith(
        "d = 2.94·10¹⁰, 8,374 entries (promise: k = 10,000, s = 40,000), ε = 1. ALP for l1, α = 3, "
    )
    packed, hashes = 17 * 5000, 17 * 64 * 2  # bytes
    assert panel.sentence.endswith(f"{(packed + hashes) / 1000:.1f} kB; dense 235 GB.")
    assert panel.set(codes=5).sentence.endswith("dense 64 kB.")
    assert (
        "ε = 1. Threshold, always l1 (no α, no cap), level 8.29. Mean error of 517 entries"
        in panel.set(mechanism="Threshold").sentence
    )


def test_the_sentence_says_where_sliders_have_no_effect():
    panel = explore(FIGURE)
    for mechanism, words in (
        ("Threshold", "Threshold, always l1 (no α, no cap), level 14.2."),
        ("Thresh-ALP", "Threshold-ALP, always l1, α = 3, β = level = 28.4, m = 5."),
    ):
        sentences = {
            panel.set(mechanism=mechanism, neighbours=neighbours, cap=cap).sentence
            for neighbours in ("l1", "histogram")
            for cap in (10, 50)
        }
        (sentence,) = sentences
        assert words in sentence
        assert ("k = 10,000, s = 40,000" in sentence) == (mechanism == "Thresh-ALP")
