"""What judges every exercise: a verdict by behaviour, and a name for a mistake by example.

An exercise has a solution and slips: the solution with a line or two changed, and a sentence. The
answer, the solution and the slips are run on the same cases with the same noise. What behaves like
the solution is right; what behaves like the slips of one sentence, on every case, gets that
sentence; anything else gets the first case that differs.
"""

import contextlib
import copy
import ctypes
import functools
import inspect
import io
import itertools
import linecache
import math
import re
import reprlib
import sys
import sysconfig
import textwrap
import threading
import time
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

STATE = "Something outlives a call: a global name, or a list as a default value."
PATIENCE, BUDGET = 10, 120  # seconds of CPU time for one call of an answer, and for all
LONGEST = 300  # characters of a message
_ADDRESS = re.compile(r" at 0x\w+")
_OURS = (str(Path(__file__).parent.parent), *sysconfig.get_paths().values())


class NotYet(Exception):
    """What is wrong with an answer, in a sentence for the student."""

    def __init__(self, words, hint=None):
        super().__init__(words)
        self.hint = hint


class TooLong(BaseException):
    """Raised inside an answer that does not end; no `except Exception` catches it.

    A bare `except` does, which may stand in the loop. So it is raised once more by the next line
    that the answer comes to, the first of what is done about the exception.
    """

    def __init__(self):
        frame, inside = sys._getframe(1), []
        while frame and frame.f_code.co_name != "limited":
            inside.append(frame)
            frame = frame.f_back
        if frame and inside:
            for each in inside:
                each.f_trace = _again
            sys.settrace(_again)


def _again(frame, event, argument):
    raise TooLong


@dataclass(frozen=True)
class Slip:
    """A mistake: it completes “It behaves as if”; pieces of the solution and what replaces them."""

    sentence: str
    changes: dict
    hint: int = 1

    def applied(self, solution):
        """The solution with the changes made; each piece must stand in it exactly once."""
        source = textwrap.dedent(inspect.getsource(solution))
        for old in self.changes:
            if source.count(old) != 1:
                raise LookupError(f"{solution.__name__} has {old!r} {source.count(old)} times")
        for old in sorted(self.changes, key=source.index, reverse=True):
            at = source.index(old)
            source = source[:at] + self.changes[old] + source[at + len(old) :]
        names = dict(solution.__globals__)
        exec(compile(source, f"<slip of {solution.__name__}>", "exec"), names)
        return names[solution.__name__]


class Exercise:
    """A check: called with an answer it prints a verdict, and `grade` raises what is not right."""

    def __init__(self, name, *, hint=1):
        self.name, self.hint = name, hint

    def __call__(self, answer):
        """Print the verdict on an answer."""
        print(textwrap.fill(self.verdict(answer)[1], 100))

    def grade(self, answer):
        """Raise NotYet with the verdict unless the answer is right."""
        right, words = self.verdict(answer)
        if not right:
            raise NotYet(words)

    def verdict(self, answer):
        """Whether the answer is right, and words for a student."""
        if answer is None:
            return False, "Not answered yet: put your answer in place of None, and run this again."
        try:
            with contextlib.redirect_stdout(_Silence()):
                return True, f"✓ Right: {self.judge(answer)}"
        except NotImplementedError:
            return False, f"Not written yet: fill in {self.name}, then run this cell again."
        except NotYet as fault:
            words = textwrap.shorten(str(fault), LONGEST - 30, placeholder=" …")
            return False, f"✗ Not yet: {words} Next: hint {fault.hint or self.hint}."

    def judge(self, answer):
        """Why the answer is right; raises NotYet if it is not."""
        raise NotImplementedError

    def stub(self):
        """Put the empty exercise and its check into a new cell (outside a notebook: print it)."""
        try:
            shell = get_ipython()
        except NameError:
            return print(self.stub_source())
        check = next(name for name, value in shell.user_ns.items() if value is self)
        shell.set_next_input(f"{self.stub_source()}\n\n\n{check}({self.name})")

    def stub_source(self):
        return f"{self.name} = None"


class _Silence(io.TextIOBase):
    """Where a student's own prints go: one for each of thousands of runs."""

    def write(self, text):
        return len(text)


class Choice(Exercise):
    """One letter of several, with a reason for each."""

    def __init__(self, name, reasons, *, right, hint=1):
        super().__init__(name, hint=hint)
        self.reasons, self.right = reasons, right

    def judge(self, answer):
        letter = answer.strip(" ().\"'").lower() if isinstance(answer, str) else ""
        if letter not in self.reasons:
            letters = ", ".join(f'"{each}"' for each in self.reasons)
            raise NotYet(f"answer with one of {letters}; you gave {brief(answer)}.")
        if letter != self.right:
            raise NotYet(self.reasons[letter])
        return self.reasons[letter]


