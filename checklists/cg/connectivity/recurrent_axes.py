"""A recurrent layer whose result is taken along the axis of the samples for that of the time (cg.03)."""

import ast
from collections.abc import Iterator
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, construct_of

_RECURRENT = ("RNN", "LSTM", "GRU")
_BATCH_FIRST = 4  # position of batch_first in nn.LSTM(input_size, hidden_size, num_layers, has_bias, batch_first)


class _Layer(NamedTuple):
    kind: str
    batch_first: bool
    line: int
    of_nn: bool  # written nn.LSTM: a class of the script's of that name is another


class Mistaken(NamedTuple):
    """The layer, and where the last of its result's samples is taken for the last step."""

    layer: _Layer
    taken: Fact
    made: Fact


def judge_recurrent_axes(run_data: RunData) -> Optional[Finding]:
    """The finding on ``output[:, -1]`` of a layer with time first, or ``output[-1]`` of one with the batch first."""
    found = next(_mistaken(run_data), None)
    if found is None:
        return None
    kind, first = found.layer.kind, found.layer.batch_first
    shape, taken = ("(batch, time, hidden)", "[-1]") if first else ("(time, batch, hidden)", "[:, -1]")
    return problem(
        Text(
            "{kind} 的 batch_first={first}，输出形状为 {shape}，而代码用 {taken} 取“最后一步”：取到的是 batch 中最后一个样本，"
            "时间轴与样本轴混淆。",
            "{kind} has batch_first={first} and gives {shape}, and the code takes {taken} for the last step: that is the last "
            "sample of the batch, and the axes of time and samples are mixed up.",
            kind=kind,
            first=str(first),
            shape=shape,
            taken=taken,
        ),
        Text(
            "输入为 (batch, time, feature) 时写 batch_first=True 并取 [:, -1]；否则先转置输入并取 [-1]。",
            "For inputs of (batch, time, feature) write batch_first=True and take [:, -1]; else transpose the input and take "
            "[-1].",
        ),
        run_data.code_at([found.taken, found.made], Text("循环层与它的输出", "The recurrent layer and its result")),
        [found.taken, found.made],
    )


def _mistaken(run_data: RunData) -> Iterator[Mistaken]:
    ran = {cell.class_ for network in run_data.networks for cell in network.cells}
    for name in sorted(ran - {None}):
        for file, node in run_data.source.classes(name):
            construct = construct_of(node)
            if construct is None:
                continue
            layers = {
                key: one for key, one in _layers(node).items() if one.of_nn or not run_data.source.classes(one.kind)
            }
            for output, layer in _outputs(construct, layers):
                line = _last_of(construct, output, axis=0 if layer.batch_first else 1)
                if line is not None:
                    yield Mistaken(layer, place(file, line), place(file, layer.line))


def _layers(node: ast.ClassDef) -> dict:
    """``{attribute: layer}`` of the recurrent layers that are assigned once, with ``batch_first`` written out or left out."""
    found: dict = {}
    for one in ast.walk(node):
        if not isinstance(one, ast.Assign) or len(one.targets) != 1 or not isinstance(one.targets[0], ast.Attribute):
            continue
        name, value = one.targets[0].attr, one.value
        if not isinstance(value, ast.Call) or called_name(value) not in _RECURRENT:
            continue
        given = [word.value for word in value.keywords if word.arg == "batch_first"] or value.args[_BATCH_FIRST:][:1]
        known = not given or isinstance(given[0], ast.Constant)
        plain = known and not any(word.arg is None for word in value.keywords)
        first = bool(getattr(given[0], "value", False)) if given else False
        found[name] = (
            None if name in found or not plain else _Layer(called_name(value), first, one.lineno, _of_nn(value))
        )
    return {name: layer for name, layer in found.items() if layer is not None}


def _of_nn(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value).rsplit(".", 1)[-1] in ("nn", "mnn")


def _outputs(construct: ast.FunctionDef, layers: dict) -> Iterator[tuple]:
    """``(name, layer)`` of results that are named once: ``output, state = self.lstm(x)``."""
    stored = [one.id for one in ast.walk(construct) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    for one in ast.walk(construct):
        if not isinstance(one, ast.Assign) or not isinstance(one.value, ast.Call) or len(one.targets) != 1:
            continue
        func, target = one.value.func, one.targets[0]
        layer = layers.get(func.attr) if isinstance(func, ast.Attribute) else None
        first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else None
        if layer is not None and isinstance(first, ast.Name) and stored.count(first.id) == 1:
            yield first.id, layer


def _last_of(construct: ast.FunctionDef, name: str, axis: int) -> Optional[int]:
    """The line of ``name[-1]`` (axis 0) or ``name[:, -1]`` (axis 1)."""
    for one in ast.walk(construct):
        if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name) and one.value.id == name:
            parts = [
                ast.unparse(part) for part in (one.slice.elts if isinstance(one.slice, ast.Tuple) else [one.slice])
            ]
            if parts[:axis] == [":"] * axis and parts[axis : axis + 1] == ["-1"]:
                return one.lineno
    return None
