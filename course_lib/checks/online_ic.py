"""The exercises of notebook 06: a step of the learner, one query, the loop, Theorem 1 for α."""

import itertools
import math
from collections.abc import Sized

import numpy as np

from course_lib.checks.engine import (
    Choice,
    Function,
    NotYet,
    Slip,
    array,
    close,
    number,
    plain_run,
    shown,
)
from course_lib.checks.solutions import online_ic as solutions
from course_lib.lab.noise import generator
from course_lib.support.answers import BELOW


def _updates():
    """Both sides, whole numbers for weights, a value below 0. (Where the value is the guess
    itself nothing is asked of a step.)
    """
    half, whole = np.array([0.5, 0.25, 0.25]), np.array([0, 1, 1])
    for query, value, alpha in (
        (np.array([1.0, 0.0, 0.5]), 0.9, 0.2),
        (np.array([1.0, 0.0, 0.5]), 0.3, 0.2),
        (whole, 0.8, 0.5),
        (whole, 0.1, 0.5),
        (np.array([0.6, 0.7, 0.9]), 0.66, 0.3),
        (np.array([0.1, 0.2, 0.0]), 0.12, 0.3),
        (whole, -0.05, 0.3),
    ):
        yield half, query, value, alpha
    rng = generator(6)
    for size in (2, 4, 5):
        for value in rng.random(3):
            yield rng.dirichlet(np.ones(size)), rng.random(size), float(value), 0.4


_SIGN, _GUESS = "-1 if value < query @ hypothesis else 1", "query @ hypothesis"
_AWAY = (
    "the hypothesis moved away from the value: if it says too much, the elements of the query "
    "should lose weight."
)
_SCALAR = (
    "all elements had one factor, which the normalisation divides out again: the hypothesis stays "
    "where it is."
)
_GAP = "the gap decided how far to move. It decides the direction alone; the proof has one step η."
_SUM = "the new weights did not add up to 1. A hypothesis is a distribution."
_ETA = "the step were not half of α. Other steps work too, but B(α) is proved for this one."
check_update = Function(
    solutions.my_update,
    _updates,
    [
        Slip(_AWAY, {_SIGN: "1 if value < query @ hypothesis else -1"}),
        Slip(_SUM, {" / weights.sum()": ""}, 3),
        Slip(_SUM, {"weights.sum()": "weights.max()"}, 3),
        Slip(_SUM, {"weights.sum()": "len(weights)"}, 3),
        Slip(_ETA, {"alpha / 2": "alpha"}, 2),
        Slip(_ETA, {"alpha / 2": "alpha / 4"}, 2),
        Slip(_ETA, {"alpha / 2": "2 * alpha"}, 2),
        Slip(_ETA, {"alpha / 2": "0.5"}, 2),
        Slip(_ETA, {"alpha / 2": "1"}, 2),
        Slip(_ETA, {"alpha / 2": "alpha**2 / 4"}, 2),
        Slip(_SCALAR, {"2 * query)": "2 * value)"}, 2),
        Slip("the elements always gained weight. If the hypothesis says too much, they should lose.", {_SIGN: "1"}),
        Slip("the elements always lost weight. If the hypothesis says too little, they should gain.", {_SIGN: "-1"}),
        Slip(_GAP, {f"sign = {_SIGN}": f"sign = 2 / alpha * (value - {_GUESS})"}, 2),
        Slip(_GAP, {f"sign = {_SIGN}": f"sign = 1 / alpha * (value - {_GUESS})"}, 2),
        Slip(_GAP, {f"sign = {_SIGN}": f"sign = value - {_GUESS}"}, 2),
        Slip(_GAP, {f"sign = {_SIGN}": f"sign = 2 * (value - {_GUESS})"}, 2),
        Slip("each step began with the uniform hypothesis, and forgot what was learned before.", {"= hypothesis * ": "= "}, 2),
        Slip("every element of the query moved by the whole step. One with a small weight in it should move little.",
             {"2 * query)": "2 * (query > 0))"}, 2),
        Slip("the factor were 1 ± ηq(x), without the exponential. For it B(α) needs another proof.",
             {"np.exp(sign * alpha / 2 * query)": "(1 + sign * alpha / 2 * query)"}, 2),
        Slip("a step were added to the weights, so that one can become negative. They are multiplied.",
             {" * np.exp(sign * alpha / 2 * query)": " + sign * alpha / 2 * query"}, 2),
        Slip("an element’s probability stood in its exponent, too: unlikely ones would hardly move.",
             {"2 * query)": "2 * query * hypothesis)"}, 2),
        Slip("the value were compared with the query’s mean weight, which is Q on the uniform hypothesis. The hypothesis has moved since.",
             {"query @ hypothesis": "query.mean()"}),
    ],
    run=plain_run(array),
    praise="up and down, on many hypotheses and queries, yours is the step of the lecture.",
)  # fmt: skip


