"""td.04: What the optimizer is given beside the gradients of its batches, computed again."""

import ast
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.findings import no_training
from msprec.checklists.common.probe_status import remedy, skipped
from msprec.checklists.common.ranks.rank_reduction import reducing_lines, undivided_sums
from msprec.checklists.common.script.compiled_numbers import frozen_factor
from msprec.checklists.common.script.setting_origin import CLIPPING, argument_origin
from msprec.checklists.common.training.given_gradients import SCALE_FREE, given_share
from msprec.checklists.common.weights.weight_updates import applied_updates
from msprec.checklists.td.outcome.assessment import assess
from msprec.checklists.td.update_gradients.clipped_way import clipped_way
from msprec.checklists.td.update_gradients.clipped_weights import clipped_weights
from msprec.checklists.td.update_gradients.divided_again import divided_again
from msprec.checklists.td.update_gradients.growing_count import growing_count
from msprec.checklists.td.update_gradients.kept_buffers import kept_buffers
from msprec.checklists.td.update_gradients.kept_sums import kept_sums
from msprec.engine.finding import Finding, ok, problem, table, undecided
from msprec.engine.item import item
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import target_names

_CLIPS = r"\b(clip_by_(global_norm|norm|value)|clip_grad\w*|clip_gradients?)\("
_UPDATES = r"\bself\.\w*opt\w*\("
#: Updates in which a training at a rate that suits comes clearly below where it began.
_MANY = 200
_BUILTIN = ("TrainOneStepCell", "TrainOneStepWithLossScaleCell")


@item("td.04")
def update_gradients(run_data: RunData) -> Finding:
    """What the optimizer is given beside the gradients of its batches, computed again.

    Problem: all that the optimizer was given at the update before is in what it is given now, at every update looked at (sums
    that are never cleared, which the source tells where an update is written out); sums that are divided by the number of all
    batches so far; it is given two times the gradients or more, of one computation, and its updates depend on their size; or
    it is given the gradients of weights that are not its own, or of its own in another order; or those of the last of
    td.04.parts batches or more alone; or those of all ranks are summed in a training that diverged; or next to nothing of the
    gradients is left, and the weights hardly moved (by wider limits in a training that hardly learnt); or they are clipped to
    a norm at which all updates could not have moved the weights (td.04.way); or a sum over batches is divided by a multiple
    of their number, in a training that left something to learn (td.04.solved); or compiled code that updates parameters by
    itself reads a number that is changed while it trains. A sum over micro-batches that is not averaged is undecided: the
    rate may have been chosen for it. What the computed gradients do not explain, as with dropout, is right where none of the
    update before is part of it, else undecided.
    """
    if run_data.trains_nothing:
        return no_training()
    frozen = frozen_factor(run_data, of_updates=True)
    if frozen is not None:
        return frozen
    clipped = clipped_weights(run_data)
    if clipped is not None:
        return clipped
    updates = run_data.probes.gradients.updates
    if not updates:
        return clipped_way(run_data) or _without(run_data)
    return (
        _of_others(run_data)
        or _exchanged(run_data)
        or _thrown_away(run_data)
        or _left_over(run_data)
        or run_data.once(kept_buffers)
        or growing_count(run_data, _explained(run_data) if _all_explained(run_data) else [], _evidence(run_data))
        or _next_to_nothing(run_data)
        or clipped_way(run_data)
        or _too_much(run_data)
        or _divided(run_data)
        or _right(run_data)
    )


