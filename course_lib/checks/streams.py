"""Streams of queries to judge a sparse vector mechanism by: how it is run, and its exact law."""

import itertools
import math
import reprlib
from collections.abc import Sized
from dataclasses import replace
from operator import itemgetter
from typing import NamedTuple

from course_lib.checks.engine import NotYet, Slip, number
from course_lib.checks.laws import Case, not_cut
from course_lib.exact.transcripts import log_probability
from course_lib.lab.noise import generator
from course_lib.support.answers import ABOVE, BELOW


class Stream(NamedTuple):
    """Values, what else the mechanism is given, and the exact row of the family that it is."""

    values: tuple
    given: dict
    row: object


def run_stream(mechanism, stream, rng):
    """The answers to a stream: ABOVE, BELOW or a number each. Query i looks up the i-th value."""
    queries = [itemgetter(i) for i in range(len(stream.values))]
    result = mechanism(list(stream.values), queries, **stream.given, rng=rng)
    if not hasattr(result, "__iter__"):
        raise NotYet(
            f"your function returned {reprlib.repr(result)}. It should yield an answer for each "
            "query, or return them in a list."
        )
    return tuple(map(_read, itertools.islice(result, len(stream.values) + 1)))


def _read(answer):
    if answer is ABOVE or answer is BELOW:
        return answer
    return number(answer, "an answer is")


def marks(stream, answers):
    """The label of a run without numbers."""
    return " ".join(map(str, answers)) or "nothing"


def transcripts(size, cutoff):
    """Every transcript of `size` queries, cut off at the last ⊤ it may have."""
    found = {}
    for answers in itertools.product((ABOVE, BELOW), repeat=size):
        above = [i for i, answer in enumerate(answers) if answer is ABOVE]
        found[answers[: above[cutoff - 1] + 1] if len(above) >= cutoff else answers] = None
    return list(found)


NEVER = 1e-15  # what is less likely than this is not expected in any number of runs
NOISE = {"much too low": -1.2, "too low": 0.0, "too high": 1.2, "much too high": math.inf}
_TAIL = math.exp(-1.2) / 2
_OF_NOISE = dict(zip(NOISE, (_TAIL, 0.5 - _TAIL, 0.5 - _TAIL, _TAIL), strict=True))


def kinds(stream, answers):
    """The label of a run: its answers, where a number is replaced by how far it is off."""
    values = (*stream.values, math.nan)  # an answer too many has no value
    return (
        " ".join(
            _kind((answer - value) / stream.row.release_scale)
            if isinstance(answer, float)
            else str(answer)
            for answer, value in zip(answers, values, strict=False)
        )
        or "nothing"
    )


def _kind(noise):
    return next((f"({word})" for word, end in NOISE.items() if noise < end), "(no number)")


def stream_case(values, row, *, words, runs, **given):
    """A stream, with the exact law of its answers."""
    law, events = {}, {}
    silent = replace(row, released=None, release_scale=None)
    for answers in transcripts(len(values), row.cutoff):
        heard = values[: len(answers)]
        chance = math.exp(log_probability(silent, heard, answers, threshold=given["threshold"]))
        if chance < NEVER:
            continue
        above = [i for i, answer in enumerate(answers) if answer is ABOVE]
        first = f"the first ⊤ by query {above[0] + 1}" if above else "no ⊤"
        pieces = [
            _OF_NOISE if row.released and each is ABOVE else {str(each): 1} for each in answers
        ]
        for label in itertools.product(*pieces):
            name = " ".join(f"({each})" if each in _OF_NOISE else each for each in label)
            law[name] = chance * math.prod(p[each] for p, each in zip(pieces, label, strict=True))
            happened = [f"{len(above)} times ⊤", first, *_about_numbers(label)]
            happened += [
                f"the first ⊤ by query {i + 1}"
                for i in range(len(values))
                if above and above[0] < i
            ]
            for event in happened:
                events.setdefault(event, set()).add(name)
    stream = Stream(tuple(values), given, row)
    return Case(stream, words, law, tuple(events.items()), runs)


