"""A copy of the trained network that code in a loop is to bring up to date and that ends as it began (cg.02)."""

import ast
from collections import Counter
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.cg.frozen_weights.set_back import LOADS, set_in_functions
from msprec.checklists.common.findings import at, each_place_once
from msprec.checklists.common.script.call_sites import in_loop
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name

#: Calls that list the parameters of a network.
_LISTS = ("get_parameters", "trainable_params", "parameters", "parameters_and_names")


def still_copy(run_data: RunData) -> Optional[Finding]:
    """A problem where the weights of one network all moved, those of another of the very same shapes, which no optimizer has, are
    all as they began, and a loop over both networks' parameters that gives values runs in the training's loop; else None."""
    weights = [one for one in run_data.parameters if one.kind == "weight"]
    trained = [one for one in weights if one.in_optimizer]
    still = [one for one in weights if one.in_optimizer is False]
    if not trained or not all(one.moved.any for one in trained) or any(one.moved.any is not False for one in still):
        return None
    if Counter(tuple(one.shape) for one in trained) != Counter(tuple(one.shape) for one in still):
        return None
    places = _copies(run_data)
    if not places:
        return None
    return problem(
        Text(
            "{where} 在循环中把参数从一个网络复制到另一个，而没有优化器的那个网络（{n} 个权重）从头到尾没有变化：复制的方向反了，"
            "训练中的网络一再被写回旧的权重，或者从未复制到它。",
            "What is called in a loop at {where} copies parameters between two networks, and the one that no optimizer has ({n} "
            "weights) never changed: the values go the wrong way, so that the network that trains is given old weights again and "
            "again, or they never get there.",
            where=at(places[0]),
            n=len(still),
        ),
        Text(
            "从正在训练的网络复制到目标网络：zip(online.get_parameters(), target.get_parameters()) 中前者为来源。",
            "Copy from the network that trains to the target: set the target's parameter to the trained one's value.",
        ),
        [run_data.code_at(places, Text("复制参数之处", "Where parameters are copied"))],
        places,
    )


def _copies(run_data: RunData) -> list:
    """Where a network's parameters are copied to another's in a loop, the loops over both, and the calls of what does it."""
    found: list = []
    for where, call, called in set_in_functions(run_data):
        loads = called_name(call) == LOADS
        over = [one for one in run_data.source.enclosing(where.file, where.line) if _zips(one)]
        if loads and not called and in_loop(run_data, where):
            called = [where]
        if called and (_of_network(call) if loads else over):
            found += [where, *(place(where.file, one.lineno) for one in over), *called]
    return each_place_once(found)


def _of_network(call: ast.Call) -> bool:
    """Whether a call loads what another network's ``parameters_dict()`` gives."""
    given = call.args[1:2] + [one.value for one in call.keywords]
    return any(isinstance(one, ast.Call) and called_name(one) == "parameters_dict" for one in given)


def _zips(node: ast.AST) -> bool:
    """Whether it is a loop over the parameters of two networks side by side."""
    over = node.iter if isinstance(node, ast.For) else None
    given = over.args if isinstance(over, ast.Call) and called_name(over) == "zip" else []
    return len(given) == 2 and all(isinstance(one, ast.Call) and called_name(one) in _LISTS for one in given)
