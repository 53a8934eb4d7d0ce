"""What a constant prediction would lose, and whether the training came out below it (hp.01, hp.02, hp.03, dp.01).

A network that ignores its inputs and always gives the same output reaches the loss of the best constant: the level that any
training has to get below before it has learnt anything of its inputs. That constant follows from the targets alone:

=======================  =====================================================================================================
loss                     least value over all constant outputs
=======================  =====================================================================================================
cross-entropy, NLL       entropy of the class shares p, −Σ p ln p (Gibbs' inequality; Cover and Thomas 2006, theorem 2.6.3);
                         with label smoothing ε the entropy of (1 − ε) p + ε ÷ C (Szegedy et al. 2016)
binary cross-entropy     entropy of the positive share, −p ln p − (1 − p) ln(1 − p), the mean over the outputs
MSE                      variance, reached at the mean: then 1 − loss ÷ variance is the R² of the training
RMSE                     standard deviation
MAE (L1)                 mean absolute deviation about the median (Schwertman et al. 1990)
Huber, smooth L1         least of the mean Huber loss (Huber 1964) over constants: convex, searched over the distribution
=======================  =====================================================================================================

Facts that are missing, a loss of the script's own, terms added to the loss, class weights or targets changed on their way
give no constant: then nothing is concluded from it.
"""

import ast
import math
import re
from typing import NamedTuple, Optional

import numpy as np

from msprec.bilingual import Text
from msprec.checklists.common.findings import label_column
from msprec.checklists.common.training.reinforcement import has_adversary, learns_by_rewards
from msprec.checklists.common.training.training_segments import last_datasets, last_evaluations, last_rows
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

_CLASSES = ("softmax_cross_entropy", "cross_entropy_of_probabilities", "nll")
_BINARY = ("bce", "bce_with_logits")
_KINDS = {
    "crossentropyloss": "softmax_cross_entropy",
    "cross_entropy": "softmax_cross_entropy",
    "softmaxcrossentropywithlogits": "softmax_cross_entropy",
    "nllloss": "nll",
    "nll_loss": "nll",
    "bceloss": "bce",
    "binary_cross_entropy": "bce",
    "bcewithlogitsloss": "bce_with_logits",
    "binary_cross_entropy_with_logits": "bce_with_logits",
    "mseloss": "mse",
    "mse_loss": "mse",
    "rmseloss": "rmse",
    "l1loss": "l1",
    "l1_loss": "l1",
    "maeloss": "l1",
    "smoothl1loss": "smooth_l1",
    "smooth_l1_loss": "smooth_l1",
    "huberloss": "huber",
    "huber_loss": "huber",
}
REGRESSION = ("mse", "rmse", "l1", "smooth_l1", "huber")
#: Losses of amounts, whose whole numbers are no classes.
_AMOUNTS = re.compile(r"poisson|gaussian_?nll|neg\w*_?binomial|tweedie", re.IGNORECASE)
_HOW = {
    "softmax_cross_entropy": Text("类别分布的熵", "entropy of the class shares"),
    "cross_entropy_of_probabilities": Text("类别分布的熵", "entropy of the class shares"),
    "nll": Text("类别分布的熵", "entropy of the class shares"),
    "bce": Text("正例比例的熵", "entropy of the positive share"),
    "bce_with_logits": Text("正例比例的熵", "entropy of the positive share"),
    "mse": Text("目标的方差", "variance of the targets"),
    "rmse": Text("目标的标准差", "standard deviation of the targets"),
    "l1": Text("目标与其中位数的平均绝对差", "mean absolute deviation of the targets about their median"),
    "smooth_l1": Text("常数输出的最小 Smooth L1", "least smooth L1 loss of a constant"),
    "huber": Text("常数输出的最小 Huber 损失", "least Huber loss of a constant"),
}
# weights of classes, which no fact holds where the loss was not seen
_WEIGHTED = r"(Loss|Logits|cross_entropy\w*)\([^#]*((pos_)?weight\s*=|\bpos_weight\b)"
_LOSS = re.compile(r"loss|criterion|cross_entropy|nll|mse|bce", re.IGNORECASE)
_CHANGES = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult)
#: Metrics that are shares of right answers.
ACCURACY = re.compile(r"acc|top_?1($|_)", re.IGNORECASE)
#: Scores below minus this are masked.
_MASKED = 1e3
#: So far, as a share, may the loss of the first step be off what is computed when it is run again, as dropout makes it.
SAME_VALUE = 0.2


