"""Which part of the data a name speaks of: that for training, another one, or labels (dp.02, td.05)."""

import re

#: Names of data for training, for evaluation, and of labels.
TRAINING = re.compile(r"(^|_)x?(tr|trn|train|training|learn)(_|\d|$)", re.IGNORECASE)
OTHER = re.compile(
    r"(^|_)x?(te|tst|test|testing|val|valid|validation|dev|eval|evaluation|holdout|infer|inference)(_|\d|$)",
    re.IGNORECASE,
)
LABELS = re.compile(r"(^|_)(y|ys|labels?|targets?)(_|\d|$)", re.IGNORECASE)


def part_of(name: str) -> str:
    """``train`` or ``other`` of a name that speaks of the one alone; else an empty text."""
    training, other = TRAINING.search(name) is not None, OTHER.search(name) is not None
    if training == other:
        return ""
    return "train" if training else "other"
