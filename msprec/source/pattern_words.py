"""Words that a text has to hold for a pattern to match: they tell which lines are worth a search, in most files none."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from typing import Any, Optional

try:
    from re import _parser as _sre  # type: ignore[attr-defined]
except ImportError:  # before Python 3.11
    import sre_parse as _sre

#: Shorter words are in nearly every line; a sign alone, such as %, is not.
_SHORTEST = 2
#: More ways to write a word are not followed.
_MOST_WORDS = 8
_PARTS = {"SUBPATTERN": 3, "MAX_REPEAT": 2, "MIN_REPEAT": 2}


def may_match(pattern: re.Pattern, lower: str) -> bool:
    """Whether a pattern can match anywhere in a text of which ``lower`` is the lower case: False only where it cannot."""
    words = needed_words(pattern)
    return words is None or any(word in lower for word in words)


def worth_a_search(pattern: re.Pattern, lower: str, starts: list) -> Iterable:
    """The places of the lines in which a pattern may match, in order, for patterns that match within a line.

    ``lower`` is the lower case of the lines, joined by line ends; ``starts`` are the places in it where they begin.
    """
    words = needed_words(pattern)
    if words is None:
        return range(len(starts))
    found: set = set()
    for word in words:
        at = lower.find(word)
        while at >= 0:
            line = bisect_right(starts, at) - 1
            found.add(line)
            at = lower.find(word, starts[line + 1]) if line + 1 < len(starts) else -1
    return sorted(found)


@cache
def needed_words(pattern: re.Pattern) -> Optional[tuple]:
    """The words, in lower case, one of which each match of a pattern holds; None where no such words are known."""
    return _of_sequence(list(_sre.parse(pattern.pattern, pattern.flags)))


def _of_sequence(items: list) -> Optional[tuple]:
    """The same of what has to match one after the other: of all that is needed, what is rarest, that is longest."""
    found: list[tuple] = []
    run: tuple = ("",)
    for kind, value in items:
        follow = _letters(str(kind), value)
        if follow and len(run) * len(follow) <= _MOST_WORDS:
            run = tuple(before + letter for before in run for letter in follow)
            continue
        found.append(run)
        run = ("",)
        words = _of_item(str(kind), value)
        if words is not None:
            found.append(words)
    found.append(run)
    best = max(found, key=lambda words: min(map(len, words)))
    return best if all(map(_is_rare, best)) else None


def _letters(kind: str, value: Any) -> tuple:
    """What a single letter, or one that may be left out, stands for; nothing for anything else."""
    if kind == "LITERAL":
        return (chr(value).lower(),)
    if kind == "MAX_REPEAT" and value[:2] == (0, 1) and len(value[2]) == 1 and str(value[2][0][0]) == "LITERAL":
        return ("", chr(value[2][0][1]).lower())
    return ()


def _is_rare(word: str) -> bool:
    return len(word) >= _SHORTEST or (word != "" and not word.isalnum() and not word.isspace())


def _of_item(kind: str, value: Any) -> Optional[tuple]:
    if kind == "BRANCH":
        each = [_of_sequence(list(branch)) for branch in value[1]]
        return None if any(one is None for one in each) else tuple(word for one in each for word in one or ())
    if kind not in _PARTS or (kind != "SUBPATTERN" and value[0] < 1):
        return None
    return _of_sequence(list(value[_PARTS[kind]]))
