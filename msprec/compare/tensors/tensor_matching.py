"""Which tensor of one dump belongs to which of the other: by name, by a mapping, by order, by structure."""

from collections import Counter
from typing import NamedTuple, Optional

from msprec.compare.alignment import aligned
from msprec.compare.dumps.dump import Dump, DumpedTensor
from msprec.compare.errors import CannotRead
from msprec.compare.weights.parameter_matching import WORDS, squeezed, without_wrapper


class Paired(NamedTuple):
    """``pairs``: ``(item of a, item of b, how)`` in the order of ``a``; ``only_a``, ``only_b``: items without a counterpart."""

    pairs: list
    only_a: list
    only_b: list


def pair_dumps(a: Dump, b: Dump, how: str = "auto", renames: tuple = (), mapping: Optional[dict] = None) -> Paired:
    """Pairs the tensors of two dumps.

    Args:
        a: The reference.
        b: The other.
        how: "auto" (by name, what is left by structure), "name", "order" or "structure".
        renames: ``(pattern, replacement)``, applied to the names of ``b``.
        mapping: ``{name or operation of a: name or operation of b}``.
    """
    step_a, step_b = _steps(a.items, b.items)
    if how == "order":
        return _by_order(a.items, b.items)
    found, left_a, left_b = [], list(a.items), list(b.items)
    if mapping:
        found, left_a, left_b = _by_mapping(left_a, left_b, mapping)
    if how in ("auto", "name"):
        ours, theirs = _op_key(left_a, ()), _op_key(left_b, renames)
        for exact in (True, False):

            def key(item, step, op, exact=exact):
                return (
                    step[item.step],
                    item.op if exact else op(item.op),
                    item.phase,
                    item.call,
                    item.io,
                    item.slot if exact else WORDS.get(item.slot, item.slot),
                )

            more, left_a, left_b = _by_key(
                left_a, left_b, lambda i, k=key: k(i, step_a, ours), lambda i, k=key: k(i, step_b, theirs)
            )
            found += [(x, y, "name") for x, y in more]
    if how in ("auto", "structure"):
        more, left_a, left_b = _by_structure(left_a, left_b, step_a, step_b)
        found += [(x, y, "structure") for x, y in more]
    place = {id(item): at for at, item in enumerate(a.items)}
    return Paired(sorted(found, key=lambda pair: place[id(pair[0])]), left_a, left_b)


def _steps(a: list, b: list) -> tuple:
    """``({step: number}, …)``: steps with the same number, or, where the two count otherwise, the first with the first."""
    ours, theirs = sorted({i.step for i in a}), sorted({i.step for i in b})
    if set(ours) & set(theirs) and not (ours[0] != theirs[0] and len(ours) == len(theirs)):
        return {s: s for s in ours}, {s: s for s in theirs}
    return {s: n for n, s in enumerate(ours)}, {s: n for n, s in enumerate(theirs)}


def _op_key(items: list, renames: tuple):
    """A key that makes the operations' names of two frameworks equal."""
    import re

    def renamed(op: str) -> str:
        for pattern, replacement in renames:
            op = re.sub(pattern, replacement, op)
        return op

    cut = without_wrapper([f"{renamed(op)}." for op in dict.fromkeys(i.op for i in items) if op])
    made = {}

    def key(op: str) -> str:
        if op not in made:
            made[op] = cut(f"{renamed(op)}.").rstrip(".")
        return made[op]

    return key


def _by_key(left_a: list, left_b: list, key_a, key_b) -> tuple:
    of_b, count = {}, Counter()
    for item in left_b:
        of_b[key_b(item)] = item
        count[key_b(item)] += 1
    counts_a = Counter(map(key_a, left_a))
    pairs = [(x, of_b[k]) for x in left_a if (k := key_a(x)) in of_b and count[k] == 1 and counts_a[k] == 1]
    return pairs, *_left(left_a, left_b, pairs)


def _left(left_a: list, left_b: list, pairs: list) -> tuple:
    taken_a, taken_b = {id(x) for x, _ in pairs}, {id(y) for _, y in pairs}
    return [i for i in left_a if id(i) not in taken_a], [i for i in left_b if id(i) not in taken_b]


def _by_mapping(left_a: list, left_b: list, mapping: dict) -> tuple:
    pairs = []
    names = {i.name: i for i in left_b}
    ops = {}
    for item in left_b:
        ops.setdefault(item.op, {})[item.step, item.phase, item.call, item.io, WORDS.get(item.slot, item.slot)] = item
    for item in left_a:
        other = names.get(mapping.get(item.name))
        if other is None and item.op in mapping:
            key = (item.step, item.phase, item.call, item.io, WORDS.get(item.slot, item.slot))
            other = ops.get(mapping[item.op], {}).get(key)
        if other is not None:
            pairs.append((item, other))
    if not pairs:
        raise CannotRead("the mapping names nothing that both dumps hold")
    return [(x, y, "map") for x, y in pairs], *_left(left_a, left_b, pairs)


def _by_order(a: list, b: list) -> Paired:
    count = min(len(a), len(b))
    return Paired([(x, y, "order") for x, y in zip(a, b)], a[count:], b[count:])


# --- structure ----------------------------------------------------------------------------------------------------
def _shape(item: DumpedTensor) -> Optional[tuple]:
    if item.shape is not None:
        return squeezed(item.shape)
    try:
        return squeezed(item.open().shape)
    except CannotRead:
        return None


def _calls(items: list, steps: dict) -> list:
    """``(signature, {(io, slot): item})`` of each call of an operation; the signature is its phase and its outputs' shapes."""
    calls = {}
    for item in items:
        calls.setdefault((steps[item.step], item.op, item.phase, item.call), []).append(item)
    found = []
    for (step, _, phase, _), members in calls.items():
        made = [i for i in members if i.io in ("output", "gradient")] or members
        shapes = tuple(sorted({shape for i in made[:8] if (shape := _shape(i)) is not None}))
        found.append(((step, phase, shapes), {(i.io, WORDS.get(i.slot, i.slot)): i for i in members}))
    return found


def _by_structure(left_a: list, left_b: list, step_a: dict, step_b: dict) -> tuple:
    if not left_a or not left_b:
        return [], left_a, left_b
    calls_a, calls_b = _calls(left_a, step_a), _calls(left_b, step_b)
    pairs = []
    for at_a, at_b in aligned([c[0] for c in calls_a], [c[0] for c in calls_b]):
        x, y = calls_a[at_a][1], calls_b[at_b][1]
        pairs += [(x[key], y[key]) for key in x if key in y]
    return pairs, *_left(left_a, left_b, pairs)