_same = close()


class _Sparse:
    """A sparse vector that answers what `says(gap)` is; a gap asked again has another number."""

    def __init__(self, says, cutoff=math.inf):
        self.says, self.cutoff = says, cutoff
        self.asked, self.heard = [], []
        self.since = 0  # what was asked before is about another query

    def __call__(self, gap):
        gap = number(gap, "you ask sparse for")
        if self.numbers >= self.cutoff:
            raise NotYet(
                "you ask the sparse vector again after its last number. It has stopped, and one "
                "more answer of it would cost more than ε: count its numbers.",
                2,
            )
        before = sum(_same(gap, other) for other in self.asked[self.since :])
        answer = self.says(gap)
        self.asked.append(gap)
        self.heard.append(answer if answer is BELOW else answer + 0.0137 * before * (gap != 0))
        return self.heard[-1]

    @property
    def numbers(self):
        return sum(answer is not BELOW for answer in self.heard)


def _queries():
    """Q(D), Q(Dᵗ), and the number for Q(D) − Q(Dᵗ) and for Q(Dᵗ) − Q(D), BELOW or a number.

    Noise may make either gap the larger one, and a number negative or 0. If both have one, they
    lead to the same answer.
    """
    return [
        (0.62, 0.3, 0.34, BELOW),
        (0.15, 0.5, BELOW, 0.31),
        (0.62, 0.35, BELOW, BELOW),
        (0.2, 0.45, BELOW, BELOW),
        (0.7, 0.41, BELOW, 0.23),
        (0.22, 0.47, 0.27, BELOW),
        (0.9, 0.55, -0.04, BELOW),
        (0.05, 0.4, BELOW, -0.03),
        (0.8, 0.3, 0.0, BELOW),
        (0.1, 0.7, BELOW, 0.0),
        (0.4004, 0.4, BELOW, BELOW),
        (0.95, 0.1, BELOW, BELOW),
        (0.97, 0.2, 0.74, BELOW),
        (0.625, 0.625, BELOW, BELOW),
        (0.625, 0.625, 0.25, 0.25),
        (0.8, 0.4, 0.375, -0.375),
        (1, 0, 0.75, BELOW),
        (0, 1, BELOW, 0.75),
    ]


def _run_query(function, case):
    value, guess, plus, minus = case
    gap = value - guess
    signs = {1: plus, -1: minus}
    sparse = _Sparse(lambda asked: next((signs[s] for s in signs if _same(asked, s * gap)), BELOW))
    result = function(value, guess, sparse)
    if hasattr(result, "__next__"):
        raise NotYet("your function yields. For one query, return the pair (answer, updated).")
    if not isinstance(result, tuple | list | np.ndarray) or len(result) != 2:
        raise NotYet(f"you return {shown(result)}; return the pair (answer, updated).")
    answer = number(result[0], "your answer is")
    updated = bool(number(result[1], "your updated is"))
    off = abs(answer - guess) if gap == 0 else answer - guess  # with gap 0 both signs are right
    if not sparse.numbers:
        asked = sorted(sparse.asked)  # both, in any order
    else:
        often = max(sum(_same(one, other) for other in sparse.asked) for one in sparse.asked)
        asked = "a gap twice" if often > 1 + (gap == 0) else "each gap once"
    if gap != 0 and _same(
        *(_first_asked(function, *pair) for pair in ((value, guess), case[1::-1]))
    ):
        asked = "first the one that is larger, or smaller, on the data"
    return guess + off, updated, asked


