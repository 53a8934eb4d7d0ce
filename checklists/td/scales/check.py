"""td.08: Targets and loss terms of scales that fit each other."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.data.target_scale import target_scale
from msprec.checklists.common.findings import first_place, loss_figure, no_training, op_place
from msprec.checklists.common.script.array_origin import array_origins
from msprec.checklists.common.script.compiled_numbers import frozen_factor
from msprec.checklists.common.script.scaling_statistics import scaling_statistics
from msprec.checklists.common.training.constant_prediction import REGRESSION, loss_kind
from msprec.checklists.td.outcome.assessment import assess, has_other_aim
from msprec.checklists.td.scales.collapse import collapsed_reconstruction
from msprec.checklists.td.scales.decay import decay_far_above_usual, decay_forgets, decay_holds_back, decay_outweighs
from msprec.checklists.td.scales.drowned_terms import (
    all_learnt,
    drowned_terms,
    terms_table,
    unscaled_term,
    weighed_to_nothing,
)
from msprec.checklists.td.scales.large_outputs import outputs_too_large, scores_too_large
from msprec.checklists.td.scales.no_bias import no_bias
from msprec.checklists.td.scales.strong_penalty import collapsed_term, strong_penalty
from msprec.checklists.td.scales.targets import Targets, loss_terms, regression_targets
from msprec.checklists.td.scales.weighted_away import weighted_away
from msprec.checklists.td.scales.zero_weight import zero_weight
from msprec.engine.finding import Finding, not_applicable, ok, problem, table, together, undecided
from msprec.engine.item import item
from msprec.engine.rank_merge import PROBLEMS
from msprec.engine.run_data import RunData

_STANDARDISE = Text(
    "用训练集的均值和标准差把每个目标分别标准化，推理时再还原；或为各目标的 loss 分别加权。",
    "Standardise each target by its mean and standard deviation over the training set and undo it at inference, or weigh the "
    "targets' losses.",
)


@item("td.08", ranks=PROBLEMS)
def scales(run_data: RunData) -> Finding:
    """The scales of a regression's targets beside each other and beside 0, and of the terms of a loss.

    Problem: a term of the loss that compares with targets ends no better than a prediction that does not look at the inputs
    while the gradient of another term is td.08.drowning times as large; a squared error among several terms whose targets
    vary by dp.01.target or more ends above that of their mean; the trained weight of such a term goes to nothing
    (td.08.unweighted) while it is not learnt, or that of any term, which each step is given, is 0 throughout, or trained
    weights that the loss reads in exp(-s) alone grew until it was below td.08.faded; in a mean squared error of 2 to 12
    targets one has td.08.drowned times the standard deviation of another; targets whose standard deviation is below
    td.08.small in a training that learnt nothing or hardly anything; targets that lie td.08.offset standard deviations off 0
    in a training that did not even come to their mean (its loss ends above twice the best constant's), or by
    td.08.beside_zero of a network without any bias that did not learn them; or a loss that starts td.08.outputs times above
    the best constant's, with outputs far beyond the targets, and ends td.08.far times above it; of class scores, one that
    starts td.03.start times above it after weights most of which were drawn td.08.wide times too wide, and does not come
    td.03.solved below it. Targets that are too large (dp.01.target) are dp.01's. A problem of any loss: a weight decay that
    took all weights below td.08.shrunk of their size in a training that learnt nothing, and pulled td.08.pull times as hard
    as the gradient of the loss from the start, or whose product with the rate lets them fade within td.08.horizon updates and
    a pass over the data, or without which training on brings the loss down by td.08.freed of what there was to lose, or that
    is td.08.usual_decay or more in a training that came to nothing; or a penalty on the weights in the loss that shrank them,
    pulls td.08.penalty_pull times as hard as the rest at the end, and left the rest less than half learnt; or terms that
    compare with no target, pulled harder than the rest at the start and took what they hold down to nothing; or what a
    network makes of its inputs, compared with them by one of the terms, that changes with them by td.08.still at most; or an
    attribute that compiled code reads, such as the weight of a term, and that is changed while it trains. A note: targets
    that differ by td.08.uneven, loss terms by td.08.terms. Other losses: not applicable; targets that are changed on their
    way: undecided.
    """
    if run_data.trains_nothing:
        return no_training()
    found = frozen_factor(run_data, of_updates=False) or collapsed_reconstruction(run_data) or weighted_away(run_data)
    if found is not None:
        return found
    told = [] if has_other_aim(run_data) else [one for one in _of_terms_and_decay(run_data) if one is not None]
    return together(told) if told else _of_targets(run_data)


def _of_terms_and_decay(run_data: RunData) -> list:
    """What is said of the terms of a loss, a penalty among them, and of a weight decay; None of what is right."""
    terms = weighed_to_nothing(run_data) or zero_weight(run_data) or drowned_terms(run_data) or unscaled_term(run_data)
    decay = decay_outweighs(run_data) or decay_forgets(run_data) or decay_holds_back(run_data)
    return [terms or strong_penalty(run_data) or collapsed_term(run_data), decay or decay_far_above_usual(run_data)]


def _of_targets(run_data: RunData) -> Finding:
    """The scales of a regression's targets, of its outputs, or of class scores."""
    targets, terms = regression_targets(run_data), loss_terms(run_data)
    if targets is None:
        too_large = None if has_other_aim(run_data) else scores_too_large(run_data, run_data.once(assess))
        return too_large or _without_targets(run_data, terms)
    shown = [_table(targets), _terms(terms), terms_table(run_data), loss_figure(run_data)]
    if target_scale(run_data, targets.dataset) is not None:
        return undecided(
            Text(
                "目标 {name} 的尺度过大，由 dp.01 判断。",
                "The target {name} is too large in scale, which dp.01 concludes.",
                name=targets.column.name,
            ),
            Text("按 dp.01 修改后再判断。", "Judge again after what dp.01 advises is done."),
            shown,
        )
    return _judged(run_data, targets, shown) or ok(_fitting(run_data, targets, terms), shown)


def _judged(run_data: RunData, targets: Targets, shown: list) -> Optional[Finding]:
    origins = array_origins(run_data, targets.dataset, targets.column)
    places = [op_place(targets.dataset, "map") or first_place(targets.dataset), *origins]
    if targets.loss.kind in ("mse", "rmse") and targets.spread >= run_data.limit("td.08.drowned"):
        return problem(_drowned(targets), _STANDARDISE, shown, [*places, *scaling_statistics(run_data, places)])
    assessed = run_data.once(assess)
    if has_other_aim(run_data):
        return None
    if 0 < targets.whole_std < run_data.limit("td.08.small") and assessed.state in ("nothing", "hardly"):
        return problem(_small(targets), _STANDARDISE, shown, places)
    without = no_bias(run_data, targets, assessed.state)
    if without is not None:
        return without
    constant, end = assessed.outcome.constant, assessed.end
    far = (
        targets.offset >= run_data.limit("td.08.offset") and assessed.state in ("nothing", "diverged") and assessed.sure
    )
    if far and constant is not None and end is not None and end > 2 * constant.value > 0:
        return problem(_off_centre(targets, end, constant.value), _STANDARDISE, shown, places)
    return outputs_too_large(run_data, targets, assessed, shown)


def _without_targets(run_data: RunData, terms: list) -> Finding:
    if all_learnt(run_data):
        return ok(
            Text(
                "loss 是若干项之和，与目标比较的各项结尾都优于常数预测，没有一项被淹没。",
                "The loss is a sum; each term that compares with targets ends better than a constant prediction: none "
                "is drowned.",
            ),
            [terms_table(run_data)],
        )
    loss = run_data.once(loss_kind)
    kinds = {one.label.kind for one in run_data.datasets_of("train")} - {None}
    if (loss is not None and loss.kind not in REGRESSION) or (loss is None and kinds and "regression" not in kinds):
        return not_applicable(
            Text("loss 不是对数值目标的回归。", "The loss is not one of a regression of numbers."), [_terms(terms)]
        )
    return undecided(
        Text(
            "目标怎样进入 loss 没有观察到（自定义 loss，或目标在途中被改变）。",
            "How the targets enter the loss was not observed (a loss of the script's own, or targets that are changed on their "
            "way).",
        ),
        Text(
            "核对进入 loss 的目标的均值与标准差。",
            "Check mean and standard deviation of the targets as they enter the loss.",
        ),
        [_terms(terms)],
    )


def _drowned(targets: Targets) -> Text:
    std = targets.std
    high, low = std.index(max(std)), std.index(min(one for one in std if one > 0))
    return Text(
        "目标 {name} 各列的尺度悬殊：第 {high} 列的标准差为 {largest}，第 {low} 列只有 {smallest}，"
        "在 {loss} 中后者只占前者的 {share}。",
        "The targets in {name} differ in scale: output {high} has a standard deviation of {largest}, output {low} one of "
        "{smallest}, which makes {share} of the other's part in the {loss}.",
        name=targets.column.name,
        high=high + 1,
        largest=float(std[high]),
        low=low + 1,
        smallest=float(std[low]),
        share=float((std[low] / std[high]) ** 2),
        loss=targets.loss.kind.upper(),
    )


def _small(targets: Targets) -> Text:
    return Text(
        "目标 {name} 的尺度过小：标准差只有 {std}，而训练没有学到它们。",
        "The target {name} is too small in scale: its standard deviation is {std}, and the training did not learn it.",
        name=targets.column.name,
        std=targets.whole_std,
    )


def _off_centre(targets: Targets, end: float, constant: float) -> Text:
    return Text(
        "目标 {name} 远离 0：均值为标准差的 {offset} 倍，训练连均值也没有达到"
        "（结尾的 loss 为 {end}，输出均值即可达到 {constant}）。",
        "The target {name} lies far from 0: its mean is {offset} standard deviations away, and the training did not even come to "
        "the mean (the loss ends at {end}; putting out the mean reaches {constant}).",
        name=targets.column.name,
        offset=targets.offset,
        end=end,
        constant=constant,
    )


def _fitting(run_data: RunData, targets: Targets, terms: list) -> Text:
    uneven = targets.spread >= run_data.limit("td.08.uneven")
    differ = _ratio(terms) >= run_data.limit("td.08.terms")
    note = Text("", "")
    if uneven:
        note = Text(
            "；各列标准差最多相差 {spread} 倍",
            "; their standard deviations differ by up to {spread}",
            spread=targets.spread,
        )
    elif differ:
        note = Text(
            "；loss 各项最多相差 {ratio} 倍", "; the terms of the loss differ by up to {ratio}", ratio=_ratio(terms)
        )
    return Text(
        "回归目标 {name} 的尺度没有可疑之处：标准差 {std}，均值离 0 {offset} 倍标准差{note}。",
        "Nothing speaks against the scale of the regression target {name}: standard deviation {std}, mean {offset} standard "
        "deviations off 0{note}.",
        name=targets.column.name,
        std=targets.whole_std,
        offset=targets.offset,
        note=note,
    )


def _ratio(terms: list) -> float:
    sizes = [abs(value) for _, value, _ in terms if value]
    return max(sizes) / min(sizes) if len(sizes) > 1 else 1.0


def _table(targets: Targets):
    rows = [[i + 1, mean, std] for i, (mean, std) in enumerate(zip(targets.mean, targets.std))]
    columns = [Text("输出", "output"), Text("均值", "mean"), Text("标准差", "standard deviation")]
    return table(Text("回归目标 {name}", "Regression target {name}", name=targets.column.name), columns, rows)


def _terms(terms: list):
    if not terms:
        return None
    rows = [[name, value, f"{place.file}:{place.line}" if place else ""] for name, value, place in terms]
    columns = [Text("项", "term"), Text("一步中的值", "value in one step"), Text("位置", "place")]
    return table(Text("loss 的各项", "Terms of the loss"), columns, rows)
