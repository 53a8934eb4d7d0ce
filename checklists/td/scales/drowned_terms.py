"""Terms of a loss that are not learnt because another's gradient is far larger (td.08)."""

import ast
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at, plain_arrays, train_sets
from msprec.checklists.common.script.array_origin import array_origins
from msprec.checklists.common.training.term_weights import lost_weight
from msprec.checklists.common.training.training_curves import epochs_of
from msprec.engine.finding import Finding, problem, table
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names

#: The spread of one batch's targets and that of the column that they come from differ by this share at most.
_SAME_SPREAD = 0.25
#: A term that learnt a little is drowned by so many times the usual factor, where it kept this share of a constant's loss and
#: every other no more than that one.
_FAR, _BEHIND, _AHEAD = 3, 0.8, 0.5


class Drowned(NamedTuple):
    """``term`` is not learnt; the gradient of the rest of the loss, mostly of ``other``, is ``ratio`` times its own."""

    term: Fact
    other: Fact
    ratio: float


def drowned_terms(run_data: RunData) -> Optional[Finding]:
    """A problem where a term that compares with targets ends no better than a constant and the gradient of the other terms is
    td.08.drowning times as large, or these led from the start and came down to nothing; None elsewhere, and of trainings that
    were short."""
    found = [one for term in run_data.probes.terms if (one := _drowned(run_data, term)) is not None]
    if not found or not long_enough(run_data):
        return None
    first = max(found, key=lambda one: one.ratio)
    fit = first.term.fits[0]
    made = [*factors(run_data, first.other.place), *_summed(run_data, first.other.place)]
    places = [one for one in (first.term.place, first.other.place, *made) if one]
    return problem(
        Text(
            "loss 的一项（{place}）几乎没有学到东西：结尾为 {end}，而不看输入、只输出常数即可达到 {constant}；"
            "其余各项（主要是 {other}）的梯度是它的 {ratio} 倍，把它淹没了。",
            "One term of the loss ({place}) was hardly learnt: it ends at {end} where a prediction that does not look at the "
            "inputs reaches {constant}; the gradient of the other terms (above all {other}) is {ratio} times as large and "
            "drowns it.",
            place=at(first.term.place),
            end=fit.end,
            constant=fit.constant,
            other=at(first.other.place),
            ratio=float(first.ratio),
        ),
        Text(
            "让各项取同样的归约（都按样本求和再对 batch 取平均），把目标换算到相近的尺度，或给各项加权，使梯度处于同一量级。",
            "Reduce all terms alike (sums over each sample, then the mean of the batch), bring the targets to one "
            "scale, or weigh "
            "the terms so that their gradients are of one order.",
        ),
        [terms_table(run_data), *run_data.code_at(places, Text("loss 的各项", "Terms of the loss"))],
        places,
    )


def _summed(run_data: RunData, where: Optional[Fact]) -> list:
    """Where a loss with ``reduction="sum"`` is made that a line calls, or what a name of it is given."""
    if not where or not where.file or not where.line:
        return []
    names = {one.id for one in run_data.source.nodes_at(where.file, where.line, ast.Name)}
    stores = [one for one in run_data.source.nodes(where.file, ast.Assign) if names & bound_names(one.targets)]
    called = {one.id for store in stores for one in ast.walk(store.value) if isinstance(one, ast.Name)} | names
    made = [run_data.source.only_value(where.file, name) for name in sorted(called)]
    return [
        place(where.file, one.lineno)
        for one in made
        if isinstance(one, ast.Call)
        if any(word.arg == "reduction" and getattr(word.value, "value", None) == "sum" for word in one.keywords)
    ]


def factors(run_data: RunData, where: Optional[Fact]) -> list:
    """Where the numbers are written, such as ``STRENGTH = 1.0``, that a term's line multiplies by, or its name is multiplied by
    elsewhere."""
    if not where:
        return []
    given = bound_names(
        target for one in run_data.source.nodes_at(where.file, where.line, ast.Assign) for target in one.targets
    )
    products = [
        one
        for one in run_data.source.nodes(where.file, ast.BinOp)
        if isinstance(one.op, ast.Mult)
        if one.lineno == where.line or given & {part.id for part in (one.left, one.right) if isinstance(part, ast.Name)}
    ]
    names = {one.id for product in products for one in ast.walk(product) if isinstance(one, ast.Name)}
    return [
        place(where.file, node.lineno)
        for node in run_data.source.nodes(where.file, ast.Assign)
        if isinstance(node.value, ast.Constant) and names & bound_names(node.targets)
    ]