def _first_asked(function, value, guess):
    sparse = _Sparse(lambda gap: BELOW)
    function(value, guess, sparse)
    return sparse.asked[:1]


def _tell_query(case, mine, right):
    value, guess, plus, minus = case
    start = f"with Q(D) = {value:g}, Q(Dᵗ) = {guess:g} and a sparse vector that says {shown(plus)}"
    start += f" for Q(D) − Q(Dᵗ), {shown(minus)} for Q(Dᵗ) − Q(D),"
    if _same(mine[:2], right[:2]):
        return f"{start} you ask it for {shown(mine[2])}; it should be {shown(right[2])}."
    return f"{start} you return {shown(mine[:2])}; it should be {shown(right[:2])}."


_ONE_SIDE = "Then a hypothesis that is far off on the other side is never corrected."
_READS = (
    "whether sparse is asked depended on the data: then the silence itself tells about D, and no "
    "noise hides it."
)
check_answer = Function(
    solutions.my_answer,
    _queries,
    [
        Slip("a number for Q(Dᵗ) − Q(D) were added, too. It says how much too large the guess is.",
             {"guess + sign * number": "guess + number"}, 2),
        Slip("the signs were the wrong way round: the answer moves away from Q(D).", {"guess + sign * number": "guess - sign * number"}, 2),
        Slip(f"only Q(D) − Q(Dᵗ) were asked. {_ONE_SIDE}", {"(1, -1)": "(1,)"}),
        Slip(f"only Q(Dᵗ) − Q(D) were asked. {_ONE_SIDE}", {"(1, -1)": "(-1,)"}),
        Slip("the size of the gap were asked. Its number does not say on which side Q(D) is.",
             {"(1, -1)": "(1,)", "sign * (value - guess)": "abs(value - guess)"}),
        Slip("only the gap that is positive were asked, so that Q(D) itself told the side. That reads the data without noise.",
             {"    for sign in (1, -1):": "    for sign in (1 if value >= guess else -1,):", "sign * (value - guess)": "abs(value - guess)"}),
        Slip("the number were the answer. It is a gap with noise, and the answer is near Q(D).", {"guess + sign * number": "number"}, 2),
        Slip("the true value were the answer. Every number that leaves has to carry noise.", {"guess + sign * number": "value"}, 2),
        Slip("the number were added to Q(D). That has read the data once more, without noise.",
             {"guess + sign * number": "value + sign * number"}, 2),
        Slip("the guess were the answer to each query. A number was paid for: use it.", {"guess + sign * number": "guess"}, 2),
        Slip("the true value were the answer after two ⊥. There the hypothesis answers, for free.",
             {"return guess, False": "return value, False"}),
        Slip("“updated” were the wrong way round.", {"number, True": "number, False", "guess, False": "guess, True"}),
        Slip("there were never an update: after a number the learner should learn.", {"number, True": "number, False"}),
        Slip("every query led to an update. After two ⊥ nothing was released to learn from.", {"guess, False": "guess, True"}),
        Slip("sparse were asked again for a number it had given. Each number costs, and has noise of its own.",
             {"sign * number": "sign * sparse(sign * (value - guess))"}, 3),
        Slip("a number had to be positive. It may be 0 or less: only BELOW says that a gap is small.",
             {"if number is not BELOW": "if number is not BELOW and number > 0"}, 3),
        Slip("a released 0 were taken for ⊥. It is a number: compare with BELOW.",
             {"if number is not BELOW": "if number is not BELOW and number"}, 3),
        Slip(_READS, {"        number =": "        if value == guess:\n            break\n        number ="}),
        Slip("the data decided which gap is asked first. What sparse is asked has to be fixed beforehand: else the order itself tells about D.",
             {"(1, -1)": "((1, -1) if value >= guess else (-1, 1))"}),
        Slip("Q(D) and Q(Dᵗ) themselves were asked, not their gap.", {"sign * (value - guess)": "value if sign == 1 else guess"}),
    ],
    run=_run_query,
    tell=_tell_query,
    praise="whichever gap has a number, or none, your answer is right, and the data are read by "
    "the sparse vector alone.",
)  # fmt: skip

