"""A convolution or pooling whose window moves on by more than its own width: most of what it is given is never read (cg.03)."""

import math
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.cg.connectivity.unsolved import unsolved_gain
from msprec.checklists.common.script.cell_arguments import sizes_of
from msprec.checklists.common.script.setting_origin import ArgumentName, argument_origin
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Of a convolution; a pooling's is the one before.
_STRIDE = ArgumentName(("stride",), 3)
#: The stride of a residual network's shortcuts (He et al. 2016).
_SHORTCUT = 2


def judge_wide_stride(run_data: RunData) -> Optional[Finding]:
    """Problem: a layer that runs has a stride so much wider than its window that it reads cg.03.read of what it is given or less,
    and the training ended with more than cg.03.solved of the constant's loss; else None.

    A window of one value with a stride of 2 is left out: shortcuts of residual networks have it on purpose.
    """
    gain = unsolved_gain(run_data)
    if gain is None:
        return None
    ran = {one.path for one in run_data.probes.graph.cells if one.calls}
    for network in run_data.networks:
        for cell in network.cells:
            share = _read_share(cell) if cell.builtin and cell.path in ran else 1.0
            if share <= run_data.limit("cg.03.read"):
                return _finding(run_data, cell, share, gain)
    return None


def _read_share(cell: Fact) -> float:
    """The share of what a layer is given that lies in one of its windows, by the arguments that it was made with."""
    window, stride = (sizes_of(cell, name) for name in ("kernel_size", "stride"))
    if not window or not stride or (max(window) == 1 and max(stride) <= _SHORTCUT):
        return 1.0
    sides = max(len(window), len(stride))
    window, stride = (one * sides if len(one) == 1 else one for one in (window, stride))
    return math.prod(min(1.0, wide / far) for wide, far in zip(window, stride))


def _finding(run_data: RunData, cell: Fact, share: float, gain: float) -> Finding:
    made, (window, stride) = cell.created, (sizes_of(cell, name) for name in ("kernel_size", "stride"))
    places = [made, *argument_origin(run_data, made, _STRIDE, cell.class_ or "", max(stride))] if made else []
    return problem(
        Text(
            "{cls} 层 {name} 的窗口为 {window}，步长为 {stride}：它只读到输入的 {share}，其余的值从不参与计算，"
            "而训练结束时 loss 只比常数预测低 {gain}。",
            "The window of the {cls} layer {name} is {window} and its stride {stride}: it reads {share} of what it is given, the "
            "rest enters no result, and the training ended only {gain} below the loss of a constant prediction.",
            cls=cell.class_,
            name=cell.path,
            window="×".join(map(str, window)),
            stride="×".join(map(str, stride)),
            share=percent(share),
            gain=percent(gain),
        ),
        Text(
            "步长不要大于窗口：卷积常用 1 或 2，池化与窗口相同。",
            "Keep the stride within the window: 1 or 2 for a convolution, the window's width for a pooling.",
        ),
        run_data.code_at(places, Text("步长大于窗口的层", "The layer whose stride is wider than its window")),
        places or [network.place for network in run_data.networks][:1],
    )
