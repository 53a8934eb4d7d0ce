"""An optimizer that is made anew again and again, whose schedule begins again each time (hp.01)."""

import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Optimizers that keep moments whatever they are given.
_KEEPS = re.compile(r"Adam|RMSProp|Adagrad|Adadelta|LAMB|Lion|Adafactor", re.IGNORECASE)
#: As many of one place, and the share of a schedule's steps that each made at the most.
_SEVERAL, _PART = 3, 0.5


def renewed_optimizer(run_data: RunData) -> Optional[Finding]:
    """A problem where one line makes several optimizers of the same parameters of the one network, one after the other, and each
    makes no more than half of the steps of its list of rates, which was written for all of them together; or makes one update
    alone, where the optimizer keeps moments of the updates before."""
    used = [one for one in run_data.optimizers if one.used and one.place]
    first = used[0] if len(used) >= _SEVERAL else None
    if first is None or len([one for one in run_data.networks if one.role == "train"]) > 1:
        return None
    if any(_made_as(one) != _made_as(first) for one in used):
        return None
    if all(one.updates == 1 for one in used) and (first.momentum or _KEEPS.search(first.class_ or "")):
        return _at_each_update(run_data, first, len(used))
    if any(one.learning_rate.kind != "list" for one in used):
        return None
    values, most = first.learning_rate.values or 0, max(one.updates or 0 for one in used)
    if not 0 < most <= _PART * values or sum(one.updates or 0 for one in used) > 1.1 * values:
        return None
    return problem(
        Text(
            "{where} 共创建了 {n} 个优化器，每一个都从头开始 {values} 步的学习率列表，最多用到第 {most} 步；动量也每次清空。",
            "{where} makes {n} optimizers, one after the other: each begins the list of {values} rates anew and comes to its "
            "step {most} at the most, and the momentum is lost each time.",
            where=at(first.place),
            n=len(used),
            values=values,
            most=most,
        ),
        Text("在循环之前只创建一次优化器。", "Make the optimizer once, before the loop."),
        run_data.code_at([first.place], Text("创建优化器之处", "Where the optimizer is made")),
        [first.place],
    )


def _at_each_update(run_data: RunData, first: Fact, count: int) -> Finding:
    return problem(
        Text(
            "{where} 为每次更新都新建一个优化器（共 {n} 个 {name}）：动量等状态每次清空，各次更新之间互不相干。",
            "{where} makes an optimizer for each update, {n} of {name} in all: the moments of the updates before are lost each "
            "time.",
            where=at(first.place),
            n=count,
            name=first.class_,
        ),
        Text("在循环之前只创建一次优化器。", "Make the optimizer once, before the loop."),
        run_data.code_at([first.place], Text("创建优化器之处", "Where the optimizer is made")),
        [first.place],
    )


def _made_as(one: Fact) -> tuple:
    return one.place.file, one.place.line, list(one.parameter_names)
