"""cg.02: Whether each trainable weight was updated between the first step and the end of the run."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.cg.frozen_weights.adversaries import updated_by_opponent
from msprec.checklists.cg.frozen_weights.foreign_gradient import foreign_gradient
from msprec.checklists.cg.frozen_weights.lost_thaw import thaws_nothing
from msprec.checklists.cg.frozen_weights.other_network import other_network
from msprec.checklists.cg.frozen_weights.penalised_alone import penalised_alone
from msprec.checklists.cg.frozen_weights.quantised import parted_by_lookup
from msprec.checklists.cg.frozen_weights.same_parameters import given_the_same
from msprec.checklists.cg.frozen_weights.set_back import set_back
from msprec.checklists.cg.frozen_weights.set_on_cells import set_on_cell
from msprec.checklists.cg.frozen_weights.still_copy import still_copy
from msprec.checklists.cg.frozen_weights.stopped_predictions import prediction_stopped
from msprec.checklists.cg.frozen_weights.stopped_terms import term_stopped
from msprec.checklists.cg.frozen_weights.trained_teacher import updated_with_student
from msprec.checklists.cg.frozen_weights.without_optimizer import without_optimizer
from msprec.checklists.common import declared_design
from msprec.checklists.common.data.zeroed_inputs import unless_zeroed
from msprec.checklists.common.findings import missing, no_training, note
from msprec.checklists.common.reference.reference_findings import with_reference
from msprec.checklists.common.script.array_origin import argument_origins
from msprec.checklists.common.script.call_sites import called_from, constructed_from, unused_declaration
from msprec.checklists.common.weights.cannot_learn import judged_after, starts_alike
from msprec.checklists.common.weights.frozen_as_drawn import FREEZES, frozen_as_drawn
from msprec.checklists.common.weights.pretrained_weights import modules_of
from msprec.checklists.common.weights.unregistered_cells import REGISTER, several_unregistered, unregistered_places
from msprec.checklists.common.weights.weight_updates import (
    ParameterGroups,
    applied_updates,
    largest_rate,
    lends_features,
    resting_parts,
    sort_parameters,
    teachers,
)
from msprec.engine.finding import Finding, ok, problem, table, undecided
from msprec.engine.item import item
from msprec.engine.rank_merge import WORST
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import bound_names, called_name, target_names

_PARAMETERS = ("trainable_params", "get_parameters", "parameters_and_names", "parameters_dict")
#: What picks parameters by a condition: a comprehension with ``if``, or ``filter``.
_PICKS = re.compile(r"\bfor\b.*\bif\b|\bfilter\(")


@item("cg.02", ranks=WORST, after=with_reference)
def frozen_weights(run_data: RunData) -> Finding:
    """Whether each trainable weight moved between the first step and the end of the run.

    Problem: a weight with requires_grad=True that is not in the optimizer, also as the network does not know of it (cells in a
    Python list), or that is in it and never updated (or only shrank in proportion, where the optimizer decays weights and no
    gradient came to it; where the gradient was not seen, undecided); one that only a penalty of the loss on the size of weights
    gives a gradient; a prediction whose gradient is stopped, and not that of its target; a term of the loss that gives no
    weight a gradient; an encoder that the reconstruction gives none, behind a lookup of codes; requires_grad
    set on a cell, where it has no effect; two optimizers with the very same weights beside a network that neither has; a last
    layer frozen as it was drawn, that a checkpoint did not fill; layers frozen as they were drawn in a run that loads nothing; a
    discriminator that its opponent's optimizer has as well, or a teacher that its student's has.
    Else frozen explicitly (requires_grad=False): ok.
    ``Model.train`` of a model without an optimizer, in a run that trains nothing else, and
    no optimizer was ever called though gradients were computed cg.02.min_updates times or more: a problem as well.
    Excused: a bias, gamma or beta beside a moving weight of the same cell (before a normalisation its gradient is zero)
    and an embedding of which only a sample of rows was compared. Unmoved weights prove nothing when fewer than
    cg.02.min_updates updates were applied (overflow, learning rate 0) or the learning rate never reached cg.02.min_lr.
    Excused too: whole parts that a checkpoint filled and that the optimizer was not given, beside a new part that it trains,
    unless the script freezes weights and sets them free again.
    A network, or a part of one, that trains nowhere and rests in inference mode beside one that trains is a teacher: not
    judged.
    """
    if run_data.trains_nothing:
        return without_optimizer(run_data) or no_training()
    if not run_data.parameters:
        return missing("网络参数", "parameter of the network")
    hidden = several_unregistered(run_data)
    if hidden:
        return _unregistered(run_data, hidden)
    found = prediction_stopped(run_data) or term_stopped(run_data) or set_on_cell(run_data) or given_the_same(run_data)
    found = found or still_copy(run_data) or foreign_gradient(run_data) or other_network(run_data)
    if found is not None:
        return found
    groups = run_data.once(sort_parameters)
    declared = declared_design.freezing(run_data, groups)
    if declared is not None:
        return declared
    thawed = _thawed(run_data) if groups.left_out else []
    if groups.left_out and (thawed or not lends_features(run_data, groups)):
        return _not_in_optimizer(run_data, groups, thawed)
    if not (groups.moved or groups.stuck or groups.unknown or groups.excused or groups.shrunk):
        return _all_frozen(run_data, groups)
    others = updated_by_opponent(run_data) or updated_with_student(run_data)
    if others is not None:
        return others
    if groups.stuck:
        found, held = unless_zeroed(run_data, _stuck(run_data, groups)), _without_gradient(run_data, groups)
        return judged_after(found, *held) if held is not None and found.conclusion == "problem" else found
    if groups.unknown:
        return undecided(
            Text(
                "{n} 个可训练权重的变化没有观察到（运行可能被中断）。",
                "Whether {n} trainable weights were updated was not observed (the run may have been cut short).",
                n=len(groups.unknown),
            ),
            Text("让训练正常运行到结束。", "Let the training run to its end."),
            _evidence(run_data, groups),
        )
    penalised = penalised_alone(run_data) or parted_by_lookup(run_data)
    if penalised is not None:
        return penalised
    if groups.shrunk:
        return _shrunk(run_data, groups)
    at_random = thaws_nothing(run_data) or _frozen_at_random(run_data, groups) or _nothing_loaded(run_data, groups)
    return at_random or _all_moved(run_data, groups)


def _without_gradient(run_data: RunData, groups: ParameterGroups) -> Optional[tuple]:
    """``(why, item)`` where the weights were not changed as what another item tells leaves them no gradient."""
    if starts_alike(run_data):
        why = Text(
            "多数权重从同一个常数开始（wi.01），其余权重得不到梯度，要在改正之后再判断",
            "Most weights start at one constant (wi.01), which leaves others no gradient: for judging after that",
        )
        return why, "wi.01"
    if not groups.moved and any(one.output.constant is not None for one in run_data.probes.losses):
        why = Text(
            "网络的输出恒为常数（cg.04），任何权重都得不到梯度，要在改正之后再判断",
            "What the loss is given is one constant (cg.04), which leaves no weight a gradient: for judging after that",
        )
        return why, "cg.04"
    return None


_THAWS = r"\.requires_grad\s*=\s*True\b"


def _nothing_loaded(run_data: RunData, groups: ParameterGroups) -> Optional[Finding]:
    """Layers of the one network that is trained, frozen as they were drawn, in a run that loads nothing."""
    drawn, places = run_data.once(frozen_as_drawn)
    if not drawn:
        return None
    return problem(
        Text(
            "{names} 被冻结（requires_grad=False），而运行中没有加载任何权重：它们一直保持随机的初始值，不会学习。",
            "{names} are frozen (requires_grad=False), and the run loads no weights: they keep their random start and learn "
            "nothing.",
            names=listed(one.name for one in drawn),
        ),
        Text(
            "先加载预训练权重再冻结，或去掉冻结；若确实要保留随机权重，在 msprec.toml 的 frozen_parameters 中声明。",
            "Load pretrained weights before they are frozen, or do not freeze them; if random weights are meant, declare them as "
            "frozen_parameters in msprec.toml.",
        ),
        _evidence(run_data, groups),
        places,
    )


def _frozen_at_random(run_data: RunData, groups: ParameterGroups) -> Optional[Finding]:
    """A last layer that the checkpoint did not fill, frozen as it was drawn: the freezing hit the part that has to learn."""
    partial = [load for load in run_data.loads if load.loaded and not load.optimizer]
    left_out = {gap.name for load in partial for gap in load.missing if gap.last and isinstance(gap.name, str)}
    drawn = [
        one
        for one in groups.frozen
        if one.name in left_out and not one.moved.any and len(one.shape) > 1 and not one.initial.constant
    ]
    # of a network that lends its features, frozen whole, nothing that was loaded trains
    filled = {name for load in partial for name, _, loaded in modules_of(load) if loaded}
    if not drawn or not any(one.name.split(".")[0] in filled for one in groups.moved):
        return None
    return problem(
        Text(
            "被冻结的 {names} 并没有从检查点加载，一直保持随机的初始值，而加载了权重的部分在训练：冻结的可能是相反的部分。",
            "{names} is frozen but was not loaded from the checkpoint: it keeps its random start, while what was loaded trains. "
            "The freezing seems to have hit the wrong part.",
            names=listed(one.name for one in drawn),
        ),
        Text(
            "只冻结从检查点加载的部分，让新的输出层参与训练；若确实如此设计，在 msprec.toml 的 frozen_parameters 中声明。",
            "Freeze only what was loaded, and let the new last layer train; if meant so, declare it as frozen_parameters in "
            "msprec.toml.",
        ),
        _evidence(run_data, groups),
        _places(run_data),
    )


def _all_moved(run_data: RunData, groups: ParameterGroups) -> Finding:
    still = [parameter for parameter in groups.frozen if not parameter.moved.any]
    lent = Text(
        "；{names} 从检查点加载，没有交给优化器，只提供特征",
        "; {names} came from a checkpoint, are not in the optimizer and lend their features",
        names=listed(parameter.name for parameter in groups.left_out),
    )
    set_by_script = len(groups.frozen) - len(still)
    random = (
        Text(
            "，且运行中没有加载预训练权重，它们保持初始值",
            " and keep their initial values, as no checkpoint was loaded",
        )
        if not run_data.loads
        else Text("", "")
    )
    frozen = (
        Text(
            "；{n} 个被显式冻结（{names}）{random}",
            "; {n} are frozen explicitly ({names}){random}",
            n=len(still),
            names=listed(parameter.name for parameter in still),
            random=random,
        )
        if still
        else Text("", "")
    )
    averaged = (
        Text(
            "；{n} 个不求梯度，由脚本自己改变（如权重的滑动平均）",
            "; {n} take no gradient and are changed by the script itself (as an average of weights is)",
            n=set_by_script,
        )
        if set_by_script
        else Text("", "")
    )
    return ok(
        Text(
            "{n} 个可训练权重在 {steps} 次更新中都有变化{lent}{frozen}{averaged}。",
            "{all} {n} trainable weights changed over {steps} updates{lent}{frozen}{averaged}.",
            all="The" if groups.left_out else "All",
            lent=lent if groups.left_out else Text("", ""),
            n=len(groups.moved) + len(groups.excused),
            steps=applied_updates(run_data),
            frozen=frozen,
            averaged=averaged,
        ),
        _evidence(run_data, groups),
    )


def _thawed(run_data: RunData) -> list:
    """Where a script that freezes weights sets them free again."""
    return run_data.find_lines(_THAWS, 3) if run_data.find_lines(rf"\.{FREEZES}", 1) else []


def _unregistered(run_data: RunData, hidden: list) -> Finding:
    """Layers that compute and that ``trainable_params()`` leaves out."""
    places = unregistered_places(run_data, hidden)
    return problem(
        Text(
            "{holder} 是 Python 的 {kind}，其中 {n} 个 Cell（{cls}）的权重不在 trainable_params() 中：没有优化器更新它们，"
            "它们一直是初始值。",
            "{holder} is a Python {kind}: trainable_params() leaves out the weights of the {n} cells in it ({cls}), no optimizer "
            "updates them, and they stay as they were drawn.",
            holder=hidden[0].holder,
            kind=hidden[0].kind,
            n=len([one for one in hidden if one.holder == hidden[0].holder]),
            cls=hidden[0].class_,
        ),
        REGISTER,
        run_data.code_at(places, Text("创建处", "Where it is made")),
        places,
    )


def _not_in_optimizer(run_data: RunData, groups: ParameterGroups, thawed: list) -> Finding:
    late = Text(
        "；它们在优化器创建之后才解除冻结",
        ": they were set free again after the optimizer had been made",
    )
    total = sum(map(len, groups)) - len(groups.frozen)
    return problem(
        Text(
            "{n} 个可训练权重（共 {total} 个）不在优化器中，训练中没有更新：{names}{late}。",
            "{n} of {total} trainable weights are not in the optimizer and did not train: {names}{late}.",
            late=late if thawed else Text("", ""),
            n=len(groups.left_out),
            total=total,
            names=listed(parameter.name for parameter in groups.left_out),
        ),
        Text(
            "把 net.trainable_params() 全部交给优化器（解除冻结之后重新创建优化器和求导函数）；若本意是冻结，请对这些权重设 "
            "requires_grad=False。",
            "Give the optimizer all of net.trainable_params(), and make optimizer and gradient function anew after weights are "
            "set free; to freeze weights on purpose, set their requires_grad to False.",
        ),
        _evidence(run_data, groups),
        [
            *thawed,
            *_chosen(run_data),
            *_places(run_data),
            *[one.created for one in groups.left_out[:1] if one.created],
            # a method that makes cells anew, called after the optimizer was made
            *[call for one in groups.left_out[:1] if one.created for call in called_from(run_data, one.created, 3)],
            *[call for at in _used_optimizers(run_data) for call in called_from(run_data, at, 3)],
        ],
    )


def _chosen(run_data: RunData) -> list:
    """The lines that pick an optimizer's parameters by a condition, or put some into groups, where they go into its call."""
    made = [*filter(None, _used_optimizers(run_data))]
    callers = [called_from(run_data, at, 3) or constructed_from(run_data, at, 3) for at in made]
    lines = [line for at, calls in zip(made, callers) for line in argument_origins(run_data, at, 0, calls)]
    picked = [one for one in lines if (text := run_data.lines(one, 0)) and _PICKS.search(" ".join(text[1]))]
    return [*picked, *_groups(run_data), *_sorted_by_name(run_data)]


