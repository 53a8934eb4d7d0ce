"""Ends of episodes taken for their continuation: what comes after an end is valued, and nothing else (td.05)."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.module import last_name
from msprec.source.user_code import FunctionNode, bound_names, called_name, names_read, own_nodes

_ENDS = re.compile(r"^(is_?)?(dones?|terminals?|terminated|ended)(_?(t|batch|b|flags?))?$", re.IGNORECASE)
_GOES_ON = re.compile(
    r"^(is_?)?(alive|live|not_?dones?|non_?terminals?|not_?terminals?|continues?|goes_?on)$", re.IGNORECASE
)
_DISCOUNT = re.compile(r"(^|_)(gamma|discount)", re.IGNORECASE)
#: Calls that put a transition into a memory, and its parts at least.
_KEEPS, _TRANSITION = ("append", "add", "push", "store"), 4
#: What turns a flag round, or makes another number of it.
_TURNS = (ast.Sub, ast.Invert, ast.Not, ast.Compare, ast.IfExp, ast.USub)
#: What leaves the flag as it is: methods of an array, and what makes an array or tensor of it.
_CASTS = ("astype", "float", "to", "unsqueeze", "reshape", "squeeze", "view")
_MAKES = ("Tensor", "array", "asarray", "float32", "float64", "float")


def inverted_ends(run_data: RunData) -> Optional[Finding]:
    """A problem where a name that says an episode goes on (``alive``, ``not_done``) is given the flag of its end as it is, or a
    discounted value is multiplied by that flag, which nothing in the script turns round."""
    turned = any(_turned(node) for file in run_data.source.trees for node in run_data.source.nodes(file, ast.Assign))
    for file in sorted(run_data.source.trees):
        lines = [*_renamed(run_data, file), *([] if turned else _discounted(run_data, file))]
        if lines:
            return _finding(run_data, [place(file, line) for line in sorted(set(lines))])
    return None


def unread_ends(run_data: RunData) -> Optional[Finding]:
    """A problem where a function, or the script itself, is given the flag of an episode's end, or takes it out of what was kept,
    never reads it, and adds a discounted value of what follows to a reward: what follows an end counts as if it went on."""
    for file in sorted(run_data.source.trees):
        sums = [one for one in run_data.source.nodes(file, ast.Assign) if _adds_discounted(one)]
        kept = _kept_flags(run_data, file) if sums else set()
        functions = run_data.source.functions_around(file, sums)
        scopes = [(list(ast.walk(one)), _never_reads_end(one)) for one in functions]
        scopes += [(list(own_nodes(run_data.source.trees[file])), False)] if kept else []
        for nodes, unread in scopes:
            lines = _without_flag(nodes) if unread or _taken_unread(nodes, kept) else []
            if lines:
                return _unread(run_data, [place(file, line) for line in lines])
    return None


def _kept_flags(run_data: RunData, file: str) -> set:
    """``(length, position)`` of a flag of an end in what is put into a memory: ``memory.append((s, a, r, s2, done))``."""
    found = set()
    for call in run_data.source.calls_named(file, _KEEPS):
        given = call.args[0].elts if len(call.args) == 1 and isinstance(call.args[0], ast.Tuple) else call.args
        ends = [at for at, one in enumerate(given) if _ENDS.search(_name(one))] if len(given) >= _TRANSITION else []
        found |= {(len(given), at) for at in ends}
    return found


def _taken_unread(nodes: list, kept: set) -> bool:
    """Whether the flag is taken out of a memory, by its place in what was put there, and never read."""
    stores = [
        (target.elts, node.value)
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Tuple)
    ]
    taken = {
        _name(names[at])
        for names, value in stores
        for length, at in kept
        if len(names) == length
        and any(isinstance(one, ast.Call) and called_name(one) == "zip" for one in ast.walk(value))
    }
    return bool(taken - {""}) and not taken & names_read(nodes)


def _never_reads_end(function: FunctionNode) -> bool:
    unpacked = [
        one.id
        for node in ast.walk(function)
        if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Store)
        for one in node.elts
        if isinstance(one, ast.Name)
    ]
    ends = {name for name in (*(one.arg for one in function.args.args), *unpacked) if _ENDS.search(name)}
    return bool(ends) and not ends & names_read(ast.walk(function))


def _without_flag(nodes: Iterable) -> list:
    """Lines that bind a sum of which one part is discounted; a sum that goes on from itself is a return over an episode."""
    return [node.lineno for node in nodes if isinstance(node, ast.Assign) and _adds_discounted(node)]


def _adds_discounted(node: ast.Assign) -> bool:
    total = node.value
    if not isinstance(total, ast.BinOp) or not isinstance(total.op, ast.Add):
        return False
    parts = [part for part in (total.left, total.right) if isinstance(part, ast.BinOp)]
    if not any(_DISCOUNT.search(_name(one)) for part in parts for one in _factors(part)):
        return False
    return not bound_names(node.targets) & {one.id for one in ast.walk(total) if isinstance(one, ast.Name)}


def _unread(run_data: RunData, places: list) -> Finding:
    return problem(
        Text(
            "{where} 把后续的折扣价值加到每一步的奖励上，而该函数取出的结束标志没有用到：结束之后也当作还会继续，失败没有代价。",
            "{where} adds the discounted value of what follows to each reward, and the flag of the episode's end, which the "
            "function takes, is never read: an end is valued as if the episode went on, and failing costs nothing.",
            where=at(places[0]),
        ),
        Text("把后续的价值乘以 1 - done。", "Multiply the value of what follows by 1 - done."),
        run_data.code_at(places, Text("后续的价值", "The value of what follows")),
        places,
    )


def _finding(run_data: RunData, places: list) -> Finding:
    return problem(
        Text(
            "{where} 把回合结束的标志当作继续的标志：只有结束的那一步才加上后续的价值，其余各步都没有，奖励无法向前传递。",
            "{where} takes the flag of an episode's end for that of its going on: the value of what follows is added at the end "
            "alone, and nothing is handed back from one step to the one before it.",
            where=at(places[0]),
        ),
        Text("乘以 1 - done。", "Multiply by 1 - done."),
        run_data.code_at(places, Text("结束的标志", "The flag of the end")),
        places,
    )


def _renamed(run_data: RunData, file: str) -> Iterator[int]:
    for node in run_data.source.nodes(file, ast.Assign):
        if any(_GOES_ON.search(name) for name in bound_names(node.targets)) and _plain_flag(node.value):
            yield node.lineno


def _discounted(run_data: RunData, file: str) -> Iterator[int]:
    """Products of a discount and the flag as it is."""
    for node in run_data.source.nodes(file, ast.BinOp):
        if isinstance(node.op, ast.Mult):
            factors = list(_factors(node))
            discounted = any(_DISCOUNT.search(_name(one)) for one in factors)
            if discounted and len(factors) > 2 and any(map(_plain_flag, factors)):
                yield node.lineno


def _factors(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from _factors(node.left)
        yield from _factors(node.right)
    else:
        yield node


def _plain_flag(node: ast.expr) -> bool:
    """A flag of the end, perhaps cast, indexed or made a tensor of."""
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called_name(node) in _CASTS:
            node = node.func.value
        elif isinstance(node, ast.Call) and node.args and called_name(node) in _MAKES:
            node = node.args[0]
        else:
            return _ENDS.search(_name(node)) is not None


def _name(node: ast.expr) -> str:
    """The last part of a name; of other expressions none."""
    return last_name(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""


def _turned(node: ast.Assign) -> bool:
    """Whether a flag of an end is bound to something that turns it round."""
    held = any(_ENDS.search(name) for name in bound_names(node.targets))
    return held and any(isinstance(part, _TURNS) for part in ast.walk(node.value))
