"""Which places of two sequences belong together, by what stands there and in which order."""

import difflib
from collections import Counter

#: Comparisons that the exact way may take; beyond, the same things are paired in the order in which they come.
_MOST = 2_000_000


def aligned(a: list, b: list) -> list:
    """``(place in a, place in b)`` of equal things, both rising as far as can be afforded.

    Args:
        a, b: Sequences of hashable things.
    """
    head = 0
    while head < min(len(a), len(b)) and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < min(len(a), len(b)) - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    inner_a, inner_b = a[head : len(a) - tail], b[head : len(b) - tail]
    found = [(at, at) for at in range(head)]
    found += [(head + x, head + y) for x, y in _inner(inner_a, inner_b)]
    return found + [(len(a) - tail + at, len(b) - tail + at) for at in range(tail)]


def _inner(a: list, b: list) -> list:
    in_a, in_b = Counter(a), Counter(b)
    if sum(count * in_b[thing] for thing, count in in_a.items()) > _MOST:
        return _in_turn(a, b)
    blocks = difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    return [(x + at, y + at) for x, y, length in blocks for at in range(length)]


def _in_turn(a: list, b: list) -> list:
    places = {}
    for at, thing in enumerate(b):
        places.setdefault(thing, []).append(at)
    turn, found = Counter(), []
    for at, thing in enumerate(a):
        if turn[thing] < len(places.get(thing, ())):
            found.append((at, places[thing][turn[thing]]))
            turn[thing] += 1
    return found
