"""Ends of episodes taken for their continuation, and parts of what was kept of an episode that are never read (td.05)."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.td.received_batches.transitions import Taken, role_of, taken_parts
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.module import last_name
from msprec.source.user_code import FunctionNode, bound_names, called_name, names_read, own_nodes

_ENDS = re.compile(r"^(is_?)?(dones?|terminals?|terminated|ended)(_?(t|batch|b|flags?))?$", re.IGNORECASE)
_GOES_ON = re.compile(
    r"^(is_?)?(alive|live|not_?dones?|non_?terminals?|not_?terminals?|continues?|goes_?on)$", re.IGNORECASE
)
_DISCOUNT = re.compile(r"(^|_)(gamma|discount)", re.IGNORECASE)
#: What the value of the best action is found by.
_LARGEST = ("max", "amax", "reduce_max", "argmax")
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
    never reads it, and adds a discounted value of what follows to a reward: what follows an end counts as if it went on. So
    where the best value of what follows is added, and the next state is never read."""
    for file in sorted(run_data.source.trees):
        sums = [one for one in run_data.source.nodes(file, ast.Assign) if _adds_discounted(one)]
        tree = run_data.source.trees[file]
        scopes = [(list(ast.walk(one)), _given(one)) for one in run_data.source.functions_around(file, sums)]
        scopes += [(list(own_nodes(tree)), set())] if sums else []
        for nodes, given in scopes:
            lines = _without_flag(nodes)
            if not lines:
                continue
            told = [*taken_parts(run_data, file, nodes), *(Taken(name, role_of(name), 0) for name in given)]
            read = names_read(nodes if given else ast.walk(tree))
            unread = {role for role in ("end", "next") if _never_read(told, role, read)}
            if "end" in unread:
                return _unread(run_data, [place(file, line) for line in dict.fromkeys(lines)])
            best = _largest_values(nodes) if unread else []
            if best:
                return _unread_next(run_data, [place(file, line) for line in dict.fromkeys((*best, *lines))])
    return None


def _never_read(told: list, role: str, read: set) -> bool:
    """Whether there are parts of a role, and none of their names is read."""
    names = {one.name for one in told if one.role == role}
    return bool(names) and not names & read


def _given(function: FunctionNode) -> set:
    """The names of what a function is given, and of what it takes apart."""
    unpacked = [
        one.id
        for node in ast.walk(function)
        if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Store)
        for one in node.elts
        if isinstance(one, ast.Name)
    ]
    return {*(one.arg for one in function.args.args), *unpacked}


def _largest_values(nodes: list) -> list:
    """The lines of what is discounted in some nodes where it is the largest of some values, by itself or by one name."""
    sums = [one.value for one in nodes if isinstance(one, ast.Assign) and _adds_discounted(one)]
    used = {one.id for total in sums for one in ast.walk(total) if isinstance(one, ast.Name)}
    values = [one.value for one in nodes if isinstance(one, ast.Assign) and used & bound_names(one.targets)]
    calls = [part for value in (*sums, *values) for part in ast.walk(value) if isinstance(part, ast.Call)]
    return [one.lineno for one in calls if called_name(one) in _LARGEST]


def _without_flag(nodes: Iterable) -> list:
    """Lines that bind a sum of which one part is discounted; a sum that goes on from itself is a return over an episode."""
    return [node.lineno for node in nodes if isinstance(node, ast.Assign) and _adds_discounted(node)]


def _adds_discounted(node: ast.Assign) -> bool:
    total = node.value
    if not isinstance(total, ast.BinOp) or not isinstance(total.op, ast.Add):
        return False
    parts = [part for part in (total.left, total.right) if isinstance(part, ast.BinOp)]
    if not any(_DISCOUNT.search(_name(one)) for part in parts for one in factors(part)):
        return False
    return not bound_names(node.targets) & {one.id for one in ast.walk(total) if isinstance(one, ast.Name)}


def _unread(run_data: RunData, places: list) -> Finding:
    return problem(
        Text(
            "{where} 把后续的折扣价值加到每一步的奖励上，而取到的结束标志没有用到：结束之后也当作还会继续，失败没有代价。",
            "{where} adds the discounted value of what follows to each reward, and the flag of the episode's end, which is at "
            "hand, is never read: an end is valued as if the episode went on, and failing costs nothing.",
            where=at(places[0]),
        ),
        Text("把后续的价值乘以 1 - done。", "Multiply the value of what follows by 1 - done."),
        run_data.code_at(places, Text("后续的价值", "The value of what follows")),
        places,
    )


def _unread_next(run_data: RunData, places: list) -> Finding:
    return problem(
        Text(
            "{where} 把后续的折扣价值加到每一步的奖励上，而下一状态从未被读取：这里取的不是下一状态的价值，"
            "奖励无法从一步传到前一步。",
            "{where} adds the discounted value of what follows to each reward, and the next state is never read: what is "
            "added is not the value of that state, and nothing is handed back from one step to the one before it.",
            where=at(places[0]),
        ),
        Text("用下一状态计算后续的价值。", "Compute the value of what follows from the next state."),
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
            parts = list(factors(node))
            discounted = any(_DISCOUNT.search(_name(one)) for one in parts)
            if discounted and len(parts) > 2 and any(map(_plain_flag, parts)):
                yield node.lineno


def factors(node: ast.expr) -> Iterator[ast.expr]:
    """The factors of a product; an expression that is none is its own."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from factors(node.left)
        yield from factors(node.right)
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