class Value(Exercise):
    """One number; `slips` maps wrong ones to sentences, `otherwise` says what a number does."""

    def __init__(self, name, solution, *, praise, slips, otherwise, tolerance=1e-6, hint=1):
        super().__init__(name, hint=hint)
        self.solution, self.praise, self.slips = solution, praise, slips
        self.otherwise, self.tolerance = otherwise, tolerance

    def judge(self, answer):
        given = number(answer, "your answer is")
        if not math.isfinite(given):
            raise NotYet(f"your answer is {given}, and a finite number is asked for.")
        if math.isclose(given, self.solution, rel_tol=self.tolerance):
            return self.praise
        for wrong, sentence in self.slips.items():
            if math.isclose(given, wrong, rel_tol=self.tolerance):
                raise NotYet(sentence)
        raise NotYet(self.otherwise(given))


class Coding(Exercise):
    """A function to write. `run(function, case)` gives what is observed of it on a case.

    `cases` is a function, called when they are first needed.
    """

    def __init__(self, solution, cases, slips, *, run, praise, hint=1):
        super().__init__(solution.__name__, hint=hint)
        self.solution, self.slips, self._cases = solution, slips, cases
        self.run, self.praise = run, praise

    @functools.cached_property
    def cases(self):
        return list(self._cases())

    def stub_source(self):
        head, _, _ = inspect.getsource(self.solution).partition(":\n")
        return f"{head}:\n    raise NotImplementedError"

    @functools.cached_property
    def wrong(self):
        """For each slip: its function."""
        return [(slip, slip.applied(self.solution)) for slip in self.slips]

    def observed(self, function, *case):
        """What is observed in one run; an exception is something observed, too."""
        try:
            return self.run(function, *case)
        except Exception as error:
            if type(error) is NotImplementedError and _is_own(_frames(error)[-1]):
                raise  # the stub’s, not one from a library
            return error if isinstance(error, NotYet) else NotYet(told(error, self.name))

    def name_it(self, agrees):
        """Raise the sentence of the slips that agree with the answer, if there is just one."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # those of a slip are not the student's
            alike = [slip for slip, function in self.wrong if agrees(function)]
        if len({slip.sentence for slip in alike}) == 1:
            raise NotYet(f"it behaves as if {alike[0].sentence}", alike[0].hint)


class Function(Coding):
    """A function without chance: it has to agree with the solution on every case.

    `tell(case, mine, right)` puts the first case that differs into words.
    """

    def __init__(
        self, solution, cases, slips=(), *, praise, run=None, same=None, tell=None, hint=1
    ):
        super().__init__(
            solution, cases, slips, run=run or plain_run(number), praise=praise, hint=hint
        )
        self.same = same or close()
        self.tell = tell or functools.partial(difference, self.name)

    @functools.cached_property
    def wanted(self):
        return self.seen(self.solution)

    def seen(self, function):
        return [self.observed(function, case) for case in self.cases]

    def judge(self, answer):
        with patience() as limited:
            got = [limited(self.observed, answer, case) for case in self.cases]
            again = [limited(self.observed, answer, case) for case in reversed(self.cases)][::-1]
        if not self._agree(got, again):
            raise NotYet(
                f"called again with the same arguments, it returns something else. {STATE}"
            )
        if self._agree(got, self.wanted):
            return self.praise
        self.name_it(lambda function: self._agree(got, self.seen(function)))
        pairs = zip(self.cases, got, self.wanted, strict=True)
        case, mine, right = next(each for each in pairs if not self._same(*each[1:]))
        if isinstance(mine, NotYet):
            raise mine
        relation(got, self.wanted)
        raise NotYet(self.tell(case, mine, right))

    def _agree(self, some, others):
        return all(map(self._same, some, others))

    def _same(self, one, other):
        if isinstance(one, NotYet) or isinstance(other, NotYet):
            return str(one) == str(other)
        return self.same(one, other)


def plain_run(read):
    """A run that calls the function with copies of the arguments, and reads what it returns."""

    def run(function, case):
        arguments = copy.deepcopy(case)
        result = read(function(*arguments))
        if not close()(arguments, case):
            raise NotYet("your function changes what it was given. Leave it, and return a new one.")
        return result

    return run


def close(relative=1e-6, absolute=1e-9):
    """Whether two observations are equal up to rounding: numbers, arrays, mappings, sequences."""

    def same(one, other):
        if isinstance(one, dict) or isinstance(other, dict):
            return (
                isinstance(one, dict)
                and isinstance(other, dict)
                and one.keys() == other.keys()
                and all(same(one[key], other[key]) for key in one)
            )
        if isinstance(one, tuple | list) and isinstance(other, tuple | list):
            return len(one) == len(other) and all(map(same, one, other))
        if isinstance(one, float) and isinstance(other, float) and abs(other) < math.inf:
            return abs(one - other) <= absolute + relative * abs(other)
        if isinstance(one, float | np.ndarray) or isinstance(other, float | np.ndarray):
            if any(np.asarray(each).dtype.kind not in "biuf" for each in (one, other)):
                return False  # a number and a mark
            if np.shape(one) != np.shape(other):
                return False
            return bool(np.allclose(one, other, rtol=relative, atol=absolute, equal_nan=True))
        return one is other or one == other

    return same


def number(result, what="your function returned"):
    """One number, also from a Fraction or an array that holds one."""
    if result is None:
        raise NotYet(f"{what} None. Is there a return on every way through it?")
    if hasattr(result, "x") and hasattr(result, "fun"):
        raise NotYet(f"{what} a whole result object. The number is a part of it, its .x.")
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        array = np.asarray(_first(2, result), dtype=float)
        if array.size == 1:
            return float(array.reshape(()))
    raise NotYet(f"{what} {brief(result)}, and one number is asked for.")


def array(result):
    """An array of floats, also from a list or an iterator."""
    if result is None:
        raise NotYet("your function returned None. Is there a return on every way through it?")
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        return np.asarray(_first(10_000, result), dtype=float)
    raise NotYet(f"your function returned {brief(result)}, and an array is asked for.")


def _first(many, result):
    """So many of what an iterator gives, which may go on for ever; anything else as it is."""
    return list(itertools.islice(result, many)) if hasattr(result, "__next__") else result


def brief(value):
    """How Python shows a value, in few characters and without its address."""
    return _Brief().repr(value)


class _Brief(reprlib.Repr):
    def repr_instance(self, value, level):
        text = _ADDRESS.sub("", repr(value))  # before it is cut: two calls give two addresses
        return text if len(text) <= 80 else f"{text[:40]} … {text[-20:]}"


def relation(got, wanted):
    """Raise NotYet if every number is too large by one factor or by one difference."""
    if not all(isinstance(each, float) for each in got) or len(set(wanted)) < 3:
        return
    got, wanted = np.array(got), np.array(wanted)
    steps, factors = got - wanted, got[wanted != 0] / wanted[wanted != 0]
    if np.allclose(factors, factors[0], rtol=1e-9) and not got[wanted == 0].any():
        times = "minus " if factors[0] < 0 else ""
        times += f"{abs(factors[0]):.4g} times " if factors[0] != -1 else ""
        raise NotYet(f"in each of {len(got)} cases you return {times}what it should be.")
    if np.allclose(steps, steps[0], rtol=1e-9):
        more = "more" if steps[0] > 0 else "less"
        raise NotYet(f"in each of {len(got)} cases you return {abs(steps[0]):.4g} {more}.")


def difference(name, case, mine, right):
    """The first case that differs, with as many digits as it takes to see it."""
    given = ", ".join(shown(each) for each in case)
    for digits in range(3, 17):
        ours, yours = shown(right, digits), shown(mine, digits)
        if ours != yours:
            break
    return f"{name}({given}) gives {yours}; it should be {ours}."


def shown(value, digits=6):
    """A value in few characters."""
    if callable(value):
        return getattr(value, "__name__", "…")
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, dict):
        items = (f"{shown(key)}: {shown(each, digits)}" for key, each in value.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(value, np.ndarray | np.generic):
        return shown(value.tolist(), digits)
    if isinstance(value, list | tuple):
        return f"[{', '.join(shown(each, digits) for each in value)}]"
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def _frames(error):
    return traceback.extract_tb(error.__traceback__)


def _is_own(frame):
    """Whether a frame is the student's."""
    return not frame.filename.startswith(_OURS)


