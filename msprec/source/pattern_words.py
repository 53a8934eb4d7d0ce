"""Words that a text has to hold for a pattern to match: most files are told by them to hold no match, without a search."""

import re
from functools import cache
from typing import Any, Optional

try:
    from re import _parser as _sre  # type: ignore[attr-defined]
except ImportError:  # before Python 3.11
    import sre_parse as _sre

#: Shorter words are in nearly every file.
_SHORTEST = 3
_PARTS = {"SUBPATTERN": 3, "MAX_REPEAT": 2, "MIN_REPEAT": 2}


def may_match(pattern: re.Pattern, lower: str) -> bool:
    """Whether a pattern can match anywhere in a text of which ``lower`` is the lower case: False only where it cannot."""
    words = needed_words(pattern)
    return words is None or any(word in lower for word in words)


@cache
def needed_words(pattern: re.Pattern) -> Optional[tuple]:
    """The words, in lower case, one of which each match of a pattern holds; None where no such words are known."""
    return _of_sequence(list(_sre.parse(pattern.pattern, pattern.flags)))


def _of_sequence(items: list) -> Optional[tuple]:
    """The same of what has to match one after the other: of all that is needed, what is rarest, that is longest."""
    found: list[tuple] = []
    run = ""
    for kind, value in items:
        if str(kind) == "LITERAL":
            run += chr(value).lower()
            continue
        found.append((run,))
        run = ""
        words = _of_item(str(kind), value)
        if words is not None:
            found.append(words)
    found.append((run,))
    best = max(found, key=lambda words: min(map(len, words)))
    return best if min(map(len, best)) >= _SHORTEST else None


def _of_item(kind: str, value: Any) -> Optional[tuple]:
    if kind == "BRANCH":
        each = [_of_sequence(list(branch)) for branch in value[1]]
        return None if any(one is None for one in each) else tuple(word for one in each for word in one or ())
    if kind not in _PARTS or (kind != "SUBPATTERN" and value[0] < 1):
        return None
    return _of_sequence(list(value[_PARTS[kind]]))