def _groups(run_data: RunData) -> list:
    """The groups of parameters in the list that an optimizer is given by its name."""
    found = []
    for at in filter(None, _used_optimizers(run_data)):
        first = [one.args[0] for one in run_data.source.nodes_at(at.file, at.line, ast.Call) if one.args]
        given = {one.id for one in first if isinstance(one, ast.Name)}
        for node in run_data.source.nodes(at.file, ast.Assign) if given else ():
            if given & bound_names(node.targets) and isinstance(node.value, ast.List) and node.lineno < at.line:
                found += [place(at.file, one.lineno) for one in node.value.elts if isinstance(one, ast.Dict)]
    return found[:4]


def _sorted_by_name(run_data: RunData) -> list:
    """The conditions by which loops over a network's parameters put them into lists by their names."""
    return [
        place(file, branch.lineno)
        for file in run_data.source.trees
        for loop in run_data.source.nodes(file, ast.For)
        if any(isinstance(one, ast.Call) and called_name(one) in _PARAMETERS for one in ast.walk(loop.iter))
        for branch in ast.walk(loop)
        if isinstance(branch, ast.If)
        and any(isinstance(one, ast.Call) and called_name(one) == "append" for one in ast.walk(branch))
        and re.search(r"name|[\"']", ast.unparse(branch.test))
    ][:3]


