"""Copies of the trained network within one process that were to follow it and never did: targets, moving averages (td.07)."""

import re
from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.call_sites import calls_around, calls_of
from msprec.checklists.common.script.callback_methods import never_called
from msprec.checklists.common.weights.weight_updates import applied_updates
from msprec.checklists.td.replicas.shared_memory import shared_memory
from msprec.checklists.td.replicas.slow_average import slow_average
from msprec.engine.finding import Finding, problem, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Names of what follows the trained weights; of what stays as it was drawn on purpose.
_FOLLOWS = r"((?<![A-Za-z])(?i:target|ema|average|momentum|shadow|polyak|slow)|EMA|Target|Average|Shadow)"
_STAYS = r"(?i)random_network_dist|\brnd\b|intrinsic|curiosity|novelty"
#: A moving average, wherever it is spoken of.
_AVERAGES = r"(?i)(\b|_)(ema|swa|polyak|moving_average|averaged_?(model|net\w*|weights))(\b|_)|ModelEMA"

#: A decay near 1, as averages have it.
_DECAYS = r"(?i)(decay|ema|momentum|tau|polyak|average)\w*['\"]?\s*[=:]\s*(float\s*=\s*)?0?\.9"

#: Calls that bring an average up to date.
_UPDATES = (
    r"(?i)\b\w*(ema|average|shadow|polyak|swa)\w*\.(update|step|apply)\w*\(|\bupdate_(ema|average|shadow|target)\w*\("
)

#: What goes over the parameters of a target or an average, or writes into it.
_COPIES = (
    r"(?i)\b(zip|load_param_into_net|copy\w*|update_parameter\w*)\(.*(target|ema|average|momentum|shadow|polyak|slow)"
    r"|(target|ema|average|momentum|shadow|polyak|slow)\w*\s*=\s*(copy\.)?(deep)?copy\("
)


def stale_copies(run_data: RunData) -> Optional[Finding]:
    """A problem where a copy that is called after td.07.updates updates still has the weights of the start, and by its name is
    to follow the trained network, or is all that is evaluated; undecided where it may be a reference on purpose.

    A problem too where its weights follow and the statistics of its BatchNorm have stayed those of the start; where an average
    that alone is evaluated has td.07.behind of the way from the start still before it; and where, after
    td.07.settled updates, a target has changed and lies td.07.unrelated away from the trained network, as weights that are drawn
    anew do. First the copies that are none
    (`shared_memory`).
    """
    if applied_updates(run_data) < run_data.limit("td.07.updates"):
        return None
    shared = shared_memory(run_data)
    if shared is not None:
        return shared
    for copy in run_data.copies:
        kept = _kept_since(run_data, copy)
        still = copy.as_original_began or (copy.in_training and copy.unchanged) or kept
        late = (copy.last_step or 0) >= run_data.limit("td.07.updates")
        follows = not still and copy.distance is not None and copy.distance <= run_data.limit("td.07.follows")
        if late and follows and copy.statistics_stayed and not copy.in_training:
            return _statistics(run_data, copy)
        behind = not still and not copy.in_training and not copy.original_evaluated and copy.behind is not None
        # weights that no file was loaded into were written by the script, as an average's are; drawn anew they lie farther off
        averages = _follows(run_data, copy) or not any(one.file for one in run_data.loads)
        if late and behind and run_data.limit("td.07.behind") <= copy.behind <= 1 and averages:
            return _slow(run_data, copy)
        elsewhere = (
            not still and (copy.distance or 0.0) >= run_data.limit("td.07.unrelated") and (copy.behind or 0.0) > 1
        )
        settled = applied_updates(run_data) >= run_data.limit("td.07.settled")
        if late and settled and elsewhere and _named(run_data, copy):
            return _unrelated(run_data, copy)
        if not still or not late or copy.as_original_ended or run_data.find_lines(_STAYS, 1):
            continue
        if _named(run_data, copy) or (not kept and _follows(run_data, copy)):
            return _finding(run_data, copy, problem)
        if not copy.in_training and not kept:
            return _finding(run_data, copy, undecided if copy.original_evaluated else problem)
    return slow_average(run_data)


