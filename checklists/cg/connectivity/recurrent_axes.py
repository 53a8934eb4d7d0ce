"""A recurrent layer whose result is taken along the axis of the samples for that of the time (cg.03)."""

import ast
from collections.abc import Iterator
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.script.own_classes import class_names
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, construct_of

_RECURRENT = ("RNN", "LSTM", "GRU")
#: Positions in nn.LSTM(input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional).
_BATCH_FIRST, _BOTH_WAYS = 4, 6


class _Layer(NamedTuple):
    kind: str
    batch_first: bool
    line: int
    of_nn: bool  # written nn.LSTM: a class of the script's of that name is another
    both_ways: bool  # or that is not known


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
    for file, construct, output, layer in recurrent_outputs(run_data):
        lines = taken_at(construct, output, 0 if layer.batch_first else 1, "-1")
        if lines:
            yield Mistaken(layer, place(file, lines[0]), place(file, layer.line))


def recurrent_outputs(run_data: RunData) -> Iterator[tuple]:
    """``(file, construct, name, layer)`` of what recurrent layers of classes that ran give, where a name holds it alone."""
    for name in sorted(class_names(run_data)):
        for file, node in run_data.source.classes(name):
            construct = construct_of(node)
            if construct is None:
                continue
            layers = {
                key: one for key, one in _layers(node).items() if one.of_nn or not run_data.source.classes(one.kind)
            }
            for output, layer in _outputs(construct, layers):
                yield file, construct, output, layer


def _layers(node: ast.ClassDef) -> dict:
    """``{attribute: layer}`` of the recurrent layers that are assigned once, with ``batch_first`` written out or left out."""
    found: dict = {}
    for one in ast.walk(node):
        if not isinstance(one, ast.Assign) or len(one.targets) != 1 or not isinstance(one.targets[0], ast.Attribute):
            continue
        name, value = one.targets[0].attr, one.value
        if not isinstance(value, ast.Call) or called_name(value) not in _RECURRENT:
            continue
        first, ways = _flag(value, "batch_first", _BATCH_FIRST), _flag(value, "bidirectional", _BOTH_WAYS)
        plain = first is not None and not any(word.arg is None for word in value.keywords)
        layer = _Layer(called_name(value), bool(first), one.lineno, _of_nn(value), ways is not False)
        found[name] = None if name in found or not plain else layer
    return {name: layer for name, layer in found.items() if layer is not None}


def _flag(call: ast.Call, name: str, position: int) -> Optional[bool]:
    """What a call gives for an argument, False where nothing; None of what is no constant."""
    given = [word.value for word in call.keywords if word.arg == name] or call.args[position:][:1]
    if given and not isinstance(given[0], ast.Constant):
        return None
    return bool(given[0].value) if given else False  # type: ignore[attr-defined]


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


def taken_at(construct: ast.FunctionDef, name: str, axis: int, step: str) -> list:
    """The lines of ``name[step]`` (axis 0) or ``name[:, step]`` (axis 1)."""
    lines = []
    for one in ast.walk(construct):
        if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name) and one.value.id == name:
            parts = [
                ast.unparse(part) for part in (one.slice.elts if isinstance(one.slice, ast.Tuple) else [one.slice])
            ]
            if parts[:axis] == [":"] * axis and parts[axis : axis + 1] == [step]:
                lines.append(one.lineno)
    return lines