class LossKind(NamedTuple):
    """The one loss that a training minimises.

    Attributes:
        kind: ``softmax_cross_entropy``, ``nll``, ``bce``, ``bce_with_logits``, ``mse``, ``rmse``, ``l1``, ``smooth_l1`` or
            ``huber``.
        reduction: ``mean``, ``sum`` or ``batch_mean``.
        settings: ``label_smoothing``, ``ignore_index``, ``delta`` or ``beta``, where they are known.
        predicted, labels: The facts of what entered it on a captured batch; empty where none was captured.
        targets: Which input of the step its labels are, and what was done to them.
        factor: By which the script multiplies it.
    """

    kind: str
    reduction: str
    settings: dict
    predicted: Optional[Fact] = None
    labels: Optional[Fact] = None
    targets: Optional[Fact] = None
    factor: float = 1.0


class ConstantLoss(NamedTuple):
    """``value``: the loss of the best constant prediction, in the unit of the loss; ``how``: by which statistic; ``kind``: as
    `LossKind.kind`; ``column``: of the targets, empty where they are made in the step; ``majority``: share of the most frequent
    class, where there are classes."""

    value: float
    how: Text
    kind: str
    column: str
    majority: Optional[float] = None

    def statistic(self) -> Text:
        """``how``, and of which column, where it is of one."""
        if not self.column:
            return self.how
        return Text("{column} 的{how}", "{how}, column {column}", how=self.how, column=self.column)


class BesideConstant(NamedTuple):
    """How a training ended beside a constant prediction.

    Attributes:
        verdict: ``learnt``: clearly below the constant; ``hardly``: a little below; ``nothing``: at the constant's level or
            above; ``diverged``: not finite, or far above both the constant and the start; ``unknown``.
        end: Mean loss of the last tenth of the steps.
        constant: What it is held against; None where it is not known.
        steps: Number of losses seen.
    """

    verdict: str
    end: Optional[float] = None
    constant: Optional[ConstantLoss] = None
    steps: int = 0

    @property
    def gain(self) -> Optional[float]:
        """1 − end ÷ constant: the share of the constant's loss that is gone (R² for the MSE)."""
        if self.end is None or self.constant is None or not self.constant.value > 0:
            return None
        return 1 - self.end / self.constant.value

    @property
    def constant_value(self) -> float:
        """The loss of the constant prediction; NaN where it is not known."""
        return self.constant.value if self.constant is not None else math.nan

    def words(self) -> Text:
        """``the loss stays at 0.69, and a constant prediction reaches 0.6931 (…)``"""
        if self.constant is None:
            return Text("loss 自始至终为 {end}", "the loss is {end} from the first step to the last", end=self.end)
        return Text(
            "结尾的 loss 为 {end}，而不看输入、只输出常数即可达到 {value}（{how}）",
            "the loss stays at {end}, and a constant prediction reaches {value} ({how})",
            end=self.end,
            value=self.constant.value,
            how=self.constant.statistic(),
        )


