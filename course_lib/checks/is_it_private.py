"""The exercises of notebook 04: Lecture 11 repaired with any split, and a pair that convicts."""

import reprlib

import numpy as np

from course_lib.checks.exercise import NotYet, exercise
from course_lib.checks.repaired import check_repaired
from course_lib.exact.family import member, privacy_loss
from course_lib.exact.transcripts import exact_loss
from course_lib.support.answers import ABOVE, BELOW

__all__ = ["check_convicting_pair", "check_repaired"]

_ROW = member("lee_clifton", cutoff=2, epsilon=1.0)
_LARGEST = 1_000_000


@exercise
def check_convicting_pair(answer):
    """Judge (values, neighbour, transcript): does Lee & Clifton’s row lose more than ε = 1 on it?

    Its cutoff is 2 and its threshold 0; neighbouring streams differ by at most 1 in each value.
    """
    values, neighbour, transcript = _three_lists(answer)
    _check_transcript(transcript)
    moves = neighbour - values
    far = np.flatnonzero(np.abs(moves) > 1 + 1e-9)
    if len(far):
        i = far[0]
        raise NotYet(
            f"the streams are not neighbours: value {i + 1} moves from {values[i]:g} to "
            f"{neighbour[i]:g}, by {abs(moves[i]):g}, and may move by 1 at most."
        )
    loss = float(exact_loss(_ROW, values, neighbour, transcript, threshold=0))
    if loss > 1 + 1e-9:
        most = privacy_loss(_ROW)
        return (
            f"the log-ratio is {loss:.4f}, more than the ε = 1 that is claimed: the row is "
            f"convicted. Longer streams come as near as you like to (1 + 6c)ε/4 = {most:g} for "
            "c = 2, and none beyond it."
        )
    hint = _hint(loss, moves, transcript)
    raise NotYet(f"the log-ratio is {loss:.4f}, and more than 1 is needed. {hint}")


def _three_lists(answer):
    try:
        values, neighbour, transcript = answer
        transcript = list(transcript)
        values, neighbour = (np.array(list(each)) for each in (values, neighbour))
        if any(each.ndim != 1 or each.dtype.kind not in "biuf" for each in (values, neighbour)):
            raise ValueError
    except (TypeError, ValueError):
        raise NotYet(
            "the answer is three lists, (values, neighbour, transcript): numbers, numbers, and "
            f"ABOVE or BELOW. You gave {reprlib.repr(answer)}."
        ) from None
    if not np.isfinite([*values, *neighbour]).all():
        raise NotYet("every value must be a finite number.")
    if np.abs([*values, *neighbour]).max(initial=0) > _LARGEST:
        raise NotYet(f"keep the values between −{_LARGEST:,} and {_LARGEST:,}: small ones suffice.")
    if not len(values) == len(neighbour) == len(transcript) > 0:
        raise NotYet(
            f"the three lists have {len(values)}, {len(neighbour)} and {len(transcript)} entries; "
            "they need equally many, one for each query."
        )
    return values.astype(float), neighbour.astype(float), transcript


def _check_transcript(transcript):
    for answer in transcript:
        if answer is not ABOVE and answer is not BELOW:
            raise NotYet(
                f"a transcript holds ABOVE and BELOW alone; yours has {reprlib.repr(answer)}."
            )
    above = [i for i, answer in enumerate(transcript) if answer is ABOVE]
    if len(above) > _ROW.cutoff:
        raise NotYet(f"with cutoff 2 there are at most two ⊤; your transcript has {len(above)}.")
    if len(above) == _ROW.cutoff and above[-1] + 1 < len(transcript):
        raise NotYet(
            f"the mechanism halts at the second ⊤, answer {above[-1] + 1}; your transcript goes on."
        )


def _hint(loss, moves, transcript):
    """How to come nearer, for a pair that does not convict."""
    above = np.array([answer is ABOVE for answer in transcript])
    if loss < -1 - 1e-9:
        return "It is below −1: exchange values and neighbour."
    if not moves.any():
        return "The two streams are equal."
    if not above.any():
        return "⊥ alone costs at most ε/4, what the threshold pays; the ⊤ cost the rest."
    wrong = np.flatnonzero(np.where(above, moves > 0, moves < 0))
    if len(wrong):
        way = "down" if above[wrong[0]] else "up"
        return (
            "The transcript must be less likely on the neighbour: there the values answered ⊥ go "
            f"up and those answered ⊤ go down. Value {wrong[0] + 1} should go {way}."
        )
    if not moves[above].any():
        return "The values answered ⊤ do not move. Let them go down."
    if not moves[~above].any():
        return "No value answered ⊥ moves. Let some go up, so that the threshold has to pay too."
    if above.sum() < _ROW.cutoff:
        return "There may be a second ⊤, which costs as much again."
    if np.abs(moves).min() < 1:
        return "Let each value move by 1, the most that is allowed."
    return (
        "All moves are as they should be. More ⊥ push the noisy threshold up, and a ⊤ costs most "
        "where it is least likely."
    )