def _stuck(run_data: RunData, groups: ParameterGroups) -> Finding:
    updates, rate = applied_updates(run_data), largest_rate(run_data)
    names = listed(parameter.name for parameter in groups.stuck)
    never = _never_called(run_data, groups)
    if never is not None:
        return never
    if updates < run_data.limit("cg.02.min_updates"):
        return undecided(
            Text(
                "{n} 个权重没有变化，但整个运行只有 {updates} 次有效更新（共 {steps} 步）。",
                "{n} weights did not move, but only {updates} of {steps} steps updated anything.",
                n=len(groups.stuck),
                updates=updates,
                steps=run_data.training_steps,
            ),
            Text(
                "先解决溢出或学习率为 0 的问题，或训练更多步后再判断。",
                "See to the overflow or to the learning rate of zero first, or train more steps.",
            ),
            _evidence(run_data, groups),
        )
    if rate is not None and rate < run_data.limit("cg.02.min_lr"):
        return undecided(
            Text(
                "{n} 个权重没有变化，但学习率最大只有 {rate}。",
                "{n} weights did not move, but the learning rate never exceeded {rate}.",
                n=len(groups.stuck),
                rate=rate,
            ),
            Text("用正常的学习率训练后再判断（见 hp.01）。", "Train with an ordinary learning rate first (see hp.01)."),
            _evidence(run_data, groups),
        )
    back = set_back(run_data, groups.stuck, updates, _places(run_data))
    if back is not None:
        return back
    decayed = [parameter for parameter in groups.stuck if parameter.moved.any]
    only = (
        Text("，其中 {n} 个只有权重衰减在起作用", "; on {n} of them weight decay alone acted", n=len(decayed))
        if decayed
        else Text("", "")
    )
    return problem(
        Text(
            "{n} 个可训练权重（共 {total} 个）在 {updates} 次更新中从未变化{only}：{names}。",
            "{n} of {total} trainable weights were not changed by {updates} updates{only}: {names}.",
            n=len(groups.stuck),
            total=sum(map(len, groups)) - len(groups.frozen),
            updates=updates,
            only=only,
            names=names,
        ),
        Text(
            "检查这些权重所在的 Cell是否参与前向计算、其后是否有 stop_gradient 或不可导的操作（argmax、round、asnumpy）"
            "，"
            "以及优化器得到的是否是同一个网络的参数。",
            "See whether their cells are used in the forward pass, whether stop_gradient or a step without gradient "
            "(argmax, round, asnumpy) follows, "
            "and whether the optimizer was given the parameters of this very network.",
        ),
        _evidence(run_data, groups),
        [at for one in groups.stuck[:3] for at in unused_declaration(run_data, one)] + _places(run_data),
    )