def learning_outcome(run_data: RunData) -> BesideConstant:
    """Holds the end of the training loss against the best constant prediction.

    Nothing: not hp.01.constant of the constant's loss below it, or within two standard errors of it. Learnt: hp.01.learnt of
    it below, or a validation score clearly above the share of the most frequent class. Unknown: fewer than
    hp.01.outcome_steps losses, optimizers that take turns, no constant (but of a loss's main term: `_of_main_term`).
    """
    losses = _losses(run_data)
    if losses is None or len(losses) < run_data.limit("hp.01.outcome_steps"):
        return BesideConstant("unknown", steps=0 if losses is None else len(losses))
    tail = losses[-max(5, len(losses) // 10) :]
    if not losses.any() and not run_data.loads:  # 0 from the first to the last, whatever the network gives
        return BesideConstant("nothing", 0.0, steps=len(losses))
    constant = run_data.once(constant_loss)
    if not np.isfinite(tail).all():
        return BesideConstant("diverged", constant=constant, steps=len(losses))
    end, error = float(tail.mean()), float(tail.std()) / math.sqrt(len(tail))
    known = BesideConstant("unknown", end, constant, len(losses))
    if constant is None:
        return _of_main_term(run_data, known, float(losses[0]))
    if beneath_floor(run_data):
        return known._replace(constant=None)
    if not constant.value > 0:
        return known
    above = run_data.limit("hp.01.diverged")
    if end > above * max(constant.value, float(losses[0])):
        return known._replace(verdict="diverged")
    if scores_above_chance(run_data, constant):
        return known._replace(verdict="learnt")
    gain, doubt = 1 - end / constant.value, 2 * error / constant.value
    if gain <= max(run_data.limit("hp.01.constant"), min(doubt, 0.05)):
        return known._replace(verdict="nothing")
    learnt = gain >= run_data.limit("hp.01.learnt") and gain > doubt
    return known._replace(verdict="learnt" if learnt else "hardly")


def beneath_floor(run_data: RunData) -> bool:
    """Whether a loss of a known kind, which is never below 0 where it is given what it expects (cg.04), ended below 0."""
    losses = _losses(run_data)
    if losses is None or not len(losses) or not losses[-max(1, len(losses) // 10) :].mean() < 0:
        return False
    return loss_kind(run_data) is not None


def _of_main_term(run_data: RunData, known: BesideConstant, start: float) -> BesideConstant:
    """Of a loss of several terms, that nothing was learnt: where one of them, most of the loss at the start (hp.01.main_term),
    alone compares with targets, and ends no lower than it is for the best constant prediction; both in that term's unit. Else as
    it was known: how far down such a term can come is not known."""
    fitted = [one for one in run_data.probes.terms if one.fits]
    fit = fitted[0].fits[0] if len(fitted) == 1 and len(fitted[0].fits) == 1 else None
    if fit is None or fit.kind not in _HOW or not (fit.constant and fit.end and fitted[0].end and start > 0):
        return known
    part, least = (fitted[0].start or 0.0) / start, run_data.limit("hp.01.main_term")
    if not least <= part <= 1 / least or fit.end < fit.constant:
        return known
    if learns_by_rewards(run_data) or has_adversary(run_data):  # targets that follow the weights
        return known
    level = ConstantLoss(fitted[0].end * fit.constant / fit.end, _HOW[fit.kind], fit.kind, "")
    return known._replace(verdict="nothing", end=fitted[0].end, constant=level)


def learnt_by(run_data: RunData, share: str) -> bool:
    """Whether the training is known to have ended by a share of the constant's loss below it; ``share``: the threshold's name."""
    gain = learning_outcome(run_data).gain
    return gain is not None and gain >= run_data.limit(share)


def learnt_well(run_data: RunData) -> bool:
    """Whether the training ended by td.01.well of the constant's loss below it."""
    return learnt_by(run_data, "td.01.well")


def as_share(value: float) -> float:
    """A share of right answers, which may be given in per cent."""
    return value / 100 if value > 1.5 else value


def share_error(share: float, samples: Optional[int]) -> float:
    """The standard error of a share of ``samples`` answers; of 100 where their number is not known."""
    return math.sqrt(max(share * (1 - share), 1e-4) / (samples or 100))


def scores_above_chance(run_data: RunData, constant: ConstantLoss) -> bool:
    """Whether the last evaluation counted clearly more right answers than the most frequent class has samples."""
    if constant.majority is None:
        return False
    for evaluation in last_evaluations(run_data)[-3:]:
        for name, value in evaluation.metrics.items():
            if ACCURACY.search(name) and value == value and 0 <= value <= 100:
                share = as_share(value)
                error = share_error(share, evaluation.samples)
                if share - constant.majority > max(0.05, 3 * error):
                    return True
    return False


def constant_loss(run_data: RunData) -> Optional[ConstantLoss]:
    """The loss of the best constant prediction, from the training targets; None where the facts do not tell it."""
    loss = run_data.once(loss_kind)
    found = _constant_of(run_data, loss) if loss is not None else None
    return found._replace(value=found.value * loss.factor) if found is not None and loss is not None else None


def _constant_of(run_data: RunData, loss: LossKind) -> Optional[ConstantLoss]:
    """Of the loss as MindSpore gives it."""
    weights = [one.weights for one in run_data.probes.losses if one.weights]
    if any(one != 1 for some in weights for one in some):
        return _of_weights(run_data, loss, weights[0]) if len(run_data.probes.losses) == 1 else None
    if not weights and run_data.find_lines(_WEIGHTED, 1):
        return None
    each_its_own = _of_pairs(loss)
    if each_its_own is not None:
        return each_its_own
    found = [one for one in (_of_dataset(run_data, loss, dataset) for dataset in last_datasets(run_data)) if one]
    if not found or max(one.value for one in found) > 1.05 * min(one.value for one in found):
        return None  # several sets with targets of their own: which one the last steps saw is not known
    return max(found, key=lambda one: one.value)


def _of_weights(run_data: RunData, loss: LossKind, weights: list) -> Optional[ConstantLoss]:
    """Of a mean over classes with the weights that were seen, as MindSpore takes it: a cross-entropy over classes is divided by
    the weights of the samples, a binary one by their number. None of any other, and where weights or counts are not known."""
    known = loss.kind in (*_CLASSES, *_BINARY) and None not in weights and min(weights) >= 0
    sets = [one.label for one in last_datasets(run_data) if one.label.kind == "class"]
    if not known or len(sets) != 1 or loss.reduction != "mean" or loss.settings.get("label_smoothing"):
        return None
    counts = np.array([sets[0].counts.get(str(number)) or 0 for number in range(len(weights))], float)
    if not counts.sum() or counts.sum() != sum(sets[0].counts.values()):
        return None
    shares = counts / counts.sum()
    weighted = shares * np.array(weights, float)
    if not weighted.sum():
        return None
    value = _entropy(weighted / weighted.sum()) * (1.0 if loss.kind in _CLASSES else float(weighted.sum()))
    how = Text("加权后类别分布的熵", "entropy of the weighted class shares")
    return ConstantLoss(value, how, loss.kind, sets[0].column or "", float(shares.max()))


def _of_pairs(loss: LossKind) -> Optional[ConstantLoss]:
    """Of a cross-entropy over the samples of a batch, as contrastive losses take it: each sample is a class of its own, so that
    the best constant gives all of them the same share. None of any other."""
    shape = list((loss.predicted.shape if loss.predicted is not None else None) or ())
    square = len(shape) == 2 and shape[0] == shape[1] and (shape[0] or 0) >= 8
    if loss.kind != "softmax_cross_entropy" or loss.reduction != "mean" or not square:
        return None
    if loss.labels is None or loss.labels.distinct != shape[0] or not loss.labels.whole:
        return None
    # a sample is masked out of its own row
    masked = (loss.predicted.min or 0.0) < -_MASKED if loss.predicted is not None else False
    how = Text("batch 内各样本等概率", "all samples of a batch alike")
    return ConstantLoss(math.log(shape[0] - masked), how, loss.kind, "")


def loss_kind(run_data: RunData) -> Optional[LossKind]:
    """The loss that the training minimises where that is one of MindSpore's alone; None with other terms or factors."""
    probes = run_data.probes
    if probes.own_losses or probes.losses:
        loss = _probed(probes)
    elif probes.written_loss.why not in (None, "unseen") or _of_an_earlier_training(run_data):
        loss = None  # the step writes its loss out: what is declared is the loss of something else
    else:
        loss = _declared(run_data)
    styles = {step.style for step in run_data.train_steps if step.count != 0}
    if loss is None or not styles - {"model"} or not _changed(run_data):
        return loss
    parts = _parts_of_update(run_data)
    return None if parts is None else loss._replace(factor=1 / parts)


def _parts_of_update(run_data: RunData) -> Optional[int]:
    """The number of batches whose gradients an update adds up, where the loss of each is the known loss divided by it."""
    known, losses = run_data.probes.losses, run_data.steps().observed("loss")
    parts = max((step.accumulation or 1 for step in run_data.train_steps if step.count), default=1)
    if parts < 2 or len(known) != 1 or not len(losses) or not losses[0] > 0 or not (known[0].value or 0) > 0:
        return None
    return parts if abs(known[0].value / losses[0] / parts - 1) < SAME_VALUE else None


def _of_an_earlier_training(run_data: RunData) -> bool:
    """Whether the losses that are known may be those that a ``Model`` was given, and a step of the script's own trained since."""
    styles = [step.style for step in run_data.train_steps if step.count != 0]
    return "model" in styles and styles[-1] != "model"


def compares_values(run_data: RunData) -> bool:
    """Whether all losses that were seen are losses of a regression, whatever is added to them."""
    kinds = {loss.kind for loss in run_data.probes.losses} or {
        _KINDS.get((loss.class_ or "").replace("function ", "").lower()) for loss in run_data.losses
    }
    return bool(kinds) and kinds <= set(REGRESSION) and not run_data.probes.own_losses


def takes_amounts(run_data: RunData) -> bool:
    """Whether a loss that was seen is the likelihood of amounts, such as counts under a Poisson distribution."""
    names = [loss.class_ for loss in run_data.losses] + [loss.name for loss in run_data.probes.own_losses]
    return any(_AMOUNTS.search(name or "") for name in names)


def _changed(run_data: RunData) -> bool:
    """Whether a function of the script adds something to a loss, or multiplies it, before it gives it back.

    A function with a loop of its own adds up losses to print them.
    """
    source = run_data.source
    names = {name for file in source.trees for name in _loss_names(source.nodes(file, ast.Assign))}
    for file in source.trees:
        changes = source.nodes(file, ast.BinOp, ast.AugAssign)
        found = {id(node) for node in changes if any(_is_loss(part, names) for part in _changed_together(node))}
        functions = source.nodes(file, ast.FunctionDef, ast.Lambda) if found else []
        if any(id(inner) in found for node in functions if not _loops(node) for inner in ast.walk(node)):
            return True
    return False


def _changed_together(node: ast.AST) -> tuple:
    """The two operands of an operation that changes a loss; none of any other node."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, _CHANGES):
        return node.left, node.right
    if isinstance(node, ast.AugAssign) and isinstance(node.op, _CHANGES):
        return node.target, node.value
    return ()


def _loss_names(assignments: list) -> set:
    """What the losses that are made are called: ``ce`` of ``ce = nn.CrossEntropyLoss()``."""
    found = set()
    for node in assignments:
        if isinstance(node.value, ast.Call) and _LOSS.search(_name(node.value.func)):
            found |= {_name(target) for target in node.targets}
    return found


def _loops(function: ast.AST) -> bool:
    return any(isinstance(node, (ast.For, ast.While, ast.comprehension)) for node in ast.walk(function))


def _is_loss(part: ast.expr, names: set) -> bool:
    name = _name(part.func if isinstance(part, ast.Call) else part)
    return name in names or (bool(_LOSS.search(name)) and "scale" not in name.lower())


def _name(node: ast.AST) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


def _probed(probes: Fact) -> Optional[LossKind]:
    final = [own for own in probes.own_losses if own.final]
    if final:
        # an own loss that gives what one of MindSpore's gives
        own = final[0]
        known = len(final) == 1 and len(own.equals) == 2 and own.equals[0] in _HOW
        settings = own.behaviour.family.settings
        smoothing = {"label_smoothing": settings["smoothing"]} if "smoothing" in settings else {}
        return LossKind(own.equals[0], own.equals[1], smoothing) if known else None
    if len(probes.losses) != 1 or probes.losses[0].kind not in _HOW:
        return None
    loss = probes.losses[0]
    reduction = "mean" if loss.unreduced else loss.settings.get("reduction") or loss.equals or "mean"
    if reduction == "none":  # reduced by the script, how is not known
        return None
    return LossKind(loss.kind, reduction, loss.settings, loss.predicted, loss.labels, loss.targets)


def _declared(run_data: RunData) -> Optional[LossKind]:
    named = {(loss.class_, loss.builtin, loss.args) for loss in run_data.losses} or _written(run_data)
    if len(named) != 1:
        return None
    name, builtin, args = named.pop()
    kind = _KINDS.get((name or "").replace("function ", "").lower())
    if kind is None or not builtin:
        return None
    settings = {key: _plain(value) for key, value in re.findall(r"(\w+)=('[^']*'|[^,]+)", args or "")}
    reduction = settings.get("reduction") or "mean"
    if "reduction" not in settings and settings.get("average") is False:
        reduction = "sum"
    if reduction == "none" or settings.get("reduce") is False:
        return None
    return LossKind(kind, str(reduction), settings)


def _written(run_data: RunData) -> set:
    """The losses of MindSpore that the source makes or calls, as `_declared` has them of the facts."""
    found = set()
    for file in run_data.source.trees:
        for call in run_data.source.nodes(file, ast.Call):
            if _name(call.func).lower() in _KINDS:
                given = [f"{one.arg}={ast.unparse(one.value)}" for one in call.keywords if one.arg]
                found.add((_name(call.func), True, ", ".join(given)))
    return found


def _plain(text: str):
    text = text.strip().strip("'")
    if text in ("True", "False"):
        return text == "True"
    try:
        return float(text)
    except ValueError:
        return text


def target_column(run_data: RunData, loss: LossKind, dataset: Fact) -> Optional[Fact]:
    """The column of the targets of that loss; None where there is none, or what enters the loss is not what it holds."""
    column = label_column(dataset)
    if column is None and loss.kind in _CLASSES and len(dataset.columns) == 1:
        column = dataset.columns[0]  # token ids whose next one is predicted
    if column is None and loss.kind in REGRESSION and _is_given_back(loss, dataset):
        column = dataset.columns[0]
    return column if column is not None and _enters(loss, column) else None


def _is_given_back(loss: LossKind, dataset: Fact) -> bool:
    """Whether the targets are the vectors that are the network's only input, as an autoencoder's."""
    targets = loss.targets
    if targets is None or targets.input != 0 or len(dataset.columns) != 1:
        return False
    column = dataset.columns[0]
    unchanged = targets.factor in (None, 1) and targets.offset in (None, 0)
    return unchanged and len(column.shape) == 1 and len(column.channels.mean or ()) == column.shape[0]


def _enters(loss: LossKind, column: Fact) -> bool:
    """Whether the labels of the captured batch can be values of the column: neither scaled nor shifted since."""
    if not loss.labels or loss.labels.min is None or column.min is None:
        return True
    if loss.kind in _CLASSES and column.shape and not column.element_values:
        return True  # one-hot against numbers of classes
    low, high, span = loss.labels.min, loss.labels.max, column.max - column.min
    slack = 1e-3 * max(span, abs(column.min), abs(column.max), 1e-6)
    inside = column.min - slack <= low and high <= column.max + slack
    return inside and (loss.kind in _CLASSES or (loss.labels.distinct or 0) < 3 or high - low >= 0.03 * span)


def _of_dataset(run_data: RunData, loss: LossKind, dataset: Fact) -> Optional[ConstantLoss]:
    column = target_column(run_data, loss, dataset)
    if column is None:
        return None
    majority = None
    if loss.kind in _CLASSES:
        shares = _class_shares(loss, dataset, column)
        value = _cross_entropy(loss, shares) if shares is not None else None
        majority = float(shares.max()) if shares is not None else None
    elif loss.kind in _BINARY:
        value, majority = _binary(column)
    else:
        value = _of_regression(loss, column)
    value = _reduced(loss, dataset, column, value)
    if value is None or not math.isfinite(value):
        return None
    return ConstantLoss(value, _HOW[loss.kind], loss.kind, column.name or "", majority)


def _reduced(loss: LossKind, dataset: Fact, column: Fact, value: Optional[float]) -> Optional[float]:
    """The value of a mean as the loss reduces it."""
    if value is None or loss.reduction == "mean":
        return value
    width = 1
    if not (loss.kind in _CLASSES and dataset.label.kind in ("class", "one_hot")):
        if None in column.shape:
            return None
        width = math.prod(column.shape)
    batch = 1 if loss.reduction == "batch_mean" else dataset.batch_size
    return value * width * batch if batch and loss.reduction in ("sum", "batch_mean") else None


def _class_shares(loss: LossKind, dataset: Fact, column: Fact) -> Optional[np.ndarray]:
    """The share of each class among the targets that count."""
    label = dataset.label
    if label.kind in ("class", "one_hot") and label.counts:
        counts = label.counts
    elif column.element_values:
        counts = column.element_values
    elif column.row_sums.rows and column.row_sums.one == column.row_sums.rows and column.channels.mean:
        counts = dict(enumerate(column.channels.mean))  # shares over the classes, such as mixed labels
    else:
        return None
    ignored = loss.settings.get("ignore_index", -100)
    kept = np.array([n for value, n in counts.items() if _number(value) is None or _number(value) != ignored], float)
    kept = kept[kept > 0]
    return kept / kept.sum() if kept.size else None


def _number(value) -> Optional[float]:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _cross_entropy(loss: LossKind, shares: np.ndarray) -> float:
    smoothing = loss.settings.get("label_smoothing") or 0.0
    if smoothing:
        classes = len(shares)
        if loss.predicted and len(loss.predicted.shape) > 1:
            classes = max(classes, loss.predicted.shape[1])
        empty = np.zeros(classes - len(shares))
        shares = (1 - smoothing) * np.concatenate([shares, empty]) + smoothing / classes
    return _entropy(shares)


def _entropy(shares: np.ndarray) -> float:
    seen = shares[shares > 0]
    return float(-(seen * np.log(seen)).sum())


def _binary(column: Fact) -> tuple:
    """``(entropy, share of the more frequent answer)``; the share only where there is one output."""
    if None in (column.min, column.max, column.mean) or column.min < 0 or column.max > 1:
        return None, None
    each = column.channels.mean if len(column.shape) == 1 and column.channels.mean else [column.mean]
    entropies = [_entropy(np.array([p, 1 - p])) for p in each if 0 <= p <= 1]
    majority = max(column.mean, 1 - column.mean) if len(each) == 1 else None
    return (float(np.mean(entropies)) if entropies else None), majority


def _of_regression(loss: LossKind, column: Fact) -> Optional[float]:
    if column.kind not in ("float", "int", "bool") or column.std is None:
        return None
    if loss.kind in ("mse", "rmse"):
        stds = column.channels.std if len(column.shape) == 1 and column.channels.std else [column.std]
        variance = float(np.mean(np.square(stds)))
        return variance if loss.kind == "mse" else math.sqrt(variance)
    parts = [_distribution(column, i) for i in range(_outputs(column))]
    known = [one for one in parts if one is not None]
    if not parts or len(known) < len(parts):
        return None
    return float(np.mean([_least(loss, values, weights) for values, weights in known]))


def _outputs(column: Fact) -> int:
    return len(column.channels.histograms) if len(column.shape) == 1 and len(column.channels.histograms) > 1 else 1


def _distribution(column: Fact, output: int) -> Optional[tuple]:
    """``(values, shares)`` of one output: counted where few differ, else the middles of the bins of its histogram."""
    if len(column.shape) == 1 and (column.shape[0] or 2) > 1 and len(column.channels.histograms) < 2:
        return None  # several outputs in one histogram: their centres differ
    if column.values and _outputs(column) == 1:
        values = np.array([_number(value) for value in column.values], float)
        counts = np.array(list(column.values.values()), float)
    else:
        binned = column.channels.histograms[output] if _outputs(column) > 1 else column.histogram
        if len(binned.edges) != len(binned.counts) + 1 or not binned.counts:
            return None
        edges = np.array(binned.edges, float)
        values, counts = (edges[:-1] + edges[1:]) / 2, np.array(binned.counts, float)
    known = np.isfinite(values) & (counts > 0)
    return (values[known], counts[known] / counts[known].sum()) if known.any() else None


def _least(loss: LossKind, values: np.ndarray, shares: np.ndarray) -> float:
    """The least mean loss over constant outputs; the losses are convex in the constant."""
    if loss.kind == "l1":
        order = np.argsort(values)
        at = int(np.searchsorted(np.cumsum(shares[order]), 0.5))
        return float((shares * np.abs(values - values[order][min(at, len(values) - 1)])).sum())
    delta = float(loss.settings.get("beta" if loss.kind == "smooth_l1" else "delta") or 1.0)

    def mean(constant: float) -> float:
        away = np.abs(values - constant)
        quadratic, linear = 0.5 * away**2, delta * (away - 0.5 * delta)
        return float((shares * np.where(away <= delta, quadratic, linear)).sum())

    low, high = float(values.min()), float(values.max())
    for _ in range(80):  # ternary search: two thirds of the interval are left each time
        third = (high - low) / 3
        low, high = (low, high - third) if mean(low + third) <= mean(high - third) else (low + third, high)
    least = mean((low + high) / 2)
    return least / delta if loss.kind == "smooth_l1" else least


def training_losses(run_data: RunData) -> Optional[tuple]:
    """``(steps, losses)`` of the last training, (n,) float64 each; None where optimizers take turns, or no loss was seen.

    Losses of steps skipped for overflow are left out where they are not finite.
    """
    steps = run_data.steps()
    rows = last_rows(run_data) if "loss" in steps else None
    if rows is None or not rows.size:
        return None
    rows = rows & steps.seen("loss")
    numbers, losses = np.asarray(steps["step"], float)[rows], np.asarray(steps["loss"], float)[rows]
    flagged = np.asarray(steps["overflow"], float)[rows] == 1 if "overflow" in steps else np.zeros(len(losses), bool)
    kept = (np.isfinite(losses) | ~flagged) & np.isfinite(numbers)
    return numbers[kept], losses[kept]


def _losses(run_data: RunData) -> Optional[np.ndarray]:
    found = run_data.once(training_losses)
    return found[1] if found is not None else None
