"""The exercises of notebook 03: the log-ratio of an output, the false step, and how bad it gets."""

from course_lib.checks.engine import Choice, Function, Slip, Value, close
from course_lib.checks.solutions import lecture11_sparse as solutions


def _outputs():
    """Numbers below, between and above the two values, c and ε on both sides of 1."""
    yield from [(3, 2.5, 2, 1.0), (1, 0, 1, 1), (4, -1.5, 3, 2), (7, -1, 2, 1.0), (5, 0.5, 1, 2)]
    yield from [(2, 0.0, 1, 0.5), (6, 3, 2, 0.25), (10, 8, 1, 1)]


_UP_TO, _RATIO = "-math.inf, number", "math.log(here / there)"
_OF_QUERY, _OF_THRESHOLD = "epsilon / (2 * cutoff)", "-abs(z) * epsilon / 2"
_EACH = "Here the noise of a query is c times as wide as that of the threshold."
check_log_ratio = Function(
    solutions.my_log_ratio,
    _outputs,
    [
        Slip(
            "T̂ might also lie above the number. But no number below T̂ comes out: this is the "
            "factor that the printed proof drops.",
            {_UP_TO: "-math.inf, math.inf"}, 2,
        ),
        Slip(
            "the scales stood in the place of loc, which moves the noise and leaves it at scale 1. "
            "Write scale=… in laplace.",
            {f"(z - value) * {_OF_QUERY}": "z - value - 2 * cutoff / epsilon", _OF_THRESHOLD: "-abs(z - 2 / epsilon)"},
        ),
        Slip("D and D′ had changed places: that turns the sign.", {_RATIO: "math.log(there / here)"}),
        Slip("the ratio were asked for, and not its logarithm.", {_RATIO: "here / there"}),
        Slip("the logarithm were to base 10. ε bounds the natural one.", {_RATIO: "math.log10(here / there)"}),
        Slip("the logarithm were to base 2. ε bounds the natural one.", {_RATIO: "math.log2(here / there)"}),
        Slip(f"threshold and queries had changed their scales. {_EACH}", {_OF_QUERY: "epsilon / 2", _OF_THRESHOLD: f"-abs(z) * {_OF_QUERY}"}),
        Slip(f"the queries had the threshold’s scale, too. {_EACH}", {_OF_QUERY: "epsilon / 2"}),
        Slip(f"the threshold had the queries’ scale, too. {_EACH}", {_OF_THRESHOLD: f"-abs(z) * {_OF_QUERY}"}),
        Slip("all noise had half its scale.", {_OF_QUERY: "epsilon / cutoff", _OF_THRESHOLD: "-abs(z) * epsilon"}),
        Slip("the number came out where T̂ lies above it. It has to reach T̂.", {_UP_TO: "number, math.inf"}, 2),
        Slip("the values were −1 on D′: with larger values a ⊥ is less likely.", {"z - value": "z + value"}),
        Slip("⊥ came where a noisy value is above T̂.", {"below**m": "(1 - below) ** m"}),
        Slip(
            "the last value had to stay below T̂, too. It gave a number, so it did not.",
            {"below**m": "below ** (m + 1)"}, 2,
        ),
        Slip("there were one ⊥ less.", {"below**m": "below ** (m - 1)"}),
        Slip("there were one ⊥, however large m is. (A factor of m in both densities cancels.)", {"below**m": "below"}),
        Slip(
            "the number had fresh noise. Here it carries the noise with which it was compared, so "
            "it also tells where T̂ is.",
            {_UP_TO: "-math.inf, math.inf", "        return": "        y = z * epsilon / (2 * cutoff)\n"
             "        above = 1 - math.exp(y) / 2 if y < 0 else math.exp(-y) / 2\n        return above *"}, 2,
        ),
        Slip(
            "every ⊥ gave as much as it ever can, whatever the number is. That is so only if T̂ "
            "surely lies below both values.",
            {_RATIO: "m * epsilon / (2 * cutoff)"},
        ),
        Slip("the last value, too, were 1 on D′.", {_RATIO: f"{_RATIO} + (abs(number - 1) - abs(number)) * epsilon / (2 * cutoff)"}),
        Slip(
            "each ⊥ had a threshold of its own. One T̂ serves all: what the first ⊥ tell of it "
            "goes into the last.",
            {_UP_TO: "-math.inf, math.inf", "below**m": "below", _RATIO: f"m * {_RATIO}"},
        ),
    ],
    same=close(1e-3, 1e-4),
    praise="the ⊥ alone give at most ε/2, but together with a low number each adds its share. After "
    "many ⊥ only a high number, which says little about T̂, keeps the log-ratio small.",
)  # fmt: skip

# Ten times the value 0 is answered ⊥, then the value 0 with the number 0; on the neighbour the ten
# are larger by 1/n. Counted in units of 1/n, with T = 0, c = 1 and ε = 1.
check_false_step = Choice(
    "which_step",
    {
        "a": "(a) is the chain rule, true of probabilities and densities alike. Here the ten ⊥ give "
        "0.4999 and the number 4.5001, together 5. Which of the two is larger than the proof says?",
        "b": "the number 0 comes out if its noise is 0 and if T̂ ≤ 0. The proof has the noise alone, "
        "with a log-ratio of 0 here; the exact one, given the ten ⊥, is 4.5001, all from Pr[T̂ ≤ 0 | "
        "ten ⊥]. With 0.4999 from the ten ⊥ this makes 5, where the theorem allows 1.",
        "c": "(c) holds for the sets as they are stated here: no query is raised by more than 1/n, "
        "so a threshold raised by 1/n keeps every ⊥. With T̂ at 0 the three sets have probabilities "
        "4.4·10⁻⁸, 9.8·10⁻⁴ and 9.8·10⁻⁴.",
        "d": "(d) holds: T̂ has noise Lap(2/(εn)), whose density changes by a factor of at most "
        "e^(ε/2) = 1.6487 over 1/n. From Z = 0 to 1/n it is just that.",
        "e": "(e) holds for this output: its ten ⊥ have the log-ratio 0.4999. After a number it is "
        "false (c = 2: after the number 0 a value 0 gets ⊥ with probability 0.3333, not 0.5). But "
        "that comes from an earlier step, which is false here too.",
    },
    right="b",
)

check_breaks_at = Value(
    "breaks_at",
    solutions.breaks_at,
    praise="61 times ⊥ and one number, and the loss is more than ten times what Theorem 3 promises. "
    "No factor repairs the theorem: with m it goes beyond every bound.",
    slips={
        60: "after 60 times ⊥ it is just ten times what is promised, and more is asked for.",
        7: "there it is more than ε for the first time, and ten times ε is asked for.",
        121: "there it is more than 10, and ten times the promised ε is less.",
        21: "a share of ε/2 for every ⊥ is right for c = 1 alone.",
        31: "there it is about five times ε. Is a factor of 2 missing, or an ε?",
    },
    otherwise=lambda m: (
        f"after {m:g} times ⊥ the log-ratio is {m / 12:.4g}, and the theorem promises 0.5."
        f"{' Fewer are enough.' if m > 61 else ''}"
    ),
)