def unscaled_term(run_data: RunData) -> Optional[Finding]:
    """A problem where a squared error is one of several terms, its targets vary by dp.01.target or more, and it ends above the
    loss of putting out their mean, or they vary by td.08.spread, and it ends td.08.far_above times above that: the loss as a
    whole then says nothing of the other terms."""
    raw = (1.0, run_data.limit("dp.01.target"))
    missed = (run_data.limit("td.08.far_above"), run_data.limit("td.08.spread"))
    for term in run_data.probes.terms:
        fit = term.fits[0] if len(term.fits) == 1 else None
        if fit is None or fit.kind != "mse" or not fit.constant or not fit.end:
            continue
        if any(fit.end > times * fit.constant and fit.constant >= spread**2 for times, spread in (raw, missed)):
            return problem(
                Text(
                    "loss 的一项（{place}）是均方误差，而它的目标未经标准化，标准差约为 {spread}：这一项结尾为 {end}，"
                    "输出均值即可达到 {constant}，其余各项在 loss 中微不足道。",
                    "One term of the loss ({place}) is a squared error of targets that are not scaled, with a standard deviation "
                    "of about {spread}: it ends at {end} where putting out their mean reaches {constant}, and beside it the "
                    "other terms do not count.",
                    place=at(term.place),
                    spread=float(f"{fit.constant**0.5:.3g}"),
                    end=fit.end,
                    constant=fit.constant,
                ),
                Text(
                    "用训练集的均值和标准差把目标标准化，推理时再还原。",
                    "Standardise the targets by their mean and standard deviation over the training set, and undo it at "
                    "inference.",
                ),
                [terms_table(run_data), run_data.code(term.place, Text("loss 的这一项", "The term"))],
                [*([term.place] if term.place else []), *_target_origins(run_data, fit.constant**0.5)],
            )
    return None


def _target_origins(run_data: RunData, spread: float) -> list:
    """Where the column of the training sets that varies as much got its values."""
    columns = [(dataset, one) for dataset in train_sets(run_data) for one in dataset.columns if one.kind == "float"]
    alike = [pair for pair in columns if pair[1].std and abs(pair[1].std - spread) <= _SAME_SPREAD * spread]
    return array_origins(run_data, *alike[0])[:3] if len(alike) == 1 else []


def _drowned(run_data: RunData, term: Fact) -> Optional[Drowned]:
    if not term.fits:
        return None
    pairs = ((term.gradient_start, term.rest_start), (term.gradient_end, term.rest_end))
    ratio = max([rest / own for own, rest in pairs if own and rest], default=0.0)
    others = [other for other in run_data.probes.terms if other is not term]
    if not all(_not_learnt(run_data, fit) for fit in term.fits):
        if ratio < _FAR * run_data.limit("td.08.drowning") or not _left_behind(term, others):
            return None
    elif ratio < run_data.limit("td.08.drowning") and not _prevailed(run_data, term, others):
        return None
    return Drowned(term, max(others, key=lambda one: max(one.gradient_start or 0.0, one.gradient_end or 0.0)), ratio)


def _left_behind(term: Fact, others: list) -> bool:
    """Whether a term gained next to nothing where every other that compares with targets gained most."""
    known = [fit for one in (term, *others) for fit in one.fits]
    if any(fit.end is None or not fit.constant for fit in known) or not any(one.fits for one in others):
        return False
    ends = [[fit.end / fit.constant for fit in one.fits] for one in (term, *others)]
    return min(ends[0]) >= _BEHIND and max(end for one in ends[1:] for end in one) <= _AHEAD


