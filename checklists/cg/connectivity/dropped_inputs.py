"""A dropout of half of the inputs themselves (cg.03)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.script.cell_arguments import dropped_share
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, construct_of, own_attribute


def judge_dropped_inputs(run_data: RunData) -> Optional[Finding]:
    """Problem: of a training that came to nothing, what the network is given goes through a dropout of cg.03.dropped_inputs or
    more before any layer; else None. Of what is left at random nothing can be learnt that takes several inputs."""
    dropping = {
        one.path: share for network in run_data.networks for one in network.cells if (share := dropped_share(one))
    }
    if not dropping or max(dropping.values()) < run_data.limit("cg.03.dropped_inputs") or not came_to_nothing(run_data):
        return None
    for network in run_data.networks:
        for cell in network.cells:
            share = dropping.get(cell.path, 0.0)
            places = _called_first(run_data, network, cell) if share >= run_data.limit("cg.03.dropped_inputs") else []
            if places:
                return _finding(run_data, share, places)
    return None


def _called_first(run_data: RunData, network: Fact, cell: Fact) -> list:
    """Where the network's own class hands what it is given to a cell, or to a row of cells of which it is the first, and where
    that is made; none where it does not."""
    head, *rest = (cell.path or "").split(".")
    made = [cell.created] if cell.created else []
    if any(one != "0" for one in rest):
        return []
    if network.class_ == "SequentialCell":
        return made if head == "0" else []
    for file, node in run_data.source.classes(network.class_ or ""):
        construct = construct_of(node)
        for call in _on_inputs(construct) if construct is not None else ():
            if own_attribute(call.func) == head:
                return [place(file, call.lineno), *made]
    return []


def _on_inputs(construct: ast.FunctionDef) -> Iterator[ast.Call]:
    """Calls of what the class holds on a parameter of construct that no statement before has given another value."""
    given = {one.arg for one in construct.args.args[1:]}
    for statement in construct.body:
        for call in (one for one in ast.walk(statement) if isinstance(one, ast.Call)):
            if called_name(call) and call.args and isinstance(call.args[0], ast.Name) and call.args[0].id in given:
                yield call
        given -= {one.id for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _finding(run_data: RunData, share: float, places: list) -> Finding:
    return problem(
        Text(
            "网络的输入本身先经过丢弃 {share} 的 Dropout，无论还有什么问题：每个样本只剩随机的一部分输入，而训练没有学到东西。",
            "The inputs themselves go through a dropout of {share}, whatever else is wrong: of each sample a random part is "
            "left, and the training came to nothing.",
            share=percent(share),
        ),
        Text(
            "把 Dropout 放到隐藏层之后；用在输入上时只丢弃很小的比例（常用 0.2 以下）。",
            "Put the dropout behind hidden layers; on inputs drop a small part alone (0.2 is usual).",
        ),
        [run_data.code_at(places, Text("输入上的 Dropout", "The dropout on the inputs"))],
        places,
    )
