"""A pooling that leaves next to nothing of a picture before further convolutions, or before the last layers (cg.03)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.cg.connectivity.unsolved import unsolved_gain
from msprec.checklists.common.script.cell_arguments import sizes_of
from msprec.checklists.common.script.setting_origin import ArgumentName, argument_origin
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, construct_of, root_name

_POOLS, _CONVOLUTIONS = re.compile(r"^(Max|Avg)Pool2d$"), re.compile(r"^Conv2d$")
_WINDOW = ArgumentName(("kernel_size",), 0)


def judge_wide_pooling(run_data: RunData) -> Optional[Finding]:
    """Problem: of a training that came to nothing, a pooling takes cg.03.pooled pixels or more together, and a convolution with a
    window of several pixels comes after it; or one of cg.03.pooled_once pixels leaves cg.03.places_left places at most, and more
    than one, to the Dense layer after it, and the training did not come cg.03.solved below a constant prediction; else None. A
    whole map is pooled on purpose, before a Dense layer or a window of one pixel."""
    nothing, gain = came_to_nothing(run_data), unsolved_gain(run_data)
    for network in run_data.networks if nothing or gain is not None else ():
        layers = _as_called(run_data, network, [one for one in network.cells if one.builtin and one.path])
        if gain is not None and (few := _leaves_few(run_data, layers)) is not None:
            return _left_few(run_data, few, gain)
        if not nothing:
            continue
        for number, cell in enumerate(layers):
            window = _area(cell) if _POOLS.search(cell.class_ or "") else 0
            after = [one for one in layers[number + 1 :] if _CONVOLUTIONS.search(one.class_ or "")]
            if window >= run_data.limit("cg.03.pooled") and after and _area(after[0]) > 1:
                return _finding(run_data, cell)
    return None


def _leaves_few(run_data: RunData, layers: list) -> Optional[tuple]:
    """``(pooling, places)`` that a Dense layer is left of each filter of the convolution before."""
    least, most = run_data.limit("cg.03.pooled_once"), run_data.limit("cg.03.places_left")
    filters, pool = 0, None
    for cell in layers:
        if _CONVOLUTIONS.search(cell.class_ or ""):
            filters, pool = _number(cell, "output_channels"), None
        elif _POOLS.search(cell.class_ or ""):
            pool = cell if _area(cell) >= least else None
        elif cell.class_ == "Dense":
            places, rest = divmod(_number(cell, "input_channels"), filters) if filters else (0, 0)
            return (pool, places) if pool is not None and 1 < places <= most and not rest else None
    return None


def _number(cell: Fact, name: str) -> int:
    return next(iter(sizes_of(cell, name)), 0)


def _as_called(run_data: RunData, network: Fact, layers: list) -> list:
    """The layers in the order in which the network's ``construct`` calls the cells that it holds; as they were made where it does
    not name each of these."""
    place = network.place
    around = run_data.source.enclosing(place.file, place.line) if place else []
    made = next((node for node in around if isinstance(node, ast.ClassDef)), None)
    construct = construct_of(made) if made is not None else None
    calls = [
        call
        for call in (ast.walk(construct) if construct is not None else ())
        if isinstance(call, ast.Call) and root_name(call.func) == "self"
    ]
    # what is called inside a call ends before it
    calls.sort(key=lambda call: (call.end_lineno or 0, call.end_col_offset or 0), reverse=True)
    first = {called_name(call): -number for number, call in enumerate(calls)}
    held = [layer.path.partition(".")[0] for layer in layers]
    return sorted(layers, key=lambda one: first[one.path.partition(".")[0]]) if set(held) <= set(first) else layers


def _area(cell: Fact) -> int:
    """How many pixels the window of a layer takes together."""
    sizes = sizes_of(cell, "kernel_size")
    return sizes[0] * sizes[-1] if sizes else 0


def _finding(run_data: RunData, cell: Fact) -> Finding:
    says = Text(
        "{cls} 层 {name} 一次合并 {n} 个像素，其后还有卷积：图像的细节在这里就丢掉了，"
        "无论还有什么问题，而训练没有学到东西。",
        "The {cls} layer {name} takes {n} pixels together at once, and convolutions come after it: what the picture shows is "
        "lost there, whatever else is wrong, and the training came to nothing.",
        cls=cell.class_,
        name=cell.path,
        n=_area(cell),
    )
    return _problem(run_data, cell, says)


def _left_few(run_data: RunData, few: tuple, gain: float) -> Finding:
    cell, left = few
    says = Text(
        "{cls} 层 {name} 一次合并 {n} 个像素，每个滤波器只给其后的 Dense 层留下 {left} 个位置，"
        "而训练结束时 loss 只比常数预测低 {gain}。",
        "The {cls} layer {name} takes {n} pixels together at once and leaves the Dense layer after it {left} places of each "
        "filter, and the training ended only {gain} below the loss of a constant prediction.",
        cls=cell.class_,
        name=cell.path,
        n=_area(cell),
        left=left,
        gain=percent(max(0.0, gain)),
    )
    return _problem(run_data, cell, says)


def _problem(run_data: RunData, cell: Fact, says: Text) -> Finding:
    made = cell.created
    places = [made, *argument_origin(run_data, made, _WINDOW, cell.class_ or "")] if made else []
    return problem(
        says,
        Text("池化窗口常用 2 或 3；逐层缩小。", "Pool by 2 or 3 at a time, layer after layer."),
        run_data.code_at(places, Text("池化", "The pooling")),
        places or [network.place for network in run_data.networks][:1],
    )