def _without(run_data: RunData) -> Finding:
    steps = [step for step in run_data.train_steps if step.count]
    summed = _summed_over_ranks(run_data) or run_data.once(kept_sums) or run_data.once(kept_buffers)
    if summed is not None:
        return summed
    averaged = _single(run_data) or run_data.run.parallel.gradients_mean is True
    if steps and all(step.class_ in _BUILTIN for step in steps) and averaged:
        return ok(
            Text(
                "训练步是 MindSpore 自带的 {name}：优化器得到的就是这个 batch 的梯度。",
                "The step is MindSpore's own {name}, which gives the optimizer the gradients of its batch.",
                name=steps[0].class_,
            )
        )
    return undecided(
        Text(
            "优化器得到的梯度没有核对：{why}。",
            "What the optimizer is given has not been checked: {why}.",
            why=skipped(run_data, "gradients"),
        ),
        remedy(run_data, "gradients"),
    )


def _summed_over_ranks(run_data: RunData) -> Optional[Finding]:
    """Ranks whose gradients are added up and not averaged, before an optimizer whose updates depend on their size."""
    parallel, size = run_data.run.parallel, run_data.run.rank_size or 1
    names = [one.class_ or "" for one in run_data.optimizers if one.used]
    summed = parallel.gradients_mean is False or (parallel.gradients_mean is None and undivided_sums(run_data))
    if size < 2 or not summed or not names or any(SCALE_FREE.search(name) for name in names):
        return None
    outcome = run_data.once(assess)
    diverged = outcome.state == "diverged" and outcome.sure
    return (problem if diverged else undecided)(
        Text(
            "{n} 个 rank 的梯度求和而没有取平均（{how}），{optimizer} 的学习率相当于乘以 {n}{diverged}。",
            "The gradients of {n} ranks are summed and not averaged ({how}), as if the learning rate of {optimizer} were {n} "
            "times as large{diverged}.",
            how="gradients_mean=False" if parallel.gradients_mean is False else "AllReduce",
            n=size,
            optimizer=names[0],
            diverged=Text("，而训练发散", ", and the training diverged") if diverged else Text("", ""),
        ),
        Text(
            "若学习率不是按求和选取的，设置 gradients_mean=True，或 DistributedGradReducer(..., mean=True)，"
            "或把 AllReduce 的结果除以 rank 数。",
            "Unless the rate was chosen for the sum, set gradients_mean=True, or DistributedGradReducer(..., mean=True), or "
            "divide what AllReduce gives by the number of ranks.",
        ),
        [],
        [*run_data.once(reducing_lines)[:3], *(step.place for step in run_data.train_steps if step.count)],
    )


def _single(run_data: RunData) -> bool:
    return len(run_data.ranks) < 2 and (run_data.run.rank_size or 1) < 2


def _explained(run_data: RunData) -> list:
    """The updates that the computed gradients explain."""
    limit = run_data.limit("td.04.exact")
    return [
        one
        for one in run_data.probes.gradients.updates
        if None not in (one.rest, one.factor, one.left) and one.rest <= limit
    ]


def _all_explained(run_data: RunData) -> bool:
    return len(_explained(run_data)) == len(run_data.probes.gradients.updates)


def _of_others(run_data: RunData) -> Optional[Finding]:
    names = run_data.probes.gradients.of_others
    if not names:
        return None
    return problem(
        Text(
            "优化器得到的是其他权重的梯度（{names}），而不是它所更新的权重的梯度。",
            "The optimizer is given the gradients of other weights ({names}), not of those that it updates.",
            names=listed(names),
        ),
        Text(
            "对优化器所更新的权重求导：ms.value_and_grad(forward, None, optimizer.parameters)。",
            "Differentiate by the weights that the optimizer updates: ms.value_and_grad(forward, None, optimizer.parameters).",
        ),
        _evidence(run_data),
        [run_data.probes.gradients.place],
    )


