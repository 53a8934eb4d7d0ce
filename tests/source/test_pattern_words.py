"""Words that a text has to hold for a pattern to match."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msprec.source.pattern_words import may_match, needed_words, worth_a_search


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"(?i)forecast|look_?back|\bhorizon\b", ("forecast", "lookback", "look_back", "horizon")),
        (r"\bstop_gradient\s*\(|\.detach\s*\(", ("stop_gradient", ".detach")),
        (r"(Sigmoid|Tanh)\(\)", ("sigmoid", "tanh")),
        (r"(loss)+\s*=", ("loss",)),
        (r"(loss)*\s*=", ("=",)),  # it may match without the word
        (r"(loss)*\s*\w", None),
        (r"%\s*\w|\bq_?net\b", ("%", "qnet", "q_net")),
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


@given(
    st.sampled_from(_PATTERNS),
    st.lists(st.text("abcdlos*= _(.gPSEndrwREWARDpayxz", max_size=20), min_size=1, max_size=6),
)
def test_each_line_that_matches_is_worth_a_search(pattern, lines):
    compiled, starts = re.compile(pattern), [0]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    places = list(worth_a_search(compiled, "\n".join(lines).lower(), starts))
    assert places == sorted(set(places))
    assert set(places) >= {at for at, line in enumerate(lines) if compiled.search(line)}


@pytest.mark.parametrize("pattern", _PATTERNS)
def test_of_texts_that_match(pattern):
    """Texts made from the patterns, as those drawn at random hardly ever match."""
    compiled = re.compile(pattern)

    @given(st.from_regex(compiled))
    def holds(text):
        assert may_match(compiled, text.lower())
        assert "\n" in text or list(worth_a_search(compiled, f"{text}\n{text}".lower(), [0, len(text) + 1])) == [0, 1]

    holds()
