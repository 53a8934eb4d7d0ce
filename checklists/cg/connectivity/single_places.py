"""Convolutions whose windows hold one place each, before a pooling over all places: no neighbours are seen (cg.03)."""

from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.cg.connectivity.unsolved import unsolved_gain
from msprec.checklists.common.script.cell_arguments import sizes_of
from msprec.checklists.common.script.setting_origin import ArgumentName, argument_origin
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

_WINDOW = ArgumentName(("kernel_size",), 2)
#: Layers that look at several places by themselves.
_LOOKS_AROUND = r"\b(LSTM|GRU|RNN)\w*\(|attention|transformer|unfold|stride_tricks|positional"
#: Data without an order of their places.
_SETS = r"point_?(net|cloud)|deep_?sets?\b|\bsets?_(encoder|size)|graph(?!_mode)|\badj"


def judge_single_places(run_data: RunData) -> Optional[Finding]:
    """Problem: every convolution that ran has a window of one place, a Dense layer behind them is given one number of each
    filter, and the training ended with more than cg.03.solved of the constant's loss; else None."""
    gain = unsolved_gain(run_data)
    ran = {one.path for one in run_data.probes.graph.cells if one.calls and not one.loss}
    cells = [cell for network in run_data.networks for cell in network.cells if cell.builtin and cell.path in ran]
    convolutions = [cell for cell in cells if (cell.class_ or "").startswith("Conv")]
    if gain is None or not convolutions or any(set(sizes_of(cell, "kernel_size")) != {1} for cell in convolutions):
        return None
    filters = sizes_of(convolutions[-1], "output_channels")
    pooled = any(cell.class_ == "Dense" and sizes_of(cell, "input_channels") == filters for cell in cells)
    if not filters or not pooled or run_data.find_lines(f"(?i){_LOOKS_AROUND}|{_SETS}", 1):
        return None
    return _finding(run_data, convolutions[0], gain)


def _finding(run_data: RunData, cell: Fact, gain: float) -> Finding:
    made = cell.created
    places = [made, *argument_origin(run_data, made, _WINDOW, cell.class_ or "", 1)] if made else []
    return problem(
        Text(
            "所有卷积的窗口都只有一个位置（{cls} 层 {name}），其后又把所有位置合成一个：网络看不到相邻的位置，也不知道先后，"
            "而训练结束时 loss 只比常数预测低 {gain}。",
            "The windows of all convolutions hold one place (the {cls} layer {name}), and all places are pooled after them: the "
            "network sees nothing of what lies beside what, and the training ended only {gain} below the loss of a constant "
            "prediction.",
            cls=cell.class_,
            name=cell.path,
            gain=percent(max(gain, 0.0)),
        ),
        Text("用更宽的窗口，如 kernel_size=3。", "Use wider windows, such as kernel_size=3."),
        run_data.code_at(places, Text("只看一个位置的卷积", "Convolutions of one place")),
        places or [network.place for network in run_data.networks][:1],
    )