def _exchanged(run_data: RunData) -> Optional[Finding]:
    pairs = run_data.probes.gradients.exchanged
    if not pairs:
        return None
    where = run_data.probes.gradients.place
    return problem(
        Text(
            "优化器得到的梯度与它的参数顺序不一致：{first} 得到的是 {other} 的梯度（共 {n} 个参数如此）。",
            "The gradients are in another order than the optimizer's parameters: {first} is given that of {other} ({n} "
            "parameters are updated by the gradients of others).",
            first=pairs[0][0],
            other=pairs[0][1],
            n=len(pairs),
        ),
        Text(
            "用优化器自己的顺序求导：ms.value_and_grad(forward, None, optimizer.parameters)；参数分组会改变顺序。",
            "Differentiate in the optimizer's own order, ms.value_and_grad(forward, None, optimizer.parameters): groups of "
            "parameters change it.",
        ),
        _evidence(run_data),
        [*_all_parameters(run_data, where), where] if where else [],
    )


def _all_parameters(run_data: RunData, where: Fact) -> list:
    """Where the function around a line takes all parameters of a network, in an order that groups do not have."""
    if where.file not in run_data.source.trees or not where.line:
        return []
    around = run_data.source.function_around(where.file, where.line)
    calls = run_data.source.calls_named(where.file, ("trainable_params", "get_parameters"))
    plain = [one for one in calls if not one.args and not one.keywords]
    inside = [one for one in plain if around is None or around.lineno <= one.lineno <= (around.end_lineno or 0)]
    return [place(where.file, one.lineno) for one in inside]


def _left_over(run_data: RunData) -> Optional[Finding]:
    near = run_data.limit("td.04.equal")
    found = [one for one in _explained(run_data) if abs(one.left - 1) <= near and one.factor > 0]
    if found and len(found) < len(run_data.probes.gradients.updates):
        kept = run_data.once(kept_sums)  # gradients of a training that diverged explain nothing later on
        if kept is not None:
            return kept
    found = found if len(found) == len(run_data.probes.gradients.updates) else _growing(run_data)
    if not found or not _all_explained(run_data):
        return None
    bound = _bound_anew(run_data)
    return problem(
        Text(
            "优化器每次得到的梯度都包含上一次更新时得到的全部梯度：累积的梯度从未清零（如第 {n} 次更新，占范数的 {share}）。",
            "What the optimizer is given contains all that it was given at the update before: the sums of gradients are never "
            "cleared (such as at update {n}, whose gradients are {share} times as large as those of its batch).",
            n=found[-1].update,
            share=_times(found[-1]),
        ),
        Text(
            "每次更新之后把累积的梯度清零（ops.assign(sum, zeros) 或 sums = None），或只把本步的梯度交给优化器。",
            "Set the sums back to zero after each update (ops.assign(sum, zeros), or sums = None), or give the optimizer the "
            "gradients of this step alone.",
        ),
        [
            *_evidence(run_data),
            run_data.code_at(bound, Text("只给循环变量赋值", "A loop's variable alone is bound anew")),
        ],
        [*bound, *_in_a_cell(run_data), run_data.probes.gradients.place, *_begun(run_data)],
    )


def _begun(run_data: RunData) -> list:
    """The statements that give what the optimizer is called with its first value, which would have to run again."""
    return [place(file, node.lineno) for file, node, again in _stores_of_given(run_data) if not again][:2]


def _changed(run_data: RunData) -> list:
    """The statements that make what the optimizer is called with of itself, as ``grads = unscale(grads)``."""
    return [place(file, node.lineno) for file, node, again in _stores_of_given(run_data) if again][:3]


def _stores_of_given(run_data: RunData) -> Iterator[tuple]:
    """``(file, statement, whether it reads the name)`` of what gives a name a value that the optimizer is called with."""
    at = run_data.probes.gradients.place
    given = {name for call in _optimizer_calls(run_data) for one in call.args for name in target_names(one)}
    for node in run_data.source.nodes(at.file, ast.Assign) if given else ():
        for one in node.targets:
            if isinstance(one, ast.Name) and one.id in given:
                yield at.file, node, one.id in target_names(node.value)