check_after_budget = Choice(
    "after_the_last_update",
    {
        "a": "Sparse has to stop, because every further answer of its own would read the data. "
        "OnlineIC has more to say: the hypothesis needs no data.",
        "b": "a second sparse vector is a second mechanism on the same data, and its ε comes on "
        "top. What comes after the last update has to be free.",
        "c": "the hypothesis need not be D. If the noise was small, no query is α or more apart on "
        "the two; that makes them close, not equal.",
        "d": "the hypothesis is made of released numbers. And if the noise stayed within α, all c "
        "updates were valid; a query α or more apart would allow one more than B(α). So every "
        "further answer is within α.",
        "e": "noise on Q(D) reads the data once more for every query, and each such answer costs. "
        "The sparse vector was taken to avoid it.",
    },
    right="d",
)

check_theorem_2 = Choice(
    "why_not_theorem_2",
    {
        "a": "Sparse is made for adaptive queries: each may depend on all answers before. Theorem 2 "
        "asks something else of the stream.",
        "b": "a gap of 1.5 α, say, may be ⊥, and then the hypothesis stays and the gap comes back, "
        "more often than c times. Theorem 2 allows c values at T − α or above. So one looks at the "
        "noise alone: if it stays within α, every number is a valid update.",
        "c": "Q(D) − Q(Dᵗ) moves by at most 1/n when one row is replaced, as Q(D) does: given the "
        "answers so far, Dᵗ is fixed.",
        "d": "that costs ln 2k in place of ln k, no more: the theorem can be stated for 2k queries. "
        "Its condition would still not hold.",
        "e": "Theorem 2 is about every threshold T. With T = 2α a number means a gap of at least "
        "T − α = α, which makes the update valid.",
    },
    right="b",
)


class _Learner:
    """A hypothesis that says a little more after each update, and keeps what it was shown."""

    def __init__(self, hypothesis, indices):
        self.hypothesis, self.indices, self.shown = hypothesis, indices, []

    def evaluate(self, query):
        return float(query @ self.hypothesis) + 0.0625 * len(self.shown)

    def update(self, query, answer):
        self.shown.append((self.indices[id(query)], number(answer, "you update with")))


def _worlds():
    """Shares, queries, and a factor for each: the number for a gap is that times the gap.

    A query with a factor of 2 or more has a number for either gap, whatever the threshold: a
    noise that large is rare, and may happen. Gaps are 0, too, and on both sides.
    """
    data = np.array([0.5, 0.25, 0.125, 0.125])
    a, b, c = np.array([1.0, 0, 0, 0]), np.array([0, 0, 1.0, 1.0]), np.array([0, 1.0, 0, 0.5])
    d, e = np.array([0, 1.0, 0, 0]), np.array([0, 1.0, 0, 0.03])
    factors = {"high": (a, 1.25), "low": (b, 1.25), "small": (c, 1.25), "loud": (c, 3.0)}
    factors |= {"equal": (d, 1.25), "tiny": (e, 1.25)}
    for order, alpha, cutoff, epsilon in (
        ("equal tiny high low small", 0.1, 5, 1.0),
        ("small small low high high", 0.1, 1, 0.5),
        ("low high small low high", 0.1, 2, 2.0),
        ("loud low loud high small", 0.05, 2, 1.0),
        ("low loud high low", 0.2, 1, 0.25),
        ("high", 0.3, 1, 1.0),
        ("low high loud small high low loud small", 0.03, 4, 3.0),
        ("", 0.1, 1, 1.0),
    ):
        # a copy each: the learner tells queries apart
        given = [(factors[word][0].copy(), factors[word][1]) for word in order.split()]
        yield data, given, {"alpha": alpha, "cutoff": cutoff, "epsilon": epsilon}


