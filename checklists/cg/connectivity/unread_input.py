"""An input that the network is given and never reads (cg.03)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.data.padded_ends import ends_in_padding
from msprec.checklists.common.findings import at, train_sets
from msprec.checklists.common.script.unread_arguments import Argument, forward_arguments, required_arguments
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import argument_names, called_name, root_name

#: What tells, by its name, which samples or elements count, and how much.
_COUNTS = re.compile(r"(?i)(^|_)(mask|valid|weights?|has|present|observed|keep|seen|known)(_|$)|masks?$")
_LENGTHS = re.compile(r"(?i)(^|_)len(s|gths?)?(_|$)")

#: Operations over several places.
_REDUCES = re.compile(r"(?i)softmax|mean|sum|max")


def judge_unread_input(run_data: RunData) -> Optional[Finding]:
    """A problem where ``construct`` never reads an argument, and two embedding tables look up one and the same other (one line
    was copied from the other), or another one of whole numbers like it takes rows and is read once more, as the ends of edges
    are, or the training learnt nothing or hardly anything; or the function that is differentiated never reads what its name calls
    a mask or weight of the samples, or a cell does not and nothing else computes with it, or with the lengths of sequences that
    end in padding for dp.04.after of them; None elsewhere: an interface may be wider than a network needs."""
    unread = [one for one in required_arguments(run_data) if not one.read]
    for one in unread:
        copied = _looked_up_twice(run_data, one) or _rows_by_the_other(run_data, one)
        if copied or learning_outcome(run_data).verdict in ("nothing", "hardly"):
            return _finding(run_data, one, copied)
    forgotten = [one for one in forward_arguments(run_data) if not one.read and _COUNTS.search(one.name)]
    if forgotten:
        return _forgotten(run_data, forgotten[0])
    padded = any(ends_in_padding(run_data, pad) for one in train_sets(run_data) for pad in one.padding)
    counts = [one for one in unread if _COUNTS.search(one.name) or (padded and _LENGTHS.search(one.name))]
    masks = [one for one in counts if not _computed_with(run_data, one)]
    return _handed_on_alone(run_data, masks[0]) if masks else None


def _computed_with(run_data: RunData, argument: Argument) -> bool:
    """Whether a function of the file computes with an argument of that name, and does not hand it on alone, as where several
    cells have one interface."""
    for function in run_data.source.nodes(argument.place.file, ast.FunctionDef):
        if argument.name not in argument_names(function):
            continue
        nodes = list(ast.walk(function))
        handed = {id(one) for call in nodes if isinstance(call, ast.Call) and _is_of_cell(call) for one in _given(call)}
        if any(isinstance(one, ast.Name) and one.id == argument.name and id(one) not in handed for one in nodes):
            return True
    return False


def _is_of_cell(call: ast.Call) -> bool:
    """A call of a field, ``self.pool(…)``, or of a plain name, as a network has."""
    function = call.func
    return isinstance(function, ast.Name) or (isinstance(function, ast.Attribute) and root_name(function) == "self")


def _given(call: ast.Call) -> list:
    return [*call.args, *(word.value for word in call.keywords)]


def _handed_on_alone(run_data: RunData, argument: Argument) -> Finding:
    return problem(
        Text(
            "网络把 {name} 传到 {where}，而 construct 从未使用它，别处也没有用它计算：按它不应计入的位置照样参与计算。",
            "The network hands {name} on to {where}, whose construct never reads it, and nothing else computes with it: the "
            "places that do not count by it take part all the same.",
            name=argument.name,
            where=at(argument.place),
        ),
        Text(
            "在 softmax 之前给无效位置加上很大的负数，或在求和、求平均时乘以它；按长度取每个序列自己的最后一步。",
            "Add a large negative number where it says so before the softmax, or multiply by it in sums and means; take the last "
            "step of each sequence by its length.",
        ),
        [run_data.code_at([argument.place], Text("construct", "The forward function"))],
        [argument.place, *_reductions(argument)],
    )


def _reductions(argument: Argument) -> list:
    """The lines of a construct that take a softmax, a sum, a mean or a maximum, or the last step."""
    nodes = list(ast.walk(argument.construct))
    found: list = [one for one in nodes if isinstance(one, ast.Call) and _REDUCES.search(called_name(one))]
    found += [one for one in nodes if isinstance(one, ast.Subscript) and "-1" in _indices(one)[:2]]
    return [place(argument.place.file, one.lineno) for one in found]


def _indices(node: ast.Subscript) -> list:
    return [ast.unparse(one) for one in (node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice])]


def _forgotten(run_data: RunData, argument: Argument) -> Finding:
    return problem(
        Text(
            "求导的函数 {function}（{where}）收到 {name}，却从未使用它：本应不计或加权的样本照样计入 loss。",
            "{function}, which is differentiated ({where}), is given {name} and never reads it: what should not count, or count "
            "otherwise, is in the loss as it is.",
            function=argument.construct.name,
            where=at(argument.place),
            name=argument.name,
        ),
        Text(
            "用它乘以各样本的 loss，再除以它的和。", "Multiply the losses of the samples by it, and divide by its sum."
        ),
        [run_data.code_at([argument.place], Text("求导的函数", "The function that is differentiated"))],
        [argument.place, *run_data.find_lines(r"\.mean\(|reduce_mean|\bmean\(", 3)],
    )


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
