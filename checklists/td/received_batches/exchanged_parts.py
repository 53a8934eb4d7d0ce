"""The parts of a split that are taken under each other's names (td.05)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.part_names import part_of
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name, own_nodes, plain_number, target_names

_SPLIT = "train_test_split"


def exchanged_parts(run_data: RunData) -> Optional[Finding]:
    """A problem where the result of ``train_test_split``, or of a function of the script's that returns a training part and
    another, is unpacked in the other order: the network is trained on what was meant for evaluation."""
    for file in run_data.source.trees:
        for store in run_data.source.nodes(file, ast.Assign):
            if isinstance(store.value, ast.Call) and _exchanged(run_data, store.targets[0], store.value):
                where = place(file, store.lineno)
                return problem(
                    Text(
                        "{where} 把划分的结果按相反的次序取出：训练用的名称得到的是评估的部分，评估用的名称得到的是训练的部分。",
                        "{where} unpacks a split in the other order: what is named for training is the part for evaluation, and "
                        "what is named for evaluation is the part for training.",
                        where=at(where),
                    ),
                    Text("按函数返回的次序取出各部分。", "Unpack the parts in the order in which they are returned."),
                    [run_data.code_at([where], Text("取出划分结果之处", "Where the split is unpacked"))],
                    [where],
                )
    return None


def _exchanged(run_data: RunData, target: ast.expr, call: ast.Call) -> bool:
    """Whether a part for training goes to a name for evaluation, and the other way round."""
    names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    if len(names) < 2:
        return False
    if called_name(call) == _SPLIT and len(names) == 2 * len(call.args):
        parts = [("train", "other")[n % 2] for n in range(len(names))]
    else:
        made = run_data.source.functions(called_name(call))
        parts = _returned(made[0][1]) if len(made) == 1 else []
    if len(parts) != len(names):
        return False
    meant = [_kind_of(target_names(one)) for one in names]
    wrong = {kind for kind, part in zip(meant, parts) if kind and part and kind != part}
    return wrong == {"train", "other"} and not any(kind == part for kind, part in zip(meant, parts) if kind)


def _kind_of(names: list) -> str:
    """``train`` or ``other`` of names that all tell the one; else an empty text."""
    kinds = set(map(part_of, names))
    return kinds.pop() if len(kinds) == 1 else ""


def _returned(function: ast.FunctionDef) -> list:
    """Which part each element of the one tuple is that a function returns, by the names in it or by how it is cut; empty of any
    other function."""
    returns = [one.value for one in own_nodes(function) if isinstance(one, ast.Return)]
    if len(returns) != 1 or not isinstance(returns[0], ast.Tuple):
        return []
    large = _large_cuts(function)
    return [_kind_of(target_names(one)) or _cut(one, large) for one in returns[0].elts]


def _cut(element: ast.expr, large: set) -> str:
    """``train`` of ``x[:k]`` and ``other`` of ``x[k:]``, where k leaves the larger part in front."""
    slices = [
        one.slice for one in ast.walk(element) if isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Slice)
    ]
    first = {one.upper.id for one in slices if one.lower is None and isinstance(one.upper, ast.Name)}
    last = {one.lower.id for one in slices if one.upper is None and isinstance(one.lower, ast.Name)}
    if not slices or len(first | last) != 1 or not (first | last) <= large:
        return ""
    return "train" if first else "other"


def _large_cuts(function: ast.FunctionDef) -> set:
    """The names in a function that are given a share above one half of something, which a number or the default of a parameter
    tells."""
    named = function.args.args[len(function.args.args) - len(function.args.defaults) :]
    shares = {one.arg: plain_number(value) for one, value in zip(named, function.args.defaults)}
    found = set()
    for store in (one for one in own_nodes(function) if isinstance(one, ast.Assign)):
        factors = [plain_number(one) for one in ast.walk(store.value) if isinstance(one, ast.Constant)]
        factors += [shares.get(one.id) for one in ast.walk(store.value) if isinstance(one, ast.Name)]
        known = [one for one in factors if one is not None]
        if len(known) == 1 and 0.5 < known[0] < 1 and isinstance(store.targets[0], ast.Name):
            found.add(store.targets[0].id)
    return found