def _never_called(run_data: RunData, groups: ParameterGroups) -> Optional[Finding]:
    """Gradients were computed time and again, no optimizer was ever called, and nothing moved: the update is missing."""
    phases = [phase for phase in run_data.phases if phase.gradient and not phase.updated]
    calls = sum(phase.calls or 0 for phase in phases)
    if not run_data.optimizers or any(one.used is not False for one in run_data.optimizers):
        return None
    if groups.moved or groups.unknown or calls < run_data.limit("cg.02.min_updates"):
        return None
    called = [place for name in _gradient_functions(run_data) for place in run_data.find_lines(rf"=\s*{name}\(", 2)]
    places = [*called, *[one.place for one in run_data.optimizers], *[phase.place for phase in phases[:1]]]
    return problem(
        Text(
            "梯度计算了 {calls} 次，但优化器从未被调用：{n} 个可训练权重没有一个被更新。",
            "Gradients were computed {calls} times and the optimizer was never called: none of the {n} trainable weights was "
            "updated.",
            calls=calls,
            n=len(groups.stuck),
        ),
        Text(
            "求得梯度后调用优化器：optimizer(grads)，或使用 nn.TrainOneStepCell。",
            "Call the optimizer with the gradients, optimizer(grads), or use nn.TrainOneStepCell.",
        ),
        [*_evidence(run_data, groups), *run_data.code_at(called, Text("梯度的计算", "Where gradients are computed"))],
        [place for place in places if place],
    )


