"""Words that a text has to hold for a pattern to match."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msprec.source.pattern_words import may_match, needed_words


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"(?i)forecast|look_?back|\bhorizon\b", ("forecast", "look", "horizon")),
        (r"\bstop_gradient\s*\(|\.detach\s*\(", ("stop_gradient", ".detach")),
        (r"(Sigmoid|Tanh)\(\)", ("sigmoid", "tanh")),
        (r"(loss)+\s*=", ("loss",)),
        (r"(loss)*\s*=", None),  # it may match without
        (r"loss|\w+", None),  # one of two ways holds no word
        (r"gan|\bd\b", None),  # too short to tell anything
        (r"(?<!x)pad[0-9]+", ("pad",)),
    ],
)
def test_words(pattern, words):
    assert needed_words(re.compile(pattern)) == words


_PATTERNS = [
    r"(?i)rewards?(_|\b)|(\b|_)advantages?(_|\b)|policy_?(grad|loss|net)",
    r"loss\s*\*=?\s*\w*(scal|sens)|\.scale\(\s*\w*loss|LossScaler\(",
    r"(?<!def )\bpad(ded_batch|_sequences?)?\s*\(|PadEnd",
    r"(?:abc){2}d?|x[yz]+abc",
]


@given(st.sampled_from(_PATTERNS), st.text("abcdlos*= _(.gPSEndrwREWARDpayxz", max_size=40))
def test_what_a_pattern_matches_is_never_told_to_hold_no_match(pattern, text):
    compiled = re.compile(pattern)
    assert may_match(compiled, text.lower()) or not compiled.search(text)


@pytest.mark.parametrize("pattern", _PATTERNS)
def test_of_texts_that_match(pattern):
    """Texts made from the patterns, as those drawn at random hardly ever match."""
    compiled = re.compile(pattern)

    @given(st.from_regex(compiled))
    def holds(text):
        assert may_match(compiled, text.lower())

    holds()
