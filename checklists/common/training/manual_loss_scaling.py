"""A loss scale that the script multiplies in and divides out by itself, read from its source (mp.02, hp.01)."""

import ast
import math
import re
from typing import NamedTuple, Optional, Union

from msprec.engine.run_data import RunData, place
from msprec.source.flow import Event, ExecutionPath
from msprec.source.user_code import plain_number

#: Constants from here on may be a loss scale; smaller ones are weights of a loss.
_LEAST = 32
#: Lines that may have to do with a loss scale; that of attention, or of data, is among them.
SPEAKS_OF_SCALE = r"(?i)(?<![a-z])scale(?![a-z])|loss_?scal|scal\w*_?(loss|sense)|\bsens"
_SCALE_WORD = re.compile(r"scal|sens", re.IGNORECASE)
UNDONE, KEPT, UNCLEAR, NONE = "undone", "kept", "unclear", "none"


class HandScale(NamedTuple):
    """What the source does to the scale of its gradients on the ways that train.

    ``verdict``: ``undone`` (multiplied in, and out again before every optimizer), ``kept`` (an optimizer is given scaled
    gradients), ``unclear``, or ``none``. ``named``: the scale goes by the name of one, comes from a scaler, or is a constant that
    is given such a name; another constant may be the weight of a loss. ``places``: where it is multiplied in and out, and the
    optimizer. ``kept_at``: where an optimizer is given gradients that are scaled still.
    """

    verdict: str
    named: bool
    places: list
    kept_at: list


def hand_scale(run_data: RunData) -> HandScale:
    """Reads the ways through the scripts; ``none`` where no way was read to an optimizer, too."""
    worlds = [world for worlds in run_data.ways for world in worlds]
    scaled = [world for world in worlds if _scales(world) and _updates(world)]
    # a factor that no line writes has come together from several, such as those of squares
    factors = {one for one in map(_constant, scaled) if one is not None}
    written = _written(run_data, factors) if factors else set()
    scaled = [world for world in scaled if _constant(world) in {None, *written}]
    if not scaled:
        complete = any(map(_updates, worlds)) and all(world.complete for world in worlds)
        return HandScale(NONE if complete else UNCLEAR, False, [], [])
    ends = {_end(event, world) for world in scaled for event in _updates(world)}
    verdict = ends.pop() if len(ends) == 1 else KEPT if ends == {KEPT, UNDONE} and _always_kept(scaled) else UNCLEAR
    named = any(_degree(event) for world in scaled for event in world.events if event.kind == "gradient")
    named = named or _has_name(run_data, {one for one in map(_constant, scaled) if one is not None})
    shown = [event for event in scaled[0].events if event.kind in ("scale", "gradient", "unscale", "update")]
    kept = {event.spot for world in scaled for event in _updates(world) if _end(event, world) == KEPT}
    return HandScale(verdict, named, [place(*event.spot) for event in shown], [place(*spot) for spot in sorted(kept)])


def keeps_scale(run_data: RunData) -> bool:
    """Whether the script multiplies its loss by what it calls a scale, and its optimizers are given gradients that nobody divides
    by it."""
    kinds = {step.loss_scale.kind for step in run_data.train_steps if step.count != 0}
    divided = any(one.loss_scale not in (None, 1) for one in run_data.optimizers if one.used is not False)
    if kinds != {"none"} or divided or not run_data.find_lines(SPEAKS_OF_SCALE, 1):
        return False
    hand = run_data.once(hand_scale)
    return hand.verdict == KEPT and hand.named


def _has_name(run_data: RunData, factors: set) -> bool:
    """Whether one of the numbers is given to something that is called a scale: a name, an argument, an option."""
    kinds = ast.Assign, ast.AnnAssign, ast.Call, ast.arguments
    return any(
        _SCALE_WORD.search(name) and _number(value) in factors
        for file in run_data.source.trees
        for node in run_data.source.nodes(file, *kinds)
        for name, value in _given(node)
    )


def _given(node: Union[ast.Assign, ast.AnnAssign, ast.Call, ast.arguments]) -> list:
    """``(name, value)`` of what an assignment, a call's keywords or a function's defaults give to names."""
    if isinstance(node, ast.Call):
        option = str(getattr(node.args[0], "value", "")) if node.args else ""
        return [(option if one.arg == "default" else one.arg or "", one.value) for one in node.keywords]
    if isinstance(node, ast.arguments):
        return list(zip([one.arg for one in node.args[::-1]], node.defaults[::-1]))
    target = node.targets[-1] if isinstance(node, ast.Assign) else node.target
    return [(ast.unparse(target), node.value)] if node.value is not None else []


def _written(run_data: RunData, factors: set) -> set:
    """Those of the numbers that a line of the sources writes."""
    numbers = {
        number
        for file in run_data.source.trees
        for node in run_data.source.nodes(file, ast.Constant, ast.BinOp)
        if (number := _number(node)) is not None
    }
    return {one for one in factors if any(math.isclose(one, number, rel_tol=1e-6) for number in numbers)}


def _number(node: ast.expr) -> Optional[float]:
    """What a constant, or a power of two constants, stands for; None for other expressions."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, power = _number(node.left), _number(node.right)
        return base**power if base is not None and power is not None and abs(power) < 64 else None
    return plain_number(node)


def _updates(world: ExecutionPath) -> list:
    return [event for event in world.events if event.kind == "update"]


def _always_kept(worlds: list) -> bool:
    """Is there on every way an optimizer that is given scaled gradients? One of two, as in a GAN, is enough."""
    return all(any(_end(event, world) == KEPT for event in _updates(world)) for world in worlds)


def _scales(world: ExecutionPath) -> bool:
    return _constant(world) is not None or any(_degree(e) for e in world.events if e.kind == "gradient")


def _constant(world: ExecutionPath) -> Optional[float]:
    """The largest constant that gradients carry, where it may be a loss scale."""
    factors = [e.factor for e in world.events if e.kind == "gradient" and e.factor >= _LEAST]
    return max(factors, default=None)


def _degree(event: Event) -> bool:
    return event.degrees is not None and any(degree > 0 for degree in event.degrees)


def _end(update: Event, world: ExecutionPath) -> str:
    """What is left of the scale in the gradients that an optimizer is given."""
    if update.degrees is None or any(math.isnan(degree) for degree in update.degrees) or len(update.degrees) > 1:
        return UNCLEAR
    constant = _constant(world)
    if update.degrees == {0.0}:
        if math.isclose(update.factor, 1.0, rel_tol=1e-3):
            return UNDONE
        # accumulated steps and weights of a loss are small numbers; what is left of a scale is not
        return KEPT if constant is not None and math.isclose(update.factor, constant, rel_tol=1e-3) else UNCLEAR
    return KEPT if update.degrees == {1.0} and math.isclose(update.factor, 1.0, rel_tol=0.9) else UNCLEAR