def _growing(run_data: RunData) -> list:
    """The updates, where all that was given before is in each, in a share that grows while that of the gradients of its batches
    falls: sums that are never cleared, clipped to one norm. A momentum written by hand has one share."""
    updates = sorted(_explained(run_data), key=lambda one: one.update or 0)
    if len(updates) < 2 or any(one.factor <= 0 or one.left <= run_data.limit("td.04.loose") for one in updates):
        return []
    falls = updates[-1].factor <= run_data.limit("td.04.falls") * updates[0].factor
    return updates if falls and updates[-1].left > updates[0].left + run_data.limit("td.04.equal") else []


def _thrown_away(run_data: RunData) -> Optional[Finding]:
    """Of several gradients that are computed for each update the last alone is given to the optimizer."""
    updates, exact = run_data.probes.gradients.updates, run_data.limit("td.04.alone")
    if not all(one.last_alone and (one.parts or 0) >= run_data.limit("td.04.parts") for one in updates):
        return None
    if any(one.rest is None or one.rest > exact for one in updates):
        return None  # as a sum of nearly the same gradients
    return problem(
        Text(
            "两次更新之间计算了 {parts} 次梯度，而优化器只得到最后一次的：其余 batch 的梯度都被丢弃，共只有 {n} 次更新。",
            "Between two updates gradients are computed {parts} times, and the optimizer is given the last of them alone: those "
            "of all other batches are thrown away, and there are {n} updates in all.",
            parts=updates[-1].parts,
            n=applied_updates(run_data),
        ),
        Text(
            "把优化器的调用放进遍历 batch 的循环内；要累积梯度，则把各次的梯度相加后再交给优化器。",
            "Call the optimizer within the loop over the batches; to accumulate, add the gradients up and give it the sum.",
        ),
        _evidence(run_data),
        [run_data.probes.gradients.place],
    )


def _bound_anew(run_data: RunData) -> list:
    """Statements ``for one in sums: one = zeros_like(one)``, which clear nothing: the name alone is bound anew."""
    return [
        place(file, loop.body[0].lineno)
        for file in run_data.source.trees
        for loop in run_data.source.nodes(file, ast.For)
        if len(loop.body) == 1
        and isinstance(loop.target, ast.Name)
        and isinstance(loop.body[0], ast.Assign)
        and [ast.unparse(one) for one in loop.body[0].targets] == [loop.target.id]
        and re.search("zero", ast.unparse(loop.body[0].value))
    ]


def _in_a_cell(run_data: RunData) -> list:
    """Where a cell that makes the updates of parameters of its own calls the optimizer; empty where the script calls it."""
    calls = _optimizer_calls(run_data)
    return [] if not calls or any(one.args or one.keywords for one in calls) else run_data.find_lines(_UPDATES, 2)


def _optimizer_calls(run_data: RunData) -> list:
    """The calls in the line of the script that updates."""
    at = run_data.probes.gradients.place
    known = at and at.file in run_data.source.trees
    return run_data.source.nodes_at(at.file, at.line, ast.Call) if known else []


def _next_to_nothing(run_data: RunData) -> Optional[Finding]:
    updates, limit = run_data.probes.gradients.updates, run_data.limit("td.04.left")
    share = given_share(run_data)
    if share is None:
        return None
    outcome = run_data.once(assess)
    start, end = outcome.start or 0.0, outcome.end or 0.0
    early = outcome.reason == "few_steps" or outcome.state == "stopped_early"
    barely = early and end >= (1 - run_data.limit("td.01.fell")) * start > 0
    unlearnt = barely or outcome.told in ("nothing", "hardly")
    if unlearnt:
        limit = run_data.limit("td.04.left_unlearnt")
    still = _hardly_moved(run_data, "td.04.moved_unlearnt" if unlearnt else "td.04.moved")
    if share > limit or not (still or (barely and _clipped_throughout(run_data))):
        return None
    return problem(
        Text(
            "优化器得到的梯度只有计算出的 {share}（范数 {given} 与 {computed}），{course}："
            "梯度在传给优化器之前被裁剪或缩小到几乎没有。",
            "The optimizer is given {share} times the computed gradients (norms {given} and {computed}), and {course}: "
            "clipping or a factor leaves next to nothing of them.",
            course=Text("权重几乎没有变化", "the weights hardly changed")
            if still
            else Text("loss 几乎没有下降", "the loss has hardly begun to fall"),
            share=share,
            given=updates[-1].given_norm,
            computed=updates[-1].computed_norm,
        ),
        Text(
            "把裁剪阈值提高到梯度范数的量级（常用 1 到 10），或去掉多余的缩放系数。",
            "Raise the limit of the clipping to the order of the gradient norm (1 to 10 are common), or remove the factor.",
        ),
        _evidence(run_data),
        [*_clips(run_data), run_data.probes.gradients.place, *_changed(run_data)],
    )


