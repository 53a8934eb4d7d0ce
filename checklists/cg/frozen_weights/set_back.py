"""Weights whose gradients came and that end as they began: something gives them their first values again (cg.02)."""

from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.findings import at, each_place_once
from msprec.checklists.common.script.call_sites import calls_around, in_loop
from msprec.checklists.common.weights.weight_updates import gradients_came
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place

#: The call that gives a whole network its values, and those that give parameters theirs.
LOADS = "load_param_into_net"
_SETS = ("set_data", "assign_value", "assign", "Assign", LOADS, "copy_")


def set_back(run_data: RunData, stuck: list, updates: int, others: list) -> Optional[Finding]:
    """Problem: all of these weights had gradients in the sampled steps, none has changed at the end, and code that runs in a loop
    gives parameters their values; else None.

    Args:
        run_data: The run.
        stuck: The parameters that are as they began.
        updates: How many the run made.
        others: Further places, where the cause may lie as well.
    """
    came = [gradients_came(run_data, one) for one in stuck]
    places = _in_loops(run_data) if all(each and all(each) for each in came) else []
    if not places:
        return None
    return problem(
        Text(
            "{n} 个权重每次都得到梯度，{updates} 次更新之后却仍是初始值（{names}）：{where} 在循环中给参数赋值，"
            "看来又写回了原来的值。",
            "{n} weights had a gradient each time, and after {updates} updates they hold their first values ({names}): what is "
            "called in a loop at {where} gives parameters their values, and seems to write the first ones back.",
            n=len(stuck),
            updates=updates,
            names=listed(one.name for one in stuck),
            where=at(places[0]),
        ),
        Text(
            "检查这次赋值的方向：应把正在训练的权重写入目标网络（或备份），而不是反过来；"
            "若方向无误，核对优化器得到的是否是这个网络的参数。",
            "Look at which way the values go: from the weights that train to the target network or the copy, not back. Where "
            "that is right, see whether the optimizer was given the parameters of this very network.",
        ),
        [run_data.code_at(places, Text("写回权重之处", "Where weights are given values"))],
        [*places, *others],
    )


def _in_loops(run_data: RunData) -> list:
    """The calls in loops of functions that give parameters values, and where these do so."""
    found: list = []
    for where, _, called in set_in_functions(run_data):
        found += [*called, where] if called else []
    return each_place_once(found)


def set_in_functions(run_data: RunData) -> Iterator[tuple]:
    """``(place, call, the calls in loops of the function around it)`` of each call that gives parameters values."""
    for file, call in run_data.source.calls_anywhere(_SETS):
        where = place(file, call.lineno)
        yield where, call, [one for one in calls_around(run_data, where) if in_loop(run_data, one)]