def told(error, name):
    """Where and how a student's code stopped, with its own line."""
    own = [frame for frame in _frames(error) if _is_own(frame)]
    what = textwrap.shorten(_ADDRESS.sub("", str(error)), 90, placeholder=" …") or "no message"
    line = linecache.getline(own[-1].filename, own[-1].lineno) if own else ""
    line = textwrap.shorten(line, 90, placeholder=" …")
    where = f"your line “{line}”" if line else f"the call of {name}"
    return f"{where} stopped with {type(error).__name__}: {what}."


@contextlib.contextmanager
def patience():
    """Inside, `limited(function, …)` stops a call that takes PATIENCE seconds of CPU time.

    It also stops all calls together after BUDGET seconds, and shows nothing of their stderr.

    A thread raises TooLong in the one that runs the answer; Python delivers it between two steps of
    its own, so a loop inside one call of compiled code is not reached.
    """
    thread, lock, ended = threading.get_ident(), threading.Lock(), threading.Event()
    began = [math.inf]  # when the present call was made, in CPU time
    spent = [0]  # on all calls before
    tracing = sys.gettrace()

    def raise_there(kind):
        exception = ctypes.py_object(kind) if kind else None
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), exception)

    def watch():
        while not ended.wait(0.2):
            with lock:
                took = time.process_time() - began[0]
                if not ended.is_set() and (took > PATIENCE or spent[0] + took > BUDGET):
                    raise_there(TooLong)  # and again, should a bare except swallow it

    def limited(function, *args):
        with contextlib.redirect_stderr(_Silence()):  # the engine's own bar of progress is shown
            began[0] = time.process_time()
            try:
                return function(*args)
            finally:
                spent[0] += time.process_time() - began[0]
                began[0] = math.inf
                if sys.gettrace() is _again:
                    sys.settrace(tracing)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield limited
    except TooLong:
        raise NotYet(
            f"your code was stopped: it worked for {PATIENCE} seconds in one call, or {BUDGET} in "
            "all. It does not seem to end, or is very slow. Which loop goes on for ever?"
        ) from None
    finally:
        with lock:
            ended.set()
            raise_there(None)
