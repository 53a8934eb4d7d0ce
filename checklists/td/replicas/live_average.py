"""A moving average of the weights that is written into the network that trains, after each update (td.07)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.cg.frozen_weights.set_back import set_in_functions
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name, nodes_within, target_names

#: ``avg[key] = … avg[key] …``
_AVERAGES = r"(?P<average>\w+)\[.*\]\s*=[^=].*(?P=average)\["


def live_average(run_data: RunData) -> Optional[Finding]:
    """A problem where a loop computes gradients, takes ``avg[name] = d * avg[name] + (1 - d) * value`` and hands ``avg`` to a
    function that gives parameters their values: of each update then 1 - d is left."""
    if not run_data.find_lines(_AVERAGES, 1):
        return None
    setters = {name for where, _, called in set_in_functions(run_data) if called for name in _around(run_data, where)}
    gradients = run_data.source.gradient_functions() if setters else set()
    for file, call in run_data.source.calls_anywhere(gradients):
        loops = [one for one in run_data.source.enclosing(file, call.lineno) if isinstance(one, ast.For)]
        if not loops:
            continue
        nodes = list(nodes_within(loops[-1].body))
        calls = [one for one in nodes if isinstance(one, ast.Call) and called_name(one) in setters]
        for name, line in _averages(nodes):
            handed = [one for one in calls if any(name in target_names(given) for given in one.args)]
            # where the weights are given back in the same loop they are only looked at
            if handed and len(calls) == len(handed):
                return _finding(run_data, name, [place(file, handed[0].lineno), place(file, line)])
    return None


def _around(run_data: RunData, where) -> list:
    function = run_data.source.function_around(where.file, where.line)
    return [function.name] if function is not None else []


def _averages(nodes: list) -> Iterator[tuple]:
    """``(avg, line)`` of ``avg[key] = d * avg[key] + (1 - d) * value``."""
    for one in nodes:
        target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
        sides = [one.value.left, one.value.right] if target is not None and isinstance(one.value, ast.BinOp) else []
        if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name) or not sides:
            continue
        products = all(isinstance(side, ast.BinOp) and isinstance(side.op, ast.Mult) for side in sides)
        if isinstance(one.value.op, ast.Add) and products and ast.unparse(target) in ast.unparse(one.value):
            yield target.value.id, one.lineno


def _finding(run_data: RunData, name: str, places: list) -> Finding:
    return problem(
        Text(
            "{where} 在每次更新之后把滑动平均 {name}（{made}）写回正在训练的网络：每次更新只剩下 1 - decay，训练几乎不前进。",
            "After each update {where} writes the moving average {name} ({made}) into the network that trains: 1 - decay is all "
            "that is left of the update.",
            where=at(places[0]),
            name=name,
            made=at(places[1]),
        ),
        Text(
            "平均值单独保存，只在评估或保存时写入网络，之后换回训练中的权重。",
            "Keep the average apart; put it into the network for an evaluation or a checkpoint alone, and the weights that train "
            "back after that.",
        ),
        [run_data.code_at(places, Text("平均与写回", "The average, and where it is written back"))],
        places,
    )