def _gradient_functions(run_data: RunData) -> list:
    """Names that the script gives to functions of gradients."""
    return [
        target.id
        for file in run_data.source.trees
        for node in run_data.source.nodes(file, ast.Assign)
        if isinstance(node.value, ast.Call) and called_name(node.value) in ("value_and_grad", "grad")
        for target in node.targets
        if isinstance(target, ast.Name)
    ]


def _shrunk(run_data: RunData, groups: ParameterGroups) -> Finding:
    return undecided(
        Text(
            "{n} 个权重只是按比例缩小（{names}）：是只有权重衰减在起作用，还是梯度相对很小，没有观察到梯度，无法区分。",
            "{n} weights only shrank in proportion ({names}): by weight decay alone, or with small gradients beside it. Their "
            "gradients were not seen.",
            n=len(groups.shrunk),
            names=listed(parameter.name for parameter in groups.shrunk),
        ),
        Text(
            "把优化器的 weight_decay 设为 0 训练几步，看这些权重是否变化。",
            "Train a few steps with the optimizer's weight_decay at 0, and see whether these weights move.",
        ),
        _evidence(run_data, groups),
        _places(run_data),
    )


def _all_frozen(run_data: RunData, groups: ParameterGroups) -> Finding:
    if not groups.frozen or not run_data.training_steps:
        return missing("可训练的权重", "trainable weight")
    return problem(
        Text(
            "全部 {n} 个权重都被冻结（requires_grad=False），{steps} 步训练没有更新任何权重。",
            "All {n} weights are frozen (requires_grad=False): {steps} training steps updated nothing.",
            n=len(groups.frozen),
            steps=run_data.training_steps,
        ),
        Text(
            "为需要训练的权重设 requires_grad=True，并在创建优化器之前完成。",
            "Set requires_grad=True for the weights to train, before the optimizer is created.",
        ),
        _evidence(run_data, groups),
        _places(run_data),
    )


