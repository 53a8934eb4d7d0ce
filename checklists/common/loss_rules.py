"""Can the output, as the network gives it, reach the targets, and does the loss expect what it is given? (cg.04)

A table of rules over what enters each loss: the operator that bounds the output with its range, and the targets.
"""

import re
from collections.abc import Iterable
from typing import NoReturn, Optional

from msprec.bilingual import Text
from msprec.checklists.common import loss_output_ranges as ranges
from msprec.checklists.common import loss_shapes as shapes
from msprec.checklists.common import loss_targets as targets
from msprec.checklists.common.call_sites import made_for_calls
from msprec.checklists.common.class_choice import chosen_at, conditions_at
from msprec.checklists.common.loss_with_inputs import BCE, BCE_LOGITS, SOFTMAX, LossWithInputs, built_in
from msprec.checklists.common.wrong_loss import Wrong
from msprec.engine.run_data import RunData

#: In the order in which they are asked: what makes all the rest moot comes first.
RULES = (
    shapes.single_unit,
    shapes.normalized_over_samples,
    ranges.without_gradient,
    ranges.dropped_out,
    shapes.exchanged_arguments,
    shapes.channels_not_moved,
    shapes.other_column,
    shapes.single_class,
    targets.several_classes,
    targets.sums_apart,
    ranges.activated_twice,
    ranges.cut_off,
    ranges.narrow_range,
    ranges.clipped_probabilities,
    ranges.no_probabilities,
    ranges.no_log_probabilities,
    shapes.too_few_outputs,
    targets.out_of_reach,
    targets.class_numbers,
    targets.ignored_class,
    targets.labels_of_sides,
    shapes.broadcast_shapes,
    targets.weights_of_classes,
)

#: Those that speak of the output's last operator; the others speak of the targets, or of what the loss does with them.
_OF_OUTPUT = (
    shapes.single_unit,
    shapes.normalized_over_samples,
    ranges.without_gradient,
    ranges.dropped_out,
    ranges.activated_twice,
    ranges.cut_off,
    ranges.narrow_range,
    ranges.clipped_probabilities,
    ranges.no_probabilities,
    ranges.no_log_probabilities,
    targets.out_of_reach,
    targets.sums_apart,
)


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
    others = [rule for rule in RULES if (rule in _OF_OUTPUT) != (told in _OF_OUTPUT)]
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
    chosen += made_for_calls(run_data, one.output.place) if one.output.place and not made else []
    chosen += loss_lines(run_data, one.fact.name) if not one.own else []
    raise Wrong(_Sentence(wrong.summary), wrong.advice, *wrong.places, *chosen)


def computed_twice(run_data: RunData) -> bool:
    """Whether a loss of MindSpore's computes an activation that the network has computed already."""
    return any(ranges.activated_twice(built_in(one, run_data), run_data) is not None for one in run_data.probes.losses)


#: Losses that are never below 0.
_NOT_NEGATIVE = (SOFTMAX, BCE, BCE_LOGITS, "mse", "l1", "smooth_l1", "huber")

#: Dropout gives another value when the step is run again; the sign is the same.
_SAME_VALUE = 0.2


def sign_turned(run_data: RunData) -> bool:
    """Whether the loss that was trained with is the only known loss with its sign turned."""
    losses, known = run_data.steps().observed("loss"), run_data.probes.losses
    alone = len(known) == 1 and sum(one.used is not False for one in run_data.optimizers) == 1
    if not alone or known[0].kind not in _NOT_NEGATIVE or not (known[0].value or 0) > 0 or len(losses) < 2:
        return False
    return bool(abs(losses[0] + known[0].value) <= _SAME_VALUE * known[0].value and (losses[:8] < 0).all())


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