def _about_numbers(label):
    """What happened to numbers: each alone, with another, and with the answers next to it."""
    numbers = [each for each in label if each in _OF_NOISE]
    yield from (f"a first number {each}" for each in numbers[:1])
    yield from (f"a later number {each}" for each in numbers[1:])
    for one, other in itertools.combinations(numbers, 2):
        yield f"a number {one}, later one {other},"
    for one, other in itertools.pairwise(label):
        if (one in _OF_NOISE) != (other in _OF_NOISE):
            yield " just before ".join(
                f"a number {each}" if each in _OF_NOISE else each for each in (one, other)
            )


def far_case(signs, row, *, reach, words, **given):
    """Values so far above (+) or below (-) the threshold that its noise does not matter."""
    values = [given["threshold"] + reach * (1 if sign == "+" else -1) for sign in signs]
    return stream_case(values, row, words=words, runs=20, **given)


def waits(mechanism, stream):
    """NotYet if a mechanism takes a query before its last answer was taken; else remarks on it."""
    asked = []
    queries = (asked.append(i) or itemgetter(i) for i in range(len(stream.values)))
    try:
        answers = mechanism(list(stream.values), queries, **stream.given, rng=generator(0))
        if not isinstance(answers, Sized):
            for taken, _ in enumerate(answers, start=1):
                if len(asked) > taken:
                    raise NotYet(
                        "you take the next query before the answer to this one was taken. The "
                        "analyst may choose it after seeing the answer: yield inside the loop."
                    )
            return []
    except NotYet:
        raise
    except Exception:  # it has run on a list, so what it cannot take is a stream
        pass
    return [
        "(A remark: it needs the whole stream before it answers. With yield, an analyst could "
        "choose each query after seeing the answer to the one before.)"
    ]


def waits_and_rounds_nothing(mechanism, stream):
    """The same, and NotYet if the noise of numbers is rounded or cut before it is added to them."""
    not_cut(_noises(mechanism, stream))
    return waits(mechanism, stream)


def _noises(mechanism, stream):
    """The noise of numbers for values far above the threshold, in units of its scale."""
    rng = generator(0)
    for fractions in rng.random((2000, stream.given["cutoff"])).tolist():
        values = tuple(stream.given["threshold"] + 2000 + each for each in fractions)
        answers = run_stream(mechanism, stream._replace(values=values), rng)
        for answer, value in zip(answers, values, strict=False):
            if isinstance(answer, float):
                yield (answer - value) / stream.row.release_scale


LESS = "Then the answers tell more about one row than ε allows."
MORE = "That is private, but wider than it need be, so answers go wrong more often."
_LOOP, _HALT, _BELOW = "    for query in queries:\n", "if count == cutoff:", "yield BELOW\n"


