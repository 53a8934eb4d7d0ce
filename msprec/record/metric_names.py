"""What the name of a metric says: whether less of it is better, or more."""

import re
from typing import Optional

LOWER = re.compile(r"loss|error|mae|mse|rmse|perplexity|ppl|(^|_)[wc]er$|distance", re.IGNORECASE)
HIGHER = re.compile(
    r"acc|f1|auc|(^|_)m?ap(50)?$|iou|dice|bleu|rouge|precision|recall|top_?\d|psnr|ssim|score|(^|_)r2", re.IGNORECASE
)
#: What is counted where a share of right answers is computed.
_RIGHT = re.compile(r"correct|(^|_)hits?(_|$)|right_answers|n_right", re.IGNORECASE)


def is_metric_name(name: str) -> bool:
    """Whether the name tells which way is better."""
    return bool(LOWER.search(name) or HIGHER.search(name))


def metric_in(words: str) -> Optional[str]:
    """The first of some words (identifiers, separated by blanks) that is the name of a metric; None where none is."""
    for word in words.split():
        if is_metric_name(word):
            return word
        if _RIGHT.search(word):
            return "accuracy"
    return None