def _places(run_data: RunData) -> list:
    hidden = run_data.find_lines(r"\bstop_gradient\s*\(")
    used = _used_optimizers(run_data)
    steps = [step.place for step in run_data.train_steps if step.count and step.place]
    return hidden + (used or [*_rebound(run_data), *steps])


def _rebound(run_data: RunData) -> list:
    """Where a loop gives its own variable the updated value (``for p, g in …: p = p - lr * g``), or a list of its own takes it
    (``[p - lr * g for p, g in zip(params, grads)]``), and not the Parameter."""
    found = []
    for file in run_data.source.trees:
        for loop in run_data.source.nodes(file, ast.For):
            targets = set(target_names(loop.target))
            for node in (one for one in loop.body if isinstance(one, (ast.Assign, ast.AugAssign))):
                into = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
                value = node.value if isinstance(node, ast.Assign) else into
                again = isinstance(into, ast.Name) and into.id in targets and into.id in target_names(value)
                found += [place(file, node.lineno)] if again and len(targets) > 1 else []
        for made in run_data.source.nodes(file, ast.ListComp):
            lowered = isinstance(made.elt, ast.BinOp) and isinstance(made.elt.op, ast.Sub)
            pairs = {name for one in made.generators for name in target_names(one.target)}
            if lowered and len(pairs) > 1 and pairs <= set(target_names(made.elt)):
                found.append(place(file, made.lineno))
    return found


def _used_optimizers(run_data: RunData) -> list:
    return [optimizer.place for optimizer in run_data.optimizers if optimizer.used is not False]


def _evidence(run_data: RunData, groups: ParameterGroups) -> list:
    states = (
        (groups.left_out, Text("不在优化器中", "not in the optimizer")),
        (groups.stuck, Text("未变化", "not updated")),
        (groups.unknown, Text("未观察到", "not observed")),
        (groups.shrunk, Text("按比例缩小", "shrank in proportion")),
        (groups.frozen, Text("显式冻结", "frozen explicitly")),
        (groups.excused, Text("未变化（不作判断）", "still, not judged")),
        (groups.moved, Text("有变化", "updated")),
    )
    rows = [
        [
            parameter.name,
            "×".join(map(str, parameter.shape)),
            parameter.requires_grad,
            parameter.in_optimizer,
            parameter.moved.max_abs,
            parameter.moved.relative,
            state,
        ]
        for group, state in states
        for parameter in group
    ]
    heads = [
        Text("权重", "weight"),
        Text("形状", "shape"),
        "requires_grad",
        Text("在优化器中", "in optimizer"),
        Text("最大变化", "largest change"),
        Text("相对变化", "relative change"),
        Text("结论", "state"),
    ]
    odd = groups.left_out or groups.stuck or groups.frozen
    places = [place for place in _places(run_data) if place] if odd else []
    return [
        table(Text("权重的变化", "What became of the weights"), heads, rows),
        run_data.code_at(places, Text("冻结与优化器", "Freezing and the optimizer")),
        _aside([*teachers(run_data), *resting_parts(run_data)]),
    ]


def _aside(networks: list):
    if not networks:
        return None
    return note(
        "另有 {n} 个网络或部分（{weights} 个参数）在推理模式下只提供输出，不参与训练，未作判断。",
        "{n} more network(s) or parts ({weights} parameters) only lend their output, in inference mode; they are not judged.",
        n=len(networks),
        weights=sum(map(len, networks)),
    )
