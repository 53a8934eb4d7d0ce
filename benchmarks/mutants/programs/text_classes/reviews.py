# ruff: noqa: SIM905
"""Short reviews of films with their rating: 0 bad, 1 mixed, 2 good."""

import numpy as np

GOOD = (
    "wonderful moving brilliant funny superb gripping charming fresh clever beautiful warm honest elegant tender witty "
    "inspired vivid graceful touching thrilling lovely memorable sharp delightful radiant"
).split()
BAD = (
    "boring dull awful clumsy tedious stupid weak noisy ugly predictable stale shallow lazy messy hollow cheap bland "
    "annoying wooden lifeless confusing forced dreary sloppy pointless"
).split()
NEUTRAL = "film movie story plot actor scene music director script ending camera the a of and was in with it".split()
NEGATIONS = ["not", "never", "hardly"]


def opinion(rng, good):
    """One statement; a third of them say the opposite of a word with a negation."""
    if rng.random() < 0.4:
        return [NEGATIONS[rng.integers(3)], str(rng.choice(BAD if good else GOOD))]
    return [str(rng.choice(GOOD if good else BAD))]


def filler(rng, low, high):
    return [NEUTRAL[i] for i in rng.integers(0, len(NEUTRAL), rng.integers(low, high))]


def load_reviews(count=1200, seed=11):
    """A list of word lists and an array of labels."""
    rng = np.random.default_rng(seed)
    texts, labels = [], rng.integers(0, 3, count)
    for label in labels:
        tones = {0: [False, False], 1: [True, False], 2: [True, True]}[int(label)]
        words = filler(rng, 1, 6)
        for good in rng.permutation(tones):
            words += opinion(rng, good) + filler(rng, 1, 8)
        texts.append(words)
    return texts, labels.astype(np.int32)
