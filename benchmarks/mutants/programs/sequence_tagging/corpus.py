"""Sentences with the part of speech of each word."""

import numpy as np

TAGS = ["<pad>", "DET", "ADJ", "NOUN", "VERB", "PREP", "ADV", "PRON"]
WORDS = {
    "DET": ["the", "a", "this", "every", "some"],
    "ADJ": ["old", "green", "quick", "light", "cold", "open", "warm", "clean", "dry", "empty"],
    "NOUN": [
        "house",
        "dog",
        "light",
        "walk",
        "play",
        "water",
        "cook",
        "man",
        "cold",
        "book",
        "watch",
        "plan",
        "garden",
    ],
    "VERB": [
        "sees",
        "walk",
        "play",
        "light",
        "cook",
        "open",
        "watch",
        "plan",
        "book",
        "clean",
        "dry",
        "likes",
        "water",
    ],
    "PREP": ["in", "on", "under", "near", "past"],
    "ADV": ["slowly", "often", "near", "past", "well", "quick"],
    "PRON": ["they", "we", "you", "she", "it"],
}


def noun_phrase(rng):
    if rng.random() < 0.3:
        return ["PRON"]
    return ["DET"] + ["ADJ"] * rng.integers(0, 3) + ["NOUN"]


def make_sentences(count, seed=5):
    """A list of (words, tags)."""
    rng = np.random.default_rng(seed)
    sentences = []
    for _ in range(count):
        tags = [*noun_phrase(rng), "VERB"]
        if rng.random() < 0.7:
            tags += noun_phrase(rng)
        if rng.random() < 0.5:
            tags += ["PREP", *noun_phrase(rng)]
        if rng.random() < 0.4:
            tags += ["ADV"]
        words = [WORDS[tag][rng.integers(len(WORDS[tag]))] for tag in tags]
        sentences.append((words, tags))
    return sentences
