"""Rewards that are discounted by 0: nothing of what follows counts (td.05)."""

import ast
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.td.received_batches.done_flags import factors
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.module import last_name
from msprec.source.user_code import argument_names, called_name, plain_number

DISCOUNT = re.compile(r"(^|_)(gamma|discount)(_?(factor|rate))?$", re.IGNORECASE)


def zero_discount(run_data: RunData) -> Optional[Finding]:
    """A problem where a sum has a part that is multiplied by a discount, and each number that the script gives that discount is
    0: rewards are not handed back from one step to the one before it."""
    used = {
        name
        for file in run_data.source.trees
        for node in run_data.source.nodes(file, ast.BinOp)
        if isinstance(node.op, ast.Add)
        for name in _discounts(node)
    }
    for name in sorted(used):
        files = [file for file in run_data.source.trees if name in run_data.source.texts[file].replace("-", "_")]
        given = [one for file in files for one in numbers_given(run_data, file, name)]
        if given and all(value == 0 for value, _ in given):
            return _finding(run_data, name, [where for _, where in given])
    return None


def _discounts(total: ast.BinOp) -> Iterator[str]:
    """The names of discounts that a part of a sum is multiplied by."""
    for part in (total.left, total.right):
        parts = list(factors(part))
        yield from (name for name in map(name_of, parts) if len(parts) > 1 and DISCOUNT.search(name))


def name_of(node: ast.expr) -> str:
    """``gamma`` of ``gamma``, ``self.gamma`` and ``conf["gamma"]``; empty of anything else."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return last_name(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""


def numbers_given(run_data: RunData, file: str, name: str) -> Iterator[tuple]:
    """``(number, place)`` of every number that a file gives a name, a field, a key or an argument of that name."""
    pairs: list = []
    for node in run_data.source.nodes(file, ast.Assign, ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        pairs += [(name_of(one), node.value) for one in targets if node.value is not None]
    for node in run_data.source.nodes(file, ast.Dict):
        pairs += [(str(getattr(key, "value", "")), value) for key, value in zip(node.keys, node.values)]
    for node in run_data.source.nodes(file, ast.Call):
        pairs += [(one.arg or "", one.value) for one in node.keywords]
        if called_name(node) == "add_argument" and node.args and isinstance(node.args[0], ast.Constant):
            option = str(node.args[0].value).lstrip("-").replace("-", "_")
            pairs += [(option, one.value) for one in node.keywords if one.arg == "default"]
    for node in run_data.source.nodes(file, ast.FunctionDef):
        defaults = node.args.defaults
        pairs += list(zip(argument_names(node)[-len(defaults) :], defaults)) if defaults else []
    for held, value in pairs:
        number = plain_number(value) if held == name else None
        if number is not None:
            yield number, place(file, value.lineno)


def _finding(run_data: RunData, name: str, places: list) -> Finding:
    return problem(
        Text(
            "折扣 {name} 为 0（{where}）：后续的奖励都不计入，每一步只看到自己的奖励。",
            "The discount {name} is 0 ({where}): no reward that follows counts, and each step sees its own alone.",
            name=name,
            where=at(places[0]),
        ),
        Text("常用 0.9 到 0.99。", "Usual are 0.9 to 0.99."),
        run_data.code_at(places, Text("折扣的值", "The value of the discount")),
        places,
    )