def _statistics(run_data: RunData, copy: Fact) -> Finding:
    places = [one for one in (*_trained_alone(run_data), copy.called, copy.created) if one]
    return problem(
        Text(
            "{name}（{called} 处调用）的权重随被训练的网络更新，而它的 BatchNorm 统计量（{paths}）仍是训练开始时的值："
            "推理时它用初始的均值和方差归一化。",
            "The weights of {name}, called at {called}, follow the network that trains, and its BatchNorm statistics ({paths}) "
            "are still those of the start: in inference it normalises with the initial means and variances.",
            name=copy.class_,
            called=at(copy.called),
            paths=listed(copy.statistics_stayed),
        ),
        Text(
            "更新副本时把 moving_mean 和 moving_variance 一并复制（遍历 get_parameters() 而不只是 trainable_params()），"
            "或评估前用训练数据重新统计。",
            "Copy moving_mean and moving_variance too where the copy is updated (go over get_parameters(), not "
            "trainable_params() alone), or compute them anew on training data before it is evaluated.",
        ),
        [run_data.code_at(places, Text("副本的调用与创建", "Where the copy is called and made"))],
        places,
    )


def _trained_alone(run_data: RunData) -> list:
    """Lines that take the trained weights of a copy, or take them within a class or function of an average: what is trained
    leaves out the statistics."""
    own = run_data.find_lines(r"(?i)(ema|shadow|averag|teacher|target|copy|momentum)\w*\.trainable_params\(", 2)
    own = own or run_data.find_lines(r"\.trainable_params\(.*\.trainable_params\(", 2)  # the pairs of both
    return own or [one for one in run_data.find_lines(r"\.trainable_params\(", 50) if _in_average(run_data, one)][:2]


def _in_average(run_data: RunData, where: Fact) -> bool:
    names = [getattr(node, "name", "") for node in run_data.source.enclosing(where.file or "", where.line or 0)]
    return any(re.search(r"(?i)ema(?![a-z])|shadow|averag", name) for name in names)


def _slow(run_data: RunData, copy: Fact) -> Finding:
    updates = [one for one in run_data.find_lines(_UPDATES, 2) if one not in run_data.find_lines(r"^\s*def\b", 500)]
    made = [*run_data.find_lines(_DECAYS, 2), *_holders(run_data, copy)]
    places = [one for one in (*made, *updates[:1], copy.created, copy.called) if one]
    return problem(
        Text(
            "只有 {name}（{called} 处调用）被评估，它是权重的滑动平均，而 {n} 次更新之后它与训练后的权重之差仍是训练所走路程的 "
            "{share}：平均得太慢，评估的几乎是训练开始时的权重。",
            "All that is evaluated is {name}, called at {called}, an average of the weights; after {n} updates it is still "
            "{share} of the way that training took away from the trained weights: it averages too slowly, and what is evaluated "
            "is nearly what training began with.",
            name=copy.class_,
            called=at(copy.called),
            n=applied_updates(run_data),
            share=f"{100 * copy.behind:.0f} %",
        ),
        Text(
            "确认平均在每步之后更新，而不是每个 epoch 一次；减小衰减率，使 1 ÷（1 − 衰减率）远小于更新次数（或在开头用较小的"
            "衰减率，如 min(decay, (1 + n) / (10 + n))）；并同时评估被训练的网络。",
            "See that the average is updated after each step, not once an epoch; lower the decay until 1 / (1 - decay) is far "
            "below the number of updates, or begin with a smaller one, such as min(decay, (1 + n) / (10 + n)); and evaluate the "
            "trained network as well.",
        ),
        [run_data.code_at(places, Text("平均的衰减率与副本", "The decay of the average, and the copy"))],
        places,
    )


def _holders(run_data: RunData, copy: Fact) -> list:
    """Where objects of the class are made in which the copy is made: they may be given the decay."""
    around = run_data.source.class_around(copy.created.file, copy.created.line) if copy.created else None
    return calls_of(run_data, around.name)[:2] if around is not None else []


