"""One loss with what it is given, of MindSpore's or of the script's own: what it takes, and the operator that made its input."""

from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.loss.target_columns import column_of
from msprec.checklists.common.loss.wrong_loss import Wrong, called
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

SOFTMAX, NLL, BCE, BCE_LOGITS = "softmax_cross_entropy", "nll", "bce", "bce_with_logits"

REGRESSION = ("mse", "l1", "smooth_l1", "huber", "rmse", "residual")

#: What each kind of loss takes as its prediction.
_TAKES = {
    SOFTMAX: "scores of classes",
    "focal": "scores of classes",
    BCE_LOGITS: "scores",
    "multi_label": "scores",
    BCE: "probabilities",
    NLL: "log-probabilities",
    "kl_div": "log-probabilities",
    **dict.fromkeys(REGRESSION, "values"),
}

SIGMOIDS = ("sigmoid", "hardsigmoid", "hsigmoid")


class LossWithInputs(NamedTuple):
    """One loss with what it is given; ``takes``: what it wants, None where its values do not tell."""

    fact: Fact
    name: Text
    kind: str
    takes: Optional[str]
    output: Fact
    made_by: str
    shape: list
    own: bool
    reach: Fact
    column: Optional[tuple]


def built_in(one: Fact, run_data: RunData) -> LossWithInputs:
    """Of an entry of ``losses`` or ``other_losses``."""
    name = Text("{name}", "{name}", name=one.name)
    if one.kind == "residual":
        name = Text("loss（预测与标签之差）", "the loss, a difference of prediction and target,")
    return LossWithInputs(
        one,
        name,
        one.kind,
        _TAKES.get(one.kind),
        one.output,
        _made_by(one.output, one.predicted.source),
        one.predicted.shape,
        False,
        one.reach if "reach" in one else Fact({}, {}),
        column_of(run_data, one.targets),
    )


def of_script(one: Fact, run_data: RunData) -> LossWithInputs:
    """Of an entry of ``own_losses``, by what it does with values."""
    did, name = one.behaviour, Text("自定义的 {name}", "the script's own {name}", name=called(one))
    judged = did.repeatable and one.final and not one.weighed
    # where weights such as advantages decide which way the outputs are driven, a softmax over them still shows
    softmax = did.repeatable and one.final and did.kind == "classes" and did.sample_shift and did.domain == "scores"
    return LossWithInputs(
        one,
        name,
        did.kind or "",
        _own_takes(did) if judged else "scores of classes" if softmax else None,
        one.output,
        _made_by(one.output, one.features.source),
        one.predicted,
        True,
        did.reach if judged else Fact({}, {}),
        column_of(run_data, one.targets),
    )


def _own_takes(did: Fact) -> Optional[str]:
    if did.kind == "regression":
        return "values" if did.way == "falls" else None
    if did.family.domain == "probabilities":
        return "probabilities"
    if did.kind == "classes":
        return "scores of classes" if did.sample_shift else None
    return "scores" if did.kind == "binary" and did.family.domain == "scores" else None


def _made_by(output: Fact, source: Fact) -> str:
    name = output.name or (source.operator if source else None) or ""
    return name.lower().rstrip("_").replace("_", "")


def range_of(output: Fact) -> Text:
    """The values that an operator can give, as an interval."""
    low = "(-∞" if output.low is None else f"[{output.low:.4g}"
    high = "∞)" if output.high is None else f"{output.high:.4g}]"
    return Text("{low}, {high}", "{low}, {high}", low=low, high=high)


def wrong_output(one: LossWithInputs, summary: Text, advice: Text) -> Wrong:
    """Of the output: at its operator, where a cell that does it was made, and at the loss."""
    place = one.output.place or source_of(one).place
    places = [place, one.output.created, one.fact.place] if place else [one.fact.place]
    return Wrong(summary, advice, *places)


def source_of(one: LossWithInputs) -> Fact:
    """The operator that made the predictions, as recorded."""
    return one.fact.features.source if one.own else one.fact.predicted.source


def operator_of(one: LossWithInputs) -> str:
    """Its name; empty where it is not known."""
    return one.output.operator or source_of(one).operator or ""


def are_probabilities(one: LossWithInputs) -> Optional[bool]:
    """Whether each row of the predictions adds up to 1; None where that was not recorded."""
    return one.fact.features.probabilities if one.own else one.fact.predicted.probabilities