def _run_world(function, case):
    data, given, parameters = case
    queries, sparse, started = [query for query, _ in given], [], []
    learner = _Learner(np.full(4, 0.25), {id(query): i for i, query in enumerate(queries)})
    taken, asked, ahead, answers, gaps = [], [], [], [], []

    def stream():
        for query in queries:
            ahead.append(len(taken) > len(answers))
            taken.append(query)
            asked.append(len(sparse[-1].asked) if sparse else 0)
            gaps.append(query @ data - learner.evaluate(query))
            if sparse:
                sparse[-1].since = asked[-1]
            yield query

    def says(gap):
        factor = given[len(taken) - 1][1]
        return gap * factor if factor > 2 or gap * factor >= started[0]["threshold"] else BELOW

    def start(*, threshold, cutoff, epsilon):
        started.append({"threshold": threshold, "cutoff": cutoff, "epsilon": epsilon})
        sparse.append(_Sparse(says, parameters["cutoff"]))
        return sparse[-1]

    result = function(data.copy(), stream(), learner, **parameters, start=start)
    if not hasattr(result, "__iter__"):
        raise NotYet(f"your function returned {shown(result)}; yield an answer for each query.")
    for answer in result:
        answers.append(number(answer, "an answer is"))
        if len(answers) > len(queries):
            break
    if any(ahead) and not isinstance(result, Sized):
        raise NotYet(
            "you take the next query before the answer to this one was taken. The analyst may "
            "choose it after seeing the answer: yield inside the loop."
        )
    marks = [*asked, len(sparse[-1].asked) if sparse else 0]
    records = [_record(sparse[-1], *ends) for ends in itertools.pairwise(marks) if sparse]
    firsts = [
        (sparse[-1].asked[a], gap)
        for (a, b), gap in zip(itertools.pairwise(marks), gaps, strict=True)
        if b > a
    ]
    signs = {_same(*pair) for pair in firsts if pair[1]}
    return {
        "started": started, "answers": answers, "updates": learner.shown, "asked": records,
        "order": "told by the data" if len(signs) > 1 else "fixed",
    }  # fmt: skip


def _record(sparse, begin, end):
    """What was asked for one query, whatever the order: for ⊥ both gaps, else those with a number.

    The other gap may have been asked before.
    """
    asked, heard = sparse.asked[begin:end], sparse.heard[begin:end]
    spoken = [abs(gap) for gap, answer in zip(asked, heard, strict=True) if answer is not BELOW]
    return spoken or sorted(asked)


def _tell_world(case, mine, right):
    _, given, parameters = case
    part = next(part for part in right if not _same(mine[part], right[part]))
    where = (
        f"with α = {parameters['alpha']:g}, cutoff {parameters['cutoff']} and {len(given)} queries"
    )
    if part == "order":
        return f"{where} the data decide which gap is asked first: the order itself tells about D."
    if part == "started" or len(mine[part]) != len(right[part]):
        got, wanted = mine[part], right[part]
        if len(got) != len(wanted):
            got, wanted = f"{len(got)} of them", len(wanted)
        words = {
            "started": "the sparse vectors",
            "answers": "the answers",
            "updates": "the updates",
        }
        return f"{where}: {words[part]} are {shown(got)[:120]}; it should be {shown(wanted)}."
    pairs = zip(mine[part], right[part], strict=True)
    i, got, wanted = next((i, *pair) for i, pair in enumerate(pairs, 1) if not _same(*pair))
    words = {
        "answers": "answer {} is",
        "updates": "update {} has the query (from 0) and answer",
        "asked": "for query {} the sparse vector is asked",
    }
    return f"{where} {words[part].format(i)} {shown(got)}; it should be {shown(wanted)}."


