"""Which weights start at one constant and must not: the judgement on initial values (wi.01)."""

import re
from typing import NamedTuple

from msprec.engine.schema import Fact

_ADAPTER = re.compile(
    r"lora|adapter|zero_?(conv|module|proj|linear|init|out|layer|gate)|ada_?ln|hypernet", re.IGNORECASE
)
_NO_WEIGHT = re.compile(
    r"pos(ition(al)?)?_?(emb|enc|bias|table)|(^|[._])pe$|rel(ative)?_(pos|bias)|token$|tokens$|(cls|dist|mask|class|reg)_?(token|emb)|prompt"
    r"|quer(y|ies)_?(emb|pos)|_query$|bias|gamma|beta|offset|anchor"
    r"|(^|[._])(mask|state|hidden_state|cell_state|h|c|hx|cx|buffer|memory|center|centers|cache|hidden|h0|c0)$"
    r"|running|moving|mean|var(iance)?$|temperature|layer_?scale",
    re.IGNORECASE,
)


_LAYER_WEIGHT = re.compile(r"weight|embedding_table|kernel|w$|w_?[ih]h", re.IGNORECASE)


#: Share of zeros at the end of a weight that began at zero from which most of it never learnt; inputs that are always 0, as the
#: margins of pictures and dead units are, leave some.
_DEAD = 0.75


class InitialValues(NamedTuple):
    """One weight: ``state`` is "zero", "constant", or "" where values vary; ``excuse``: why a constant is right."""

    parameter: Fact
    state: str
    excuse: str


def starts(parameters: list) -> list:
    """The starting state of every weight of two or more dimensions."""
    weights = [parameter for parameter in parameters if is_weight(parameter)]
    return [_start(parameter, weights) for parameter in weights]


def is_weight(parameter: Fact) -> bool:
    if parameter.kind not in ("weight", "other") or len(parameter.shape) < 2 or (parameter.size or 0) == 1:
        return False
    return "Norm" not in parameter.cell_class and not re.match(r"(u?int|bool)", parameter.dtype.lower())


def _start(parameter: Fact, weights: list) -> InitialValues:
    state = _state(parameter)
    excuse = _excuse(parameter, state, weights) if state else ""
    some_vary = any(other.initial and not _state(other) for other in weights)
    if state == "zero" and not excuse and some_vary and _drawn_apart(parameter):
        excuse = "apart"
    return InitialValues(parameter, state, excuse)


def _drawn_apart(parameter: Fact) -> bool:
    """Whether training gave its units values of their own, as it does to a last layer behind weights that vary, or to one
    layer among others: a zero start that held nothing back."""
    final = parameter.final
    if parameter.requires_grad is False or not parameter.moved.any or not final:
        return False
    return final.alike is False and not final.nonfinite and (final.zeros or 0) < _DEAD


def zeros_in_a_row(found: list) -> list:
    """The starts of two or more layers in a row that were zero and that training drew apart: as long as both are zero none of
    them gets a gradient but by the biases, so that the training begins late. ``found``: all starts, in the network's order."""
    pairs = [
        pair
        for pair in zip(found, found[1:])
        if all(start.excuse == "apart" for start in pair) and _feeds(*(start.parameter for start in pair))
    ]
    return [start for start in found if any(start in pair for pair in pairs)]


def _feeds(first: Fact, second: Fact) -> bool:
    """Whether the second weight's layer takes as many inputs as the first one's gives, and both are of one network's layers."""
    return first.cell_class == second.cell_class != "" and first.shape[0] == second.shape[1]


def _state(parameter: Fact) -> str:
    initial = parameter.initial
    if not initial or initial.nonfinite:
        return ""
    if (initial.zeros is not None and initial.zeros >= 1) or (
        initial.constant and initial.min == 0 and initial.max == 0
    ):
        return "zero"
    return "constant" if initial.constant and (initial.zeros or 0) < 1 else ""


def _excuse(parameter: Fact, state: str, weights: list) -> str:
    wide = sum(1 for size in parameter.shape if size is not None and size > 1)
    name = parameter.path or parameter.name
    own = _is_own(parameter)
    stuck = state == "zero" and parameter.requires_grad and parameter.moved.any is False  # nothing draws it off zero
    if wide < 2 and not stuck and (state == "constant" or own or "Embedding" in parameter.cell_class):
        return "vector"
    if parameter.requires_grad is False and (own or state == "constant"):
        return "buffer"
    customary = _NO_WEIGHT.search(name.rsplit(".", 1)[-1] if parameter.kind == "weight" and own else name)
    if customary and (own or "Embedding" in parameter.cell_class):
        return "embedding"
    if state == "zero" and (_named_adapter(parameter, weights) or _beside_base(parameter, weights)):
        return "adapter"
    if state == "zero" and len(parameter.shape) == 2 and (len(weights) == 1 or _alone_in_each(weights)):
        return "linear"
    return ""


def _alone_in_each(weights: list) -> bool:
    """Whether each is the weight of a network that is one layer, and they cannot follow each other: the folds of a
    cross-validation, or an ensemble."""
    shapes = {tuple(one.shape) for one in weights}
    same = len(shapes) == 1 and len(set(next(iter(shapes)))) == 2
    return same and all(one.cell == "" and one.path == one.name for one in weights)


def _is_own(parameter: Fact) -> bool:
    """A Parameter that a cell of the user's holds by a name of its own, as no layer's weight is called."""
    last = (parameter.path or parameter.name).rsplit(".", 1)[-1]
    return parameter.kind == "other" or _LAYER_WEIGHT.match(last) is None


def _named_adapter(parameter: Fact, weights: list) -> bool:
    """An adapter by its name, beside varying weights of the same block (its first layer, or the block it serves)."""
    name = parameter.path or parameter.name
    match = _ADAPTER.search(name)
    if not match:
        return False
    own = name[: match.start()].rstrip(".")
    stem = match.group(0).lower()
    paired = stem in ("lora", "adapter")
    neighbours = [other for other in weights if other is not parameter and (other.path or other.name).startswith(own)]
    if paired:
        neighbours = [other for other in neighbours if stem in (other.path or other.name).lower()] or neighbours
    return any(other.initial and not _state(other) for other in neighbours)


def _beside_base(parameter: Fact, weights: list) -> bool:
    """The shape of W + B·A in either layout: a zero B, a varying A that shares its rank, and a full W in the same block."""
    if len(parameter.shape) != 2 or None in parameter.shape:
        return False
    near = [
        other.shape
        for other in weights
        if other is not parameter
        and _homes(other) & _homes(parameter)
        and not _state(other)
        and other.initial
        and len(other.shape) == 2
        and None not in other.shape
    ]
    outer = [
        {parameter.shape[1 - i], shape[1 - j]}
        for shape in near
        for i in (0, 1)
        for j in (0, 1)
        if parameter.shape[i] == shape[j] < min(parameter.shape[1 - i], shape[1 - j])
    ]
    return any(set(shape) in outer for shape in near)


def _homes(parameter: Fact) -> set:
    """The cells that may be the weight's block: the one that owns it and the one around that, if they have names."""
    owner = (parameter.path or parameter.name).split(".")[:-1]
    return {".".join(owner[:-1]), ".".join(owner)} - ({""} if owner else set())
