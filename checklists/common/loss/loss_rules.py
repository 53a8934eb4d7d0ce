"""Can the output, as the network gives it, reach the targets, and does the loss expect what it is given? (cg.04)

A table of rules over what enters each loss: the operator that bounds the output with its range, and the targets.
"""

import re
from collections.abc import Iterable
from typing import NoReturn, Optional

from msprec.bilingual import Text
from msprec.checklists.common.loss import loss_output_ranges as ranges
from msprec.checklists.common.loss import loss_shapes as shapes
from msprec.checklists.common.loss import loss_targets as targets
from msprec.checklists.common.loss.loss_with_inputs import BCE, BCE_LOGITS, SOFTMAX, LossWithInputs, built_in
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.checklists.common.script.call_sites import calls_around, made_for_calls
from msprec.checklists.common.script.class_choice import chosen_at, conditions_at
from msprec.checklists.common.training.constant_prediction import SAME_VALUE
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: What a rule speaks of: the output's last operator, or the targets and what the loss does with them.
OUTPUT, TARGETS = "output", "targets"
#: In the order in which they are asked: what makes all the rest moot comes first.
RULES = {
    shapes.single_unit: OUTPUT,
    shapes.normalized_over_samples: OUTPUT,
    ranges.without_gradient: OUTPUT,
    ranges.dropped_out: OUTPUT,
    shapes.exchanged_arguments: TARGETS,
    shapes.channels_not_moved: TARGETS,
    shapes.other_column: TARGETS,
    shapes.single_class: TARGETS,
    targets.several_classes: TARGETS,
    targets.empty_rows: TARGETS,
    targets.sums_apart: OUTPUT,
    targets.no_shares: TARGETS,
    ranges.activated_twice: OUTPUT,
    ranges.cut_off: OUTPUT,
    ranges.narrow_range: OUTPUT,
    ranges.clipped_probabilities: OUTPUT,
    ranges.no_probabilities: OUTPUT,
    ranges.no_log_probabilities: OUTPUT,
    shapes.too_few_outputs: TARGETS,
    targets.out_of_reach: OUTPUT,
    targets.class_numbers: TARGETS,
    targets.ignored_class: TARGETS,
    targets.labels_of_sides: TARGETS,
    shapes.broadcast_shapes: TARGETS,
    targets.weights_of_classes: TARGETS,
}


class _Sentence(Text):
    """A text that begins with a capital letter, though the name of a loss stands first in it."""

    __slots__ = ()

    def __init__(self, whole: Text) -> None:
        super().__init__("{whole}", "{whole}", whole=whole)

    def render(self, lang: str) -> str:
        whole = super().render(lang)
        return "T" + whole[1:] if whole.startswith("the ") else whole


def check_inputs(one: LossWithInputs, run_data: RunData) -> None:
    """Raises `Wrong`, of the first rule that finds something."""
    _, wrong = _first(RULES, one, run_data)
    if wrong is not None:
        _raise(wrong, one, run_data)


def check_beside(one: LossWithInputs, run_data: RunData) -> None:
    """Raises `Wrong` of the first rule on the targets, where `check_inputs` tells of the output, or the other way round."""
    told, _ = _first(RULES, one, run_data)
    if told is None:
        return
    others = [rule for rule, of in RULES.items() if of != RULES[told]]
    _, wrong = _first(others, one, run_data)
    if wrong is not None:
        _raise(wrong, one, run_data)


def _first(rules: Iterable, one: LossWithInputs, run_data: RunData) -> tuple:
    """The first rule that finds something, and what it finds; None and None where none does."""
    found = ((rule, rule(one, run_data)) for rule in rules)
    return next((pair for pair in found if pair[1] is not None), (None, None))


def _raise(wrong: Wrong, one: LossWithInputs, run_data: RunData) -> NoReturn:
    made = one.output.created
    chosen = [*chosen_at(run_data, made, one.output.operator or ""), *conditions_at(run_data, made)]
    chosen += _helper_calls(run_data, made)
    chosen += made_for_calls(run_data, one.output.place) if one.output.place and not made else []
    chosen += loss_lines(run_data, one.fact.name) if not one.own else []
    raise Wrong(_Sentence(wrong.summary), wrong.advice, *wrong.places, *chosen)


def _helper_calls(run_data: RunData, made: Optional[Fact]) -> list:
    """Of a layer that a function of several calls makes, as ``block(32, 1)`` does, the last: it makes what comes last."""
    function = run_data.source.function_around(made.file, made.line) if made and made.file and made.line else None
    if made is None or function is None or function.name.startswith("_") or function.name == "construct":
        return []
    calls = calls_around(run_data, made)
    return calls[-1:] if len(calls) > 1 else []


def computed_twice(run_data: RunData) -> bool:
    """Whether a loss of MindSpore's computes an activation that the network has computed already."""
    return any(ranges.activated_twice(built_in(one, run_data), run_data) is not None for one in run_data.probes.losses)


#: Losses that are never below 0.
_NOT_NEGATIVE = (SOFTMAX, BCE, BCE_LOGITS, "mse", "l1", "smooth_l1", "huber")


def sign_turned(run_data: RunData) -> bool:
    """Whether the loss that was trained with is the only known loss with its sign turned."""
    losses, known = run_data.steps().observed("loss"), run_data.probes.losses
    alone = len(known) == 1 and sum(one.used is not False for one in run_data.optimizers) == 1
    if not alone or known[0].kind not in _NOT_NEGATIVE or not (known[0].value or 0) > 0 or len(losses) < 2:
        return False
    return bool(abs(losses[0] + known[0].value) <= SAME_VALUE * known[0].value and (losses[:8] < 0).all())


def times_smaller(run_data: RunData) -> float:
    """How many times smaller an activation that is computed twice makes the gradients at the most, near equal probabilities: the
    number of classes for a softmax, whose Jacobian is (I - 1/n)/n there, and 4 for a sigmoid, whose slope is 1/4; else 1."""
    twice = [
        one
        for one in (built_in(fact, run_data) for fact in run_data.probes.losses)
        if ranges.activated_twice(one, run_data)
    ]
    widths = [max(one.shape[1] if len(one.shape) > 1 and one.shape[1] else 1, 4) for one in twice]
    return float(max(widths, default=1))


def loss_lines(run_data: RunData, name: Optional[str]) -> list:
    """Where the code makes a loss cell of that name, or calls the function."""
    return run_data.find_lines(rf"\b{re.escape(name)}\(", 2) if name else []