_SIZE = "the size of the gap were asked. Its number does not say on which side Q(D) is."
_START = "    sparse, updates = start(threshold=2 * alpha, cutoff=cutoff, epsilon=epsilon), 0"
_EACH = (
    "each query had a sparse vector of its own. Each of them spends ε, and so a stream spends ε "
    "times its length."
)
_LOOP = "                    learner.update(query, answer)\n"
check_online_ic = Function(
    solutions.my_online_ic,
    _worlds,
    [
        Slip(_READS, {"            if updates < cutoff:": "            if updates < cutoff and query @ data != guess:"}, 1),
        Slip("the threshold were α. Then noise below α may lift a gap of nearly 0, and the update teaches nothing: B(α) does not count those.",
             {"2 * alpha": "alpha"}),
        Slip("the threshold were 3α, which is what the answers are within. Then ⊥ promises only 4α.", {"2 * alpha": "3 * alpha"}),
        Slip("a number for Q(Dᵗ) − Q(D) were added, too. It says how much too large the guess is.", {"guess + sign * number": "guess + number"}, 3),
        Slip("the signs were the wrong way round: the answer moves away from Q(D).", {"guess + sign * number": "guess - sign * number"}, 3),
        Slip("the number were the answer. It is a gap with noise, and the answer is near Q(D).", {"guess + sign * number": "number"}, 3),
        Slip("the true value were the answer after a number. Every number that leaves has to carry noise.", {"guess + sign * number": "query @ data"}, 3),
        Slip(f"only Q(D) − Q(Dᵗ) were asked. {_ONE_SIDE}", {"(1, -1)": "(1,)"}),
        Slip(_SIZE, {"(1, -1)": "(1,)", "sign * (query @ data - guess)": "abs(query @ data - guess)"}),
        Slip(_SIZE, {"sign * (query @ data - guess)": "abs(query @ data - guess)"}),
        Slip("the true value were the answer after the last update. The budget is spent: from then on only the hypothesis may answer.",
             {"        yield answer": "        yield answer if updates < cutoff or answer != guess else query @ data"}, 2),
        Slip("the learner were never updated: the same gap would cost again and again.", {_LOOP: ""}, 3),
        Slip("the learner were shown the number. It has to see the answer, which is near Q(D).",
             {"update(query, answer)": "update(query, number)"}, 3),
        Slip("the learner were shown the true value: then the hypothesis, which is public, has read the data without noise.",
             {"update(query, answer)": "update(query, query @ data)"}, 3),
        Slip("the learner were updated after each query. After two ⊥ nothing was released to learn from.",
             {_LOOP: "", "        yield answer": "        learner.update(query, answer)\n        yield answer"}, 3),
        Slip("the other gap were asked after a number, too. It may give a second one, which costs, and nobody counts it.", {"                    break\n": ""}, 2),
        Slip("it ended with the last update. The hypothesis can answer for ever: it needs no data.",
             {"        yield answer": "        yield answer\n        if updates >= cutoff:\n            return"}, 2),
        Slip("the last update came one too early: `cutoff` numbers are paid for.", {"if updates < cutoff": "if updates < cutoff - 1"}, 2),
        Slip("queries were counted, not numbers. A ⊥ is free.",
             {"        answer = guess": "        updates += 1\n        answer = guess", "updates < cutoff": "updates <= cutoff", ", updates + 1": ", updates"}, 2),
        Slip("the true value were the answer after two ⊥. There the hypothesis answers, for free.",
             {"        yield answer": "        yield answer if answer != guess else query @ data"}),
        Slip("an answer were the guess even when a number came. It was paid for: use it.", {"yield answer": "yield guess"}, 3),
        Slip("the answer came from the hypothesis after its update. The number itself is nearer to Q(D), and it was paid for.",
             {"yield answer": "yield answer if answer == guess else learner.evaluate(query)"}, 3),
        Slip(_EACH, {_START: "    updates = 0", "        answer = guess": "        sparse = start(threshold=2 * alpha, cutoff=cutoff, epsilon=epsilon)\n        answer = guess"}),
        Slip(_EACH, {_START + "\n": "", "        answer = guess": f"    {_START}\n        answer = guess"}),
        Slip("the sparse vector got half of ε. It alone reads the data, so all of ε is for it.",
             {"epsilon=epsilon": "epsilon=epsilon / 2"}),
        Slip("the sparse vector got ε/c. It divides ε among its c numbers by itself.", {"epsilon=epsilon": "epsilon=epsilon / cutoff"}),
    ],
    run=_run_world,
    tell=_tell_world,
    praise="on scripted streams, with numbers on either side and after the last one, yours does "
    "what OnlineIC does, and the data enter only in what the sparse vector is asked.",
)  # fmt: skip


