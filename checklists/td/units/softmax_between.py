"""Softmaxes over one number, and one that stands as the activation between layers in a training that learnt little (td.03)."""

from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.checklists.td.units.lost_units import Lost, Moments
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Where the units between are meant as the classes of a code.
_MEANT = r"(?i)gumbel|concrete|categorical|codebook|soft_?assign"


def lone_softmaxes(moments: Moments) -> list:
    """Softmaxes between layers along an axis of size 1, which give 1 whatever they are given, though that differs."""
    return [
        Lost("alone", entry, "start", 1.0)
        for entry in moments.entries
        if entry.kind == "softmax" and entry.hidden and entry.units == entry.alike == 1 and entry.input_alike is False
    ]


def softmax_between(run_data: RunData, moments: Moments) -> list:
    """A softmax over the units of one layer that is all another layer is given: its units are left to share a sum of one, and the
    layer behind sees next to nothing. Empty where the training learnt td.03.little of what a constant prediction leaves, or, with
    such softmaxes behind two layers or more, td.03.solved of it."""
    gain = run_data.once(learning_outcome).gain
    if (gain is not None and gain >= run_data.limit("td.03.solved")) or run_data.find_lines(_MEANT, 1):
        return []
    entries = moments.entries
    found = [entry for entry, behind in zip(entries, entries[1:]) if _is_between(run_data, entry, behind)]
    if len(found) == 1 and (gain is None or gain >= run_data.limit("td.03.little")):
        return []
    return [Lost("between", entry, "start", 1.0) for entry in found]


def _is_between(run_data: RunData, entry: Fact, behind: Fact) -> bool:
    alone = entry.kind == "softmax" and entry.hidden and entry.direct and not entry.gate and (entry.units or 0) > 2
    return alone and behind.kind == "layer" and _takes(run_data, behind, entry.units)


def _takes(run_data: RunData, layer: Fact, units: int) -> bool:
    """Whether a Dense takes so many numbers of a sample, or several times as many where it is given maps laid flat, or whether
    the layer is a convolution, of whose maps a softmax may be taken along any axis."""
    name = f"{layer.cell}.weight" if layer.cell else "weight"
    shapes = [one.shape for one in run_data.parameters if one.name == name or (one.name or "").endswith(f".{name}")]
    return len(shapes) == 1 and len(shapes[0]) > 1 and (len(shapes[0]) > 2 or shapes[0][1] % units == 0)