def _clipped_throughout(run_data: RunData) -> bool:
    """Whether gradients of different norms were brought to one at all updates looked at, and there were many updates."""
    given = [one.given_norm for one in run_data.probes.gradients.updates]
    equal = len(given) > 1 and max(given) - min(given) <= 1e-3 * max(given)
    return equal and applied_updates(run_data) >= _MANY


def _clips(run_data: RunData) -> list:
    """Where gradients are clipped, and where the limit is written."""
    called = run_data.find_lines(_CLIPS, 2)
    return [at for one in called for at in (*argument_origin(run_data, one, CLIPPING), one)]


def _hardly_moved(run_data: RunData, limit: str) -> bool:
    moved = [p.moved.relative for p in run_data.parameters if p.in_optimizer and p.kind == "weight"]
    known = [one for one in moved if one is not None]
    return bool(known) and max(known) < run_data.limit(limit)


def _too_much(run_data: RunData) -> Optional[Finding]:
    near, updates = run_data.limit("td.04.equal"), run_data.probes.gradients.updates
    factors = [one.factor for one in updates if one.factor is not None and abs(one.left or 0) <= near]
    if not _size_tells(run_data) or len(factors) < len(updates):
        return None
    times, parts = round(factors[0]), {one.parts for one in updates}
    if times < 1 or any(abs(one - times) > near * times for one in factors) or len(parts) != 1:
        return None
    parts = parts.pop()
    if times >= 2 and parts == 1:
        return problem(
            Text(
                "优化器得到的是这个 batch 梯度的 {times} 倍：梯度被重复计入，或 loss scale 没有除掉，相当于学习率乘以 {times}。",
                "The optimizer is given {times} times the gradients of its batch: they are counted several times, or a loss "
                "scale is not divided out, as if the learning rate were {times} times as large.",
                times=times,
            ),
            Text(
                "检查梯度从求导到优化器之间的每一步：是否加了两次，是否乘了系数（求导时的 sens），更新前是否除以 loss scale。",
                "Follow the gradients from where they are computed to the optimizer: are they added twice or multiplied (as by "
                "sens of the gradient function), and are they divided by the loss scale before the update?",
            ),
            _evidence(run_data),
            [run_data.probes.gradients.place, *_changed(run_data)],
        )
    if times == 1 and parts > 1 and not _divides(run_data) and not _in_a_cell(run_data):
        return undecided(
            Text(
                "每次更新使用 {parts} 个 micro-batch 的梯度之和，没有取平均，相当于学习率乘以 {parts}。",
                "Each update takes the sum of the gradients of {parts} micro-batches, not their mean, as if the learning rate "
                "were {parts} times as large.",
                parts=parts,
            ),
            Text(
                "若学习率不是按求和选取的，把 loss 或累积的梯度除以 {parts}。",
                "Unless the rate was chosen for the sum, divide the loss or the sum by {parts}.",
                parts=parts,
            ),
            _evidence(run_data),
            [run_data.probes.gradients.place],
        )
    return None