def _settings():
    """The α are between 0.01 and 1, and two above 1: they promise nothing, but are the smallest."""
    yield 10**6, 256, 1000, 0.05, 1.0
    yield 10**8, 2**40, 10, 0.1, 0.5
    yield 50_000, 2, 1, 0.01, 2
    yield 1_000, 256, 1000, 0.05, 1.0
    yield 50, 16, 5, 0.2, 0.1
    rng = generator(13)
    for _ in range(12):
        yield (
            int(10 ** rng.uniform(5.5, 9)), int(2 ** rng.uniform(1, 30)),
            int(10 ** rng.uniform(0, 6)), float(rng.uniform(0.001, 0.9)),
            float(rng.uniform(0.2, 4)),
        )  # fmt: skip


_LOGS, _ROOT = "math.log(2 * num_queries) + math.log(3 / beta)", " ** (1 / 3)"
_SPARSE = (
    "the sparse vector were the printed one, which is not private. The repaired one asks more."
)
_CUBE = "B(α) were not a function of α: it has α² below, and so α has to come out of a third power."
check_alpha = Function(
    solutions.my_alpha,
    _settings,
    [
        Slip("k queries were asked. OnlineIC asks the sparse vector two for each.", {"2 * num_queries": "num_queries"}),
        Slip(_CUBE, {_ROOT: ""}, 2),
        Slip(_CUBE, {_ROOT: " ** (1 / 2)"}, 2),
        Slip(_SPARSE, {"48": "16", "2 * num_queries": "num_queries", "3 / beta": "2 / beta"}),
        Slip(_SPARSE, {"48": "16", "3 / beta": "2 / beta"}),
        Slip(_SPARSE, {"48": "16"}),
        Slip("B(α) had no 4 in it. Look at what multiplicative weights needs at most.", {"48": "12"}),
        Slip("** 1 / 3 were a third root. It is the first power, divided by 3: mind the brackets.", {_ROOT: " ** 1 / 3"}, 2),
        Slip("α were at most 1. An α above 1 promises nothing, but it is what the condition asks for.", {"return (": "return min(1, (", _ROOT: _ROOT + ")"}),
        Slip("the third root were taken of a part only: all that stands beside α³ belongs under it.", {"(48 * math": "48 * (math"}, 2),
        Slip("|X| stood there without its logarithm. The budget of updates is far smaller.", {"math.log(universe_size)": "universe_size"}),
        Slip("the logarithms had base 2. The theorem has natural ones.", {_LOGS: "math.log2(2 * num_queries) + math.log2(3 / beta)", "math.log(universe_size)": "math.log2(universe_size)"}),
        Slip("the logarithms had base 2. The theorem has natural ones.", {_LOGS: "math.log2(2 * num_queries) + math.log2(3 / beta)"}),
        Slip("β stood there without its 3. The event has three parts, each with a share of β.", {"3 / beta": "1 / beta"}),
        Slip("β were shared in two. The event has three parts, each with a share of it.", {"3 / beta": "2 / beta"}),
        Slip("the logarithms were multiplied. They are added: together they are one logarithm.", {" + math.log(3": " * math.log(3"}),
        Slip("one took the logarithm of a sum. The logarithms are added, their arguments are not.", {_LOGS: "math.log(2 * num_queries + 3 / beta)"}),
        Slip("the logarithm of β had the wrong sign: a smaller β must make α larger.", {"math.log(3 / beta)": "math.log(3 * beta)"}),
        Slip("ε were not there. A smaller ε must make α larger.", {"(epsilon * n)": "n"}),
        Slip("n were not there. More rows must make α smaller.", {"(epsilon * n)": "epsilon"}),
        Slip("the answers’ accuracy were asked for, which is three times α.", {"return (": "return 3 * ("}),
        Slip("a division by ε·n divided by ε alone and multiplied by n: mind the brackets.", {"(epsilon * n)": "epsilon * n"}),
    ],
    same=close(1e-4, 0),
    praise="for 17 settings this is the smallest α. It falls with the third root of n: for "
    "half the error, eight times the rows.",
)  # fmt: skip
