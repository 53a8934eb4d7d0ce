"""A teacher whose own weights the optimizer of its student updates as well (cg.02)."""

from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.array_origin import argument_origins
from msprec.checklists.common.script.call_sites import called_from
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Loss terms that hold one output of a network against another one's.
_DISTILLS = "distillation"


def updated_with_student(run_data: RunData) -> Optional[Finding]:
    """Problem: the loss holds one network's output against another's (a distillation), the optimizer has the weights of both,
    and all of one were trained before by an optimizer of their own, or filled by a checkpoint: the teacher moves to where its
    answers are easy to give. None where the code stops a gradient, and where both start as they were drawn, to learn from
    each other."""
    terms = [one for one in run_data.probes.own_losses if one.behaviour.kind == _DISTILLS]
    if not terms or run_data.find_lines(r"stop_gradient|\.detach\(|no_grad|set_grad\(", 1):
        return None
    used = [one for one in run_data.optimizers if one.used and len(one.steps or ()) == 2]
    if not used:
        return None
    last = max(used, key=lambda one: one.steps[0])
    parts = _parts(last)
    before = set().union(*(one.parameter_names or () for one in used if one.steps[1] < last.steps[0]))
    # by their number: in the file the weights have names of the teacher's own
    filled = {load.loaded for load in run_data.loads if load.loaded and not load.missing and not load.optimizer}
    taught = [name for name, weights in parts.items() if weights <= before or len(weights) in filled]
    if len(taught) != 1 or len(parts) < 2 or (last.updates or 0) < run_data.limit("cg.02.min_updates"):
        return None
    return _finding(run_data, last, terms[0], taught[0], sorted(parts[taught[0]]))


def _parts(optimizer: Fact) -> dict:
    """``{first part of the name: names}`` of an optimizer's parameters."""
    parts: dict = {}
    for name in optimizer.parameter_names or ():
        parts.setdefault(name.partition(".")[0], set()).add(name)
    return parts


def _finding(run_data: RunData, optimizer: Fact, term: Fact, teacher: str, names: list) -> Finding:
    made = argument_origins(run_data, optimizer.place, 0)[:2]
    places = [*called_from(run_data, optimizer.place, 3)[-1:], optimizer.place, *made, term.place]
    return problem(
        Text(
            "学生的优化器（{where}）也更新教师（{teacher}）的 {n} 个权重（{names}），它们在此之前已训练好："
            "蒸馏的 loss 会把教师推向容易模仿的答案，教师学到的东西因此丢失。",
            "The student's optimizer ({where}) also updates the {n} weights of {teacher} ({names}), its teacher, which were "
            "trained before: the loss of the distillation drives the teacher to answers that are easy to give, and what it knew "
            "is lost.",
            where=at(optimizer.place),
            teacher=teacher,
            n=len(names),
            names=listed(names),
        ),
        Text(
            "只把学生的参数交给优化器（student.trainable_params()），并对教师的输出使用 ops.stop_gradient。",
            "Give the optimizer the student's parameters alone (student.trainable_params()), and stop the gradient of the "
            "teacher's output (ops.stop_gradient).",
        ),
        [run_data.code_at(places, Text("优化器与 loss", "The optimizer and the loss"))],
        places,
    )
