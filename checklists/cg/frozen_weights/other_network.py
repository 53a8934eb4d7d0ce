"""An optimizer that was given the weights of the network that rests beside the one that trains (cg.02)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


def other_network(run_data: RunData) -> Optional[Finding]:
    """A problem where gradients are computed through two networks in the same steps, the one in training mode is in no optimizer
    that was used meanwhile, and the one in inference mode is: as a teacher whose weights its student's optimizer was given."""
    phases = [
        one for one in run_data.phases if one.gradient and (one.calls or 0) >= run_data.limit("cg.02.min_updates")
    ]
    for still in phases:
        if still.updated is not False or still.root_training is not True:
            continue
        beside = [one for one in phases if one.network != still.network and _same_steps(one, still)]
        moved = next((one for one in beside if one.updated and one.root_training is False), None)
        used = [one for one in run_data.optimizers if one.used and one.place and _in_use(one, still)]
        if moved is not None and len(used) == 1:
            return _finding(run_data, still, moved, used[0])
    return None


def _same_steps(one: Fact, other: Fact) -> bool:
    return (one.first_step, one.last_step) == (other.first_step, other.last_step)


def _in_use(optimizer: Fact, phase: Fact) -> bool:
    """Whether an optimizer made its updates in the steps of a phase."""
    steps = list(optimizer.steps or ())
    if len(steps) != 2 or None in (*steps, phase.first_step, phase.last_step):
        return False
    return steps[0] <= phase.last_step and steps[1] >= phase.first_step + 1


def _finding(run_data: RunData, still: Fact, moved: Fact, optimizer: Fact) -> Finding:
    places = [optimizer.place, still.place]
    return problem(
        Text(
            "第 {first} 到 {last} 步中，{still} 处调用的网络处于训练模式，却不在任何优化器中；所用的优化器（{where}）更新的是"
            "另一个处于推理模式的网络（{moved}）。",
            "In steps {first} to {last} the network called at {still} is in training mode and in no optimizer; the optimizer "
            "that is used, of {where}, updates the one beside it, which rests in inference mode ({moved}).",
            first=(still.first_step or 0) + 1,
            last=(still.last_step or 0) + 1,
            still=at(still.place),
            moved=at(moved.place),
            where=at(optimizer.place),
        ),
        Text(
            "把要训练的网络的 trainable_params() 交给优化器和求梯度的函数。",
            "Give the optimizer, and the function of the gradients, trainable_params() of the network that is to be trained.",
        ),
        [run_data.code_at(places, Text("优化器与网络的调用", "The optimizer, and the call of the network"))],
        places,
    )
