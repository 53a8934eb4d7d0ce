"""An input that the network is given and never reads (cg.03)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at, train_sets
from msprec.checklists.common.script.unread_arguments import Argument, required_arguments
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import argument_names


def judge_unread_input(run_data: RunData) -> Optional[Finding]:
    """A problem where ``construct`` never reads an argument, and two embedding tables look up one and the same other (one line
    was copied from the other), or another one of whole numbers like it takes rows and is read once more, as the ends of edges
    are, or the training learnt nothing or hardly anything; None elsewhere: an interface may be wider than a network needs."""
    unread = [one for one in required_arguments(run_data) if not one.read]
    for one in unread:
        copied = _looked_up_twice(run_data, one) or _rows_by_the_other(run_data, one)
        if copied or learning_outcome(run_data).verdict in ("nothing", "hardly"):
            return _finding(run_data, one, copied)
    return None


def _looked_up_twice(run_data: RunData, argument: Argument) -> list:
    """The lines where a second embedding of the network looks up what another does."""
    tables = {
        cell.path.rsplit(".", 1)[-1]
        for network in run_data.networks
        for cell in network.cells
        if cell.builtin and "Embedding" in cell.class_
    }
    seen: dict[str, str] = {}
    twice = []
    for call in (one for one in ast.walk(argument.construct) if isinstance(one, ast.Call) and len(one.args) == 1):
        given, looked = call.args[0], getattr(call.func, "attr", "")
        if looked in tables and isinstance(given, ast.Name) and seen.setdefault(given.id, looked) != looked:
            twice.append(place(argument.place.file, call.lineno))
    return twice


def _rows_by_the_other(run_data: RunData, argument: Argument) -> list:
    """The lines where rows are taken by another argument, which is read elsewhere too, where the columns of both names hold whole
    numbers of the same shape."""
    columns = {one.name: one for data in train_sets(run_data) for one in data.columns if one.kind == "int"}
    own = columns.get(argument.name)
    if own is None:
        return []
    found, nodes = [], list(ast.walk(argument.construct))
    for name in argument_names(argument.construct):
        other = columns.get(name)
        if other is None or name == argument.name or list(other.shape) != list(own.shape):
            continue
        reads = [one for one in nodes if isinstance(one, ast.Name) and one.id == name]
        rows = [one for one in nodes if isinstance(one, ast.Subscript) and getattr(one.slice, "id", "") == name]
        found += [place(argument.place.file, one.lineno) for one in rows] if len(reads) > 1 else []
    return found


def _finding(run_data: RunData, argument: Argument, copied: list) -> Finding:
    places: list[Fact] = [*copied, argument.place]
    why = (
        Text(
            "，而 {where} 用另一个输入又查了一次",
            ", and {where} looks up another input a second time",
            where=at(copied[0]),
        )
        if copied
        else Text("，而训练没有学到东西", ", and the training learnt nothing of use")
    )
    return problem(
        Text(
            "网络收到输入 {name}（{where}），construct 中却从未使用它{why}。",
            "The network is given {name} ({where}), and its construct never reads it{why}.",
            name=argument.name,
            where=at(argument.place),
            why=why,
        ),
        Text(
            "在 construct 中使用该输入（例如改用正确的变量名；长度应传给循环层或掩码），不需要时从参数中去掉。",
            "Use the input in construct (the right name where a line was copied; lengths belong to the recurrent layer or a "
            "mask), or drop it from the arguments where it is not needed.",
        ),
        [run_data.code_at(places, Text("construct", "The forward function"))],
        places,
    )
