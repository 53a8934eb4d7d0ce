"""Targets off zero of a network that has no bias anywhere (td.08)."""

from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.script.array_origin import array_origins
from msprec.checklists.td.scales.targets import Targets
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData

#: Layers without a state of their own that give 0 for 0.
_THROUGH_ZERO = (
    "ReLU",
    "LeakyReLU",
    "Tanh",
    "GELU",
    "SiLU",
    "Flatten",
    "SequentialCell",
    "CellList",
    "Dropout",
    "Identity",
)
_LAYERS = ("Dense", "Linear", "Conv1d", "Conv2d")


def no_bias(run_data: RunData, targets: Targets, state: str) -> Optional[Finding]:
    """A problem where no layer of the trained network has more than its weight, so that it gives 0 for 0, the targets lie
    td.08.beside_zero standard deviations off 0, and the training did not learn them."""
    network = next((one for one in run_data.networks if one.role == "train"), None)
    far = targets.offset >= run_data.limit("td.08.beside_zero")
    if network is None or not far or state not in ("nothing", "hardly", "diverged"):
        return None
    built = [one for one in network.cells if one.builtin]
    layers = [one for one in built if one.class_ in _LAYERS]
    others = [
        one for one in built if one.class_ not in (*_LAYERS, *_THROUGH_ZERO) and not (one.class_ or "").endswith("Loss")
    ]
    trained = [one for one in run_data.parameters if one.in_optimizer]
    plain = layers and not others and all(len(one.parameters) == 1 for one in layers)
    if not plain or any(len(one.shape) < 2 for one in trained):
        return None
    places = [one.created for one in reversed(layers) if one.created]
    return problem(
        Text(
            "网络的各层都没有偏置（{names}），输入为 0 时输出只能为 0，而目标 {target} 的均值离 0 有 {offset} 倍标准差。",
            "No layer of the network has a bias ({names}): it gives 0 for 0, and the mean of the target {target} lies {offset} "
            "standard deviations off 0.",
            names=listed([one.path or one.class_ or "" for one in layers][:4]),
            target=targets.column.name,
            offset=float(f"{targets.offset:.3g}"),
        ),
        Text(
            "去掉 has_bias=False，或先把目标减去均值。",
            "Take has_bias=False away, or take the mean off the targets first.",
        ),
        [run_data.code_at(places, Text("各层", "The layers"))],
        [*places, *array_origins(run_data, targets.dataset, targets.column)],
    )
