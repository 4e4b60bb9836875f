"""What a mechanism of the sparse-vector family says of one query: ⊤ or ⊥."""

from enum import Enum


class Answer(Enum):
    """What the mechanism says of one query."""

    ABOVE = "⊤"
    BELOW = "⊥"

    def __repr__(self):
        return self.value

    __str__ = __repr__


ABOVE, BELOW = Answer.ABOVE, Answer.BELOW