def _unrelated(run_data: RunData, copy: Fact) -> Finding:
    copied = run_data.find_lines(_COPIES, 4) or run_data.find_lines(r"\.(set_data|assign_value|copy_)\(", 4)
    places = [one for one in (*copied, copy.created, copy.called) if one]
    return problem(
        Text(
            "{name}（{called} 处调用）按名称应跟随被训练的网络，它的权重也在变化，但与后者的距离是后者范数的 {distance} 倍，"
            "比训练开始时还远：写进它的不是被训练网络的权重。",
            "{name}, called at {called}, is to follow the trained network by its name, and its weights do change; but they lie "
            "{distance} times the norm of the trained network's away from them, farther than those of the start: what is written "
            "into it are not the trained weights.",
            name=copy.class_,
            called=at(copy.called),
            distance=f"{copy.distance:.2g}",
        ),
        Text(
            "从被训练的网络复制：遍历两者的 get_parameters()，t.set_data(p.value())（或按比例靠近）。",
            "Copy from the network that trains: go over get_parameters() of both, t.set_data(p.value()), or move t towards p.",
        ),
        [run_data.code_at(places, Text("副本的更新与调用", "Where the copy is written and called"))],
        places,
    )


def _kept_since(run_data: RunData, copy: Fact) -> bool:
    """Whether the values are those of the copy's first call, with so many updates between its first and its last call, and
    never were the trained network's: it was not even copied at the start."""
    since, last = copy.unchanged_since, copy.last_step
    many = since is not None and last is not None and last - since >= run_data.limit("td.07.updates")
    return many and not copy.as_original_began


def _named(run_data: RunData, copy: Fact) -> bool:
    """Whether the copy is a target or an average by the name that it is given, or called by."""
    named = rf"{_FOLLOWS}\w*\b[^=\n]*=[^=].*\b({copy.class_}|deepcopy|clone)\("
    return run_data.matches_at(rf"{_FOLLOWS}\w*\(", copy.called) or bool(run_data.find_lines(named, 1))


def _follows(run_data: RunData, copy: Fact) -> bool:
    """Whether it is one by its name, or, only evaluated, the source averages."""
    return _named(run_data, copy) or bool(not copy.in_training and run_data.find_lines(_AVERAGES, 1))


def _finding(run_data: RunData, copy: Fact, make) -> Finding:
    steps = [step.place for step in run_data.train_steps if step.count]
    copied = run_data.find_lines(_COPIES, 4)
    calls = [one for line in copied for one in calls_around(run_data, line)[:3]]
    told = (
        *never_called(run_data),
        copy.created,
        *copied,
        *calls,
        run_data.probes.gradients.place,
        copy.called,
        *steps,
    )
    places = [one for one in told if one]
    return make(
        Text(
            "{name}（{called}）与被训练的网络结构相同，训练 {n} 次更新之后它的权重仍与开始时相同：更新它的代码没有执行，"
            "或者没有把值写进它的参数。",
            "{name}, {called}, is a copy of the network that trains; after {n} updates it still has the weights of the "
            "start: what is to update it does not run, or writes into no parameter of it.",
            name=copy.class_,
            called=Text("{at} 处调用", "called at {at}", at=at(copy.called))
            if copy.called
            else Text("在训练步中", "within the training step"),
            n=applied_updates(run_data),
        ),
        Text(
            "在每次（或每隔若干次）参数更新之后更新副本：目标网络复制权重或按比例靠近，滑动平均调用 update()；"
            "若副本本应保持不变，可忽略。",
            "Update the copy after each update, or every so many: copy the weights into a target network or move it "
            "towards them, "
            "call update() of a moving average. Where the copy is a reference that is to stay, nothing is wrong.",
        ),
        [
            run_data.code_at(
                places, Text("副本的创建、参数更新与调用", "Where the copy is made, updates are made and it is called")
            )
        ],
        places,
    )