def stream_slips(threshold, query, number=None, *, redrawn):
    """Slips that any Sparse allows whose solution draws these noises, as they stand in it.

    A `number` is drawn if numbers are released; `redrawn` says if the threshold is drawn again.
    """
    above, draw = "number" if number else "⊤", f"noisy_threshold = threshold + {threshold}\n"
    first, again = f"    {draw}    count = 0\n", f"            return\n        {draw}"
    draws = [first, f" + {query} <"] + [again] * redrawn
    said = f"yield value + {number}" if number else "yield ABOVE"
    draws += [said] * bool(number)
    slips = [
        Slip(
            f"the threshold had no noise. {LESS}",
            {each: each.replace(f" + {threshold}", "") for each in [first] + [again] * redrawn},
        ),
        Slip(f"the comparison added no noise to the query. {LESS}", {f" + {query} <": " <"}),
        Slip(
            "the threshold got new noise for each query. All ⊥ are free because they share one "
            "noisy threshold.",
            {_LOOP: f"{_LOOP}        {draw}"},
        ),
        Slip(
            "all comparisons shared one noise. Then two answers tell what each of them hides.",
            {_LOOP: f"    noise = {query}\n{_LOOP}", f" + {query} <": " + noise <"},
        ),
        Slip("the comparison were the other way round.", {" < noisy": " >= noisy"}),
        Slip(
            f"it went on after the last {above}. Only c of them are paid for.",
            {_HALT: "if False:"},
        ),
        Slip(
            f"it said ⊥ after the last {above}. It has to halt: a ⊥ that is no answer says nothing.",
            {f"{_HALT}\n            return\n": f"{_HALT}\n            yield from (BELOW for query in queries)\n            return\n"},
        ),
        Slip(f"it halted at the first {above}. c of them are paid for.", {_HALT: "if True:"}),
        Slip(
            f"it halted one {above} too late. Nothing pays for that one.",
            {_HALT: "if count > cutoff:"},
        ),
        Slip(
            f"it halted before the last {above} was told. It is paid for.",
            {f"        {said}\n": "", "            return\n": f"            return\n        {said}\n"},
        ),
        Slip(
            f"⊥ counted, too. They are free: only a {above} brings the halt nearer.",
            {_BELOW: f"{_BELOW}            count += 1\n            {_HALT}\n                return\n"},
        ),
        Slip("⊥ were left out. Every query up to the halt gets an answer.", {f"            {_BELOW}": ""}),
        Slip(
            "values were cut to whole numbers. The noise is for the value as it is.",
            {"query(data)": "int(query(data))"},
        ),
        Slip("T were 0 whatever it is.", {first: f"    threshold = 0\n{first}"}),
        Slip(
            "T were cut to a whole number. It is a threshold as it is.",
            {first: f"    threshold = int(threshold)\n{first}"},
        ),
        Slip(f"it never halted with c = 1. Then the first {above} ends it.", {_HALT: "if count == cutoff > 1:"}),
        Slip(
            "the noise were Gaussian. Without δ it takes the tails of rng.laplace.",
            {each: each.replace("laplace", "normal") for each in draws},
        ),
    ]  # fmt: skip
    slips += _redrawn(again, above) if redrawn else []
    return slips + (_numbers(query, number) if number else [])


def _redrawn(again, above):
    return [
        Slip(
            f"the noisy threshold were kept after a {above}. Each of the c runs starts with a draw "
            "of its own, and the budget is split for that.",
            {again: "            return\n"},
        ),
        Slip(
            f"after a {above} new noise were added to the old. A run starts afresh, with T.",
            {again: again.replace("= threshold +", "+=")},
        ),
    ]


def _numbers(query, number):
    compared, released = f"value + {query} <", f"yield value + {number}"
    kept = f"(noisy := value + {query}) <"
    return [
        Slip(
            "a number carried the noise it was compared with. It then says that the noisy threshold "
            "lies below it, and each ⊥ before it costs something. Draw fresh noise.",
            {compared: kept, released: "yield noisy"},
        ),
        Slip(f"the value itself were released. {LESS}", {released: "yield value"}),
        Slip(
            f"the last number had no noise. {LESS}",
            {released: f"yield value + (count + 1 < cutoff) * {number}"},
        ),
        Slip(
            "all numbers of a run had one noise. Their differences are then exact, and tell what "
            "the noise should hide.",
            {_LOOP: f"    same = {number}\n{_LOOP}", released: "yield value + same"},
        ),
        Slip("⊤ were said where the value with fresh noise belongs.", {released: "yield ABOVE"}),
        Slip(
            "a number carried two noises, its own and that of the comparison. Only its own was "
            "drawn for it.",
            {compared: kept, released: f"yield noisy + {number}"},
        ),
        Slip("the noise were released without the value.", {released: f"yield {number}"}),
        Slip(
            "a number had noise as wide as the comparison’s. Its own part of ε pays for it.",
            {released: f"yield value + {query}"},
        ),
        Slip(
            "the noise of the numbers were Gaussian. Without δ it takes the tails of rng.laplace.",
            {released: released.replace("laplace", "normal")},
        ),
    ]