def _prevailed(run_data: RunData, term: Fact, others: list) -> bool:
    """Whether terms that compare with no targets, as a divergence or a penalty does, led from the start and came down to
    nothing: the posterior collapse of a variational autoencoder (Bowman et al. 2016)."""
    if any(one.fits or not one.start or one.end is None for one in others) or None in (
        term.gradient_start,
        term.rest_start,
    ):
        return False
    emptied = run_data.limit("td.08.emptied")
    down = sum(abs(one.end) for one in others) <= emptied * sum(abs(one.start) for one in others)
    # a divergence that is written as a sum has parts that stay, beside a number
    down = down or (term.rest_end is not None and term.rest_end <= run_data.limit("td.08.settled") * term.rest_start)
    return down and term.rest_start >= run_data.limit("td.08.leading") * term.gradient_start


def weighed_to_nothing(run_data: RunData) -> Optional[Finding]:
    """A problem where training took the weight of a term that compares with targets to nothing, and its targets are not learnt;
    None elsewhere, and of trainings that were short."""
    found = lost_weight(run_data)
    if found is None or not long_enough(run_data):
        return None
    term = found.term
    others = [one.place for one in run_data.probes.terms if one is not term]
    places = [one for one in (term.place, *others) if one]
    return problem(
        Text(
            "loss 下降靠的是权重而不是学习：一项（{place}）的权重从 {start} 变为 {end}，而它所衡量的仍为 {fit}（常数预测为 "
            "{constant}）。这样的 loss 没有下界。",
            "The loss comes down by its weights and not by what is learnt: the weight of one term ({place}) went from {start} to "
            "{end}, while what it measures still is {fit} (a constant prediction: {constant}). Such a loss has no lower bound.",
            place=at(term.place),
            start=found.start,
            end=found.end,
            fit=term.fits[0].end,
            constant=term.fits[0].constant,
        ),
        Text(
            "检查训练出来的权重所加的正则项的符号：exp(-s)·L 要加上 s（Kendall 等，2018），而不是减去；或改用固定权重。",
            "Check the sign of the term that holds trained weights: exp(-s)·L needs + s (Kendall et al. 2018), not - s; or take "
            "fixed weights.",
        ),
        [terms_table(run_data), *run_data.code_at(places, Text("loss 的各项", "Terms of the loss"))],
        places,
    )


def all_learnt(run_data: RunData) -> bool:
    """Whether the loss is a sum of which each term that compares with targets ends better than a constant."""
    fits = [fit for term in run_data.probes.terms for fit in term.fits]
    known = all(fit.end is not None and fit.constant is not None for fit in fits)
    return bool(fits) and known and not any(_not_learnt(run_data, fit) for fit in fits)


def _not_learnt(run_data: RunData, fit: Fact) -> bool:
    known = fit.end is not None and fit.constant is not None and fit.constant > 0
    return known and fit.end >= (1 - run_data.limit("hp.01.constant")) * fit.constant


def long_enough(run_data: RunData) -> bool:
    """Whether a training took enough steps, or passes over its data, for a term that is not learnt to say something."""
    passes = (epochs_of(run_data) or 0) >= run_data.limit("td.01.epochs")
    # of steps that are given noise beside their samples no input comes again, and the passes are not known
    anew = any(_always_new(dataset) for dataset in run_data.datasets_of("train"))
    least = "td.01.least_steps" if passes else "td.01.whole_steps" if anew else "td.01.steps"
    return run_data.training_steps >= min(run_data.limit(least), run_data.limit("td.01.steps"))


def _always_new(dataset: Fact) -> bool:
    seen = dataset.contradictions
    return plain_arrays(dataset) and dataset.passes == 1 and seen.distinct == seen.samples


def terms_table(run_data: RunData):
    """The terms side by side; None where the loss is no sum."""
    terms = run_data.probes.terms
    if not terms:
        return None
    rows = [[at(one.place), one.start, one.end, one.gradient_start, one.gradient_end, _constant(one)] for one in terms]
    columns = [
        Text("位置", "place"),
        Text("开头的值", "value at the start"),
        Text("结尾的值", "at the end"),
        Text("开头的梯度范数", "gradient norm at the start"),
        Text("结尾的梯度范数", "at the end"),
        Text("与目标的比较：结尾，常数预测", "beside its targets: end, constant prediction"),
    ]
    return table(Text("loss 各项的值与梯度", "Values and gradients of the loss's terms"), columns, rows)


def _constant(term: Fact) -> str:
    return "; ".join(f"{one.end:.4g}, {one.constant:.4g}" for one in term.fits if None not in (one.end, one.constant))
