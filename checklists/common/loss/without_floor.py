"""A loss that falls further and further below 0 (cg.04): what is minimised has no least value."""

import ast
from typing import NamedTuple, Optional

import numpy as np

from msprec.checklists.common.findings import each_place_once
from msprec.checklists.common.training.constant_prediction import training_losses
from msprec.checklists.common.training.reinforcement import has_adversary, learns_by_rewards
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import bound_names, own_nodes, target_names

#: Steps whose median is the start; terms of the loss that are named.
_FIRST, _MOST = 5, 3


class Fall(NamedTuple):
    """The loss at the start, its least finite value, and the number of the step where that was."""

    start: float
    least: float
    step: int


def falls_without_floor(run_data: RunData) -> Optional[Fall]:
    """The fall of a loss to cg.04.without_floor times the size of its start below 0, at least a tenth of which is left where its
    finite values end; None of adversaries and rewards, whose losses have no floor by themselves."""
    found = run_data.once(training_losses)
    if found is None or has_adversary(run_data) or learns_by_rewards(run_data):
        return None
    numbers, losses = found
    bad = np.flatnonzero(~np.isfinite(losses))
    sound = losses[: bad[0]] if bad.size else losses
    if len(sound) <= _FIRST:
        return None
    start, least = float(np.median(sound[:_FIRST])), float(sound.min())
    far = least <= -run_data.limit("cg.04.without_floor") * max(1.0, abs(start))
    if not far or sound[-1] > least / 10:
        return None
    return Fall(start, least, int(numbers[int(sound.argmin())]))


def terms_of_loss(run_data: RunData) -> list:
    """The places where the functions that are differentiated return their loss, and where they make its terms."""
    source = run_data.source
    named = [(file, name) for file in source.trees for name in sorted(source.under_gradient(file))]
    made = [(file, one) for file, name in named for where, one in source.functions(name) if where == file]
    return each_place_once(place(file, line) for file, function in made for line in _lines(function))


def _lines(function: ast.AST) -> list:
    nodes = own_nodes(function)
    returned = [one for one in nodes if isinstance(one, ast.Return) and one.value is not None]
    if not returned:
        return []
    value = returned[-1].value
    loss = value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value
    stores = [one for one in nodes if isinstance(one, ast.Assign)]
    made = _making(stores, loss)
    if isinstance(loss, ast.Name) and len(made) == 1:  # loss = rec + kl
        made += _making(stores, made[0].value)
    return [returned[-1].lineno, *(one.lineno for one in made[:_MOST])]


def _making(stores: list, value: Optional[ast.expr]) -> list:
    """The assignments that give the names in an expression their values."""
    names = set(target_names(value)) if value is not None else set()
    return [one for one in stores if names & bound_names(one.targets)]
