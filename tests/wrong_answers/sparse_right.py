"""Right answers to the first exercise of notebook 02, in unusual styles."""

from course_lib.support.answers import ABOVE, BELOW
from tests.wrong_answers.noise import (
    difference_of_exponentials,
    from_four_normals,
    inverse_of_the_cdf,
    rescaled,
    upper_tail,
)
from tests.wrong_answers.sparse import split


def runs_of_above_threshold(data, queries, *, threshold, cutoff, share, epsilon, rng):
    queries = iter(queries)
    for _ in range(cutoff):
        yield from one_run(data, queries, threshold, share, epsilon / cutoff, rng)


def one_run(data, queries, threshold, share, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=1 / (share * epsilon))
    for query in queries:
        if query(data) + rng.laplace(scale=2 / ((1 - share) * epsilon)) >= noisy_threshold:
            yield ABOVE
            return
        yield BELOW


def list_of_answers(*args, **parameters):
    return list(split()(*args, **parameters))


def noise_in_advance(data, queries, *, threshold, cutoff, share, epsilon, rng):
    thresholds = list(rng.laplace(threshold, cutoff / (share * epsilon), cutoff))
    noises = rng.laplace(0, 2 * cutoff / ((1 - share) * epsilon), len(queries))
    for query, noise in zip(queries, noises, strict=True):
        above = bool(query(data) + noise >= thresholds[0])
        yield ABOVE if above else BELOW
        if above and not thresholds[1:]:
            return
        thresholds = thresholds[above:]


class Machine:
    """An iterator of its own kind, which draws the answer and not the noise."""

    def __init__(self, data, queries, *, threshold, cutoff, share, epsilon, rng):
        self.data, self.queries, self.rng, self.left = data, iter(queries), rng, cutoff
        self.scales = cutoff / (share * epsilon), 2 * cutoff / ((1 - share) * epsilon)
        self.threshold = threshold
        self.restart()

    def restart(self):
        self.noisy = self.threshold + self.rng.laplace(scale=self.scales[0])

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        value = next(self.queries)(self.data)
        if self.rng.random() >= upper_tail((self.noisy - value) / self.scales[1]):
            return BELOW
        self.left -= 1
        self.restart()
        return ABOVE


def strict(data, queries, *, threshold, cutoff, share, epsilon, rng):
    scales = cutoff / (share * epsilon), 2 * cutoff / ((1 - share) * epsilon)
    noisy_threshold = rng.laplace(threshold, scales[0])
    for query in queries:
        above = rng.laplace(query(data), scales[1]) > noisy_threshold
        yield ABOVE if above else BELOW
        if above:
            cutoff, noisy_threshold = cutoff - 1, rng.laplace(threshold, scales[0])
        if not cutoff:
            break


def talkative(*args, **parameters):
    for answer in split()(*args, **parameters):
        print("the answer is", answer)
        yield answer


def keeps_spare_noise(data, queries, *, threshold, cutoff, share, epsilon, rng):
    spare = rng.laplace(size=1000)
    draw = iter(spare)
    yield from split(noise=lambda scale, rng: scale * next(draw))(
        data, queries, threshold=threshold, cutoff=cutoff, share=share, epsilon=epsilon, rng=rng
    )


RIGHT = {
    "noise rescaled": split(noise=rescaled),
    "difference of exponentials": split(noise=difference_of_exponentials),
    "inverse of the cdf": split(noise=inverse_of_the_cdf),
    "from four normals": split(noise=from_four_normals),
    "runs of AboveThreshold": runs_of_above_threshold,
    "spare noise": keeps_spare_noise,
    "by probabilities": Machine,
    "talkative": talkative,
    "noise in advance": noise_in_advance,
    "list of answers": list_of_answers,
    "strict": strict,
}
REMARKS = {
    "noise in advance": "your function needs the whole stream",
    "list of answers": "your function needs the whole stream",
    "strict": "you compare with >, the slide with >=.",
}
