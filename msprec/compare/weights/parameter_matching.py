"""Which parameter of one framework is which of the other: by name, by the frameworks' own words, by renames, by structure."""

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple, Optional

from msprec.compare.alignment import aligned
from msprec.compare.errors import CannotRead

#: MindSpore's names of a normalisation's and an embedding's parameters, in PyTorch's words
WORDS = {
    "gamma": "weight",
    "beta": "bias",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
    "embedding_table": "weight",
}
#: Prefixes that wrapping a network adds.
_WRAPPERS = ("module.", "network.", "_backbone.", "backbone_network.", "_orig_mod.", "model.", "net.")
#: What a checkpoint holds beside the weights of a network.
_TRAINING = re.compile(
    r"^(?:moments?[12]?|accum|accumulation|momentum|velocity|mean_square|mean_grad|exp_avg(?:_sq)?|state|max_exp_avg_sq|v|m|vhat)\."
    r"|^(?:global_step|learning_rate|lr|weight_decay|beta[12]_power|step|epoch_num|step_num|append_info|epoch|scale_sense|"
    r"current_iterator_step|last_overflow_iterator_step|scale|random_op|.*\.?lr_\d+)$"
)
_COUNTERS = ("num_batches_tracked",)


class Match(NamedTuple):
    """Two names that belong together; ``how``: "name", "words", "prefix", "map", "structure"."""

    a: str
    b: str
    how: str


class Matched(NamedTuple):
    """How the names of two sides fit.

    Attributes:
        pairs: `Match` objects in the order of the first side.
        only_a, only_b: Names without a counterpart.
        training: Names of optimizers and counters on either side that the other has not: no part of a network.
    """

    pairs: list
    only_a: list
    only_b: list
    training: list


def in_common_words(name: str) -> str:
    """A parameter's name in the words that both frameworks share (PyTorch's)."""
    head, _, last = name.rpartition(".")
    last = WORDS.get(last, last)
    return f"{head}.{last}" if head else last


def match(a: dict, b: dict, renames: tuple = (), mapping: Optional[dict] = None) -> Matched:
    """Pairs the parameters of two sides.

    Args:
        a, b: ``{name: shape}`` in their order.
        renames: ``(pattern, replacement)``, applied to the names of ``b`` one after the other (regular expressions).
        mapping: ``{name of a: name of b}`` that the user gives.
    """
    found = {}
    for x, y in (mapping or {}).items():
        if x in a and y in b:
            found[x] = Match(x, y, "map")
    free_a = [n for n in a if n not in found]
    taken = {m.b for m in found.values()}
    free_b = {n: _renamed(n, renames) for n in b if n not in taken}
    for how, key_a, key_b in _keys(free_a, list(free_b.values())):
        _by_key(found, free_a, free_b, how, key_a, key_b, a, b)
    rest_a, rest_b = [n for n in a if n not in found], [n for n in b if n not in {m.b for m in found.values()}]
    training = [n for n in (*rest_a, *rest_b) if is_training_state(n)]
    rest_a, rest_b = ([n for n in rest if not is_training_state(n)] for rest in (rest_a, rest_b))
    for x, y in _by_structure(rest_a, rest_b, a, b):
        found[x] = Match(x, y, "structure")
    matched_b = {m.b for m in found.values()}
    return Matched(
        [found[n] for n in a if n in found],
        [n for n in rest_a if n not in found],
        [n for n in rest_b if n not in matched_b],
        training,
    )


def is_training_state(name: str) -> bool:
    """Whether a name is that of an optimizer's state or of a counter."""
    return bool(_TRAINING.match(name)) or name.rpartition(".")[2] in _COUNTERS


def _renamed(name: str, renames: tuple) -> str:
    for pattern, replacement in renames:
        name = re.sub(pattern, replacement, name)
    return name


def _keys(names_a: list, names_b: list):
    """``(how, key of a, key of b)``: rules to make names equal, the strictest first."""

    def plain(name):
        return name

    yield "name", plain, plain
    yield "words", in_common_words, in_common_words
    cut_a, cut_b = without_wrapper(names_a), without_wrapper(names_b)
    yield "prefix", cut_a, cut_b


def without_wrapper(names: list):
    """A key without the prefix that wrapping gave to every parameter, in common words."""
    cut = ""
    weights = [n for n in names if not is_training_state(n)]
    while weights:
        more = next((w for w in _WRAPPERS if all(n.startswith(cut + w) for n in weights)), None)
        if more is None:
            break
        cut += more
    return lambda name: in_common_words(name[len(cut) :] if cut and name.startswith(cut) else name)


def _by_key(found: dict, free_a: list, free_b: dict, how: str, key_a, key_b, a: dict, b: dict) -> None:
    keys = Counter(key_b(renamed) for renamed in free_b.values())
    of_b = {key_b(renamed): name for name, renamed in free_b.items()}
    for name in list(free_a):
        key = key_a(name)
        if keys[key] == 1 and of_b[key] in free_b:
            found[name] = Match(name, of_b[key], how)
            free_a.remove(name)
            del free_b[of_b[key]]


def squeezed(shape: tuple) -> tuple:
    """A shape without its axes of length 1: a Conv1d of MindSpore has one more than PyTorch's."""
    return tuple(n for n in shape if n != 1)


def _groups(names: list, shapes: dict) -> list:
    """``(signature, {last word: name})`` of each layer, in order; the signature is the shape of its main parameter."""
    layers = {}
    for name in names:
        head, _, last = in_common_words(name).rpartition(".")
        layers.setdefault(head, {})[last] = name
    found = []
    for parameters in layers.values():
        main = parameters.get("weight") or next(iter(parameters.values()))
        kinds = "norm" if "running_mean" in parameters else ""
        found.append(((kinds, squeezed(shapes[main])), parameters))
    return found


def _by_structure(rest_a: list, rest_b: list, a: dict, b: dict):
    """Pairs of names of layers of the same shapes in the same order."""
    groups_a, groups_b = _groups(rest_a, a), _groups(rest_b, b)
    for at_a, at_b in aligned([g[0] for g in groups_a], [g[0] for g in groups_b]):
        x, y = groups_a[at_a][1], groups_b[at_b][1]
        yield from ((x[last], y[last]) for last in x if last in y)


def read_mapping(path) -> dict:
    """``{name of a: name of b}`` of a JSON object, a CSV of two columns, or lines of two words.

    Raises:
        CannotRead: It is none of these.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotRead(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if text.lstrip().startswith("{"):
        try:
            return {str(k): str(v) for k, v in json.loads(text).items()}
        except ValueError as error:
            raise CannotRead(f"{path}: {error}") from None
    rows = [row for row in csv.reader(text.splitlines()) if row and not row[0].startswith("#")]
    rows = [row if len(row) > 1 else row[0].split() for row in rows]
    if not rows or any(len(row) < 2 for row in rows):
        raise CannotRead(f"{path}: each line must hold two names")
    return {row[0].strip(): row[1].strip() for row in rows}


def read_renames(texts) -> tuple:
    """``PATTERN=REPLACEMENT`` texts as pairs.

    Raises:
        CannotRead: One is no rename.
    """
    found = []
    for text in texts:
        pattern, equals, replacement = text.partition("=")
        try:
            re.compile(pattern)
        except re.error as error:
            raise CannotRead(f"--rename {text}: {error}") from None
        if not equals or not pattern:
            raise CannotRead(f"--rename {text}: write PATTERN=REPLACEMENT")
        found.append((pattern, replacement))
    return tuple(found)