def _divided(run_data: RunData) -> Optional[Finding]:
    return divided_again(run_data, _explained(run_data), _evidence(run_data)) if _size_tells(run_data) else None


def _size_tells(run_data: RunData) -> bool:
    """Whether the updates follow the size of the gradients, which are explained, and no loss scale takes part."""
    return not _scale_free(run_data) and _all_explained(run_data) and not _scaled(run_data)


def _divides(run_data: RunData) -> bool:
    """Whether the loss that was differentiated had been divided by a number, or multiplied by one below 1."""
    return run_data.probes.gradients.loss_divided is not False


def _scaled(run_data: RunData) -> bool:
    """Whether a loss scale takes part, which mp.02 looks at."""
    divides = any(one.used and one.loss_scale not in (None, 1) for one in run_data.optimizers)
    return divides or any(step.loss_scale.kind not in (None, "none") for step in run_data.train_steps)


def _scale_free(run_data: RunData) -> bool:
    name = run_data.probes.gradients.optimizer
    return not name or bool(SCALE_FREE.search(name))


def _right(run_data: RunData) -> Finding:
    explained, updates = _explained(run_data), run_data.probes.gradients.updates
    if len(explained) < len(updates):
        loose = run_data.limit("td.04.loose")
        values = {"rest": max(one.rest or 0.0 for one in updates)}
        nothing = run_data.limit("td.04.unexplained")
        if values["rest"] > nothing or any(
            one.left is None or abs(one.left) > loose for one in updates if one not in explained
        ):
            return undecided(
                Text(
                    "优化器得到的梯度不能由重新计算的梯度解释（其余部分占 {rest}），其中可能含有上一次更新的梯度。",
                    "The computed gradients do not explain what the optimizer is given (a rest of {rest}), and gradients of the "
                    "update before may be part of it.",
                    **values,
                ),
                Text(
                    "固定随机层和随机输入（如 dropout、生成器的噪声）后再运行一次；确认累积的梯度每次更新后都清零。",
                    "Run once more without random layers and random inputs (dropout, the noise of a generator), and make sure "
                    "that sums of gradients are cleared after each update.",
                ),
                _evidence(run_data),
                [run_data.probes.gradients.place],
            )
        return ok(
            Text(
                "优化器得到的大体是重新计算的梯度（其余部分占 {rest}，如随机层或逐值裁剪），不含上一次更新的梯度。",
                "What the optimizer is given is by and large the computed gradients (a rest of {rest}, as from random layers or "
                "clipping by value), without those of the update before.",
                **values,
            ),
            _evidence(run_data),
        )
    return ok(
        Text(
            "重新计算了 {n} 次更新的梯度：优化器得到的是这些梯度的 {factor} 倍，没有残留。",
            "The gradients of {n} updates were computed again: the optimizer is given {factor} times these, with nothing left "
            "over that is never cleared.",
            n=len(explained),
            factor=explained[-1].factor,
        ),
        _evidence(run_data),
    )


def _times(one: Fact) -> float:
    return one.given_norm / one.computed_norm if one.computed_norm else 0.0


def _evidence(run_data: RunData) -> list:
    facts = run_data.probes.gradients
    rows = [
        [one.update, one.parts, one.factor, one.left, one.rest, one.given_norm, one.computed_norm]
        for one in facts.updates
    ]
    heads = [
        Text("更新", "update"),
        Text("求导次数", "gradients computed"),
        Text("为其总和的倍数", "times their sum"),
        Text("加上一次更新的倍数", "plus times the update before"),
        Text("其余占比", "rest"),
        Text("得到的范数", "norm given"),
        Text("计算的范数", "norm computed"),
    ]
    title = Text("优化器得到的梯度与重新计算的梯度", "What the optimizer is given beside the computed gradients")
    return [table(title, heads, rows), run_data.code(facts.place, Text("更新处", "Where the update is made"))]
