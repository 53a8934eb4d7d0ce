"""Replays a kept step and tells the place of its first non-finite value."""

from typing import Optional

import numpy as np

from msprec.locate import nonfinite_patterns
from msprec.locate.origin import Culprit, backward_culprit, forward_culprit
from msprec.locate.replay import ReplayedStep, undisturbed, watched
from msprec.locate.trace import Trace, bad_values, to_numpy
from msprec.record.nested import flatten, tensors_in
from msprec.record.step_recorder import to_number
from msprec.runtime.cell_origins import created_place
from msprec.runtime.rng_state import set_random_state
from msprec.runtime.scalars import first_scalar
from msprec.runtime.source_locations import place_in

#: A replayed loss that differs from the recorded one by more than this share is told.
SAME_LOSS = 1e-3
_LOWEST_SCALE = -14


def locate(
    step: ReplayedStep, recorded_loss=None, state: Optional[dict] = None, weights: Optional[dict] = None
) -> dict:
    """Replays ``step`` and names the place where NaN or infinity first appears.

    Args:
        step: What to run again.
        recorded_loss: The loss that the run recorded, to compare with.
        state: The random state at the step's beginning, from `random_state`; ``None``: the present one.
        weights: ``{id(parameter): array}`` at the step's beginning; ``None``: as they are.

    Returns:
        dict: the event ``located`` of ``events.jsonl``, see SCHEMA.md. Where nothing is found, ``phase`` is ``None`` and
        ``why`` says so.
    """
    host_random = step.host_random
    if state is not None and not host_random:
        state = {**state, "python": None, "numpy": None}
    with undisturbed(step.parameters, state, weights, host_random):
        trace = Trace(step.cells, step.paths, backward=True)
        bad_weights = [p for p in step.parameters if any(bad_values(p))]
        try:
            with watched(trace):
                loss = step.run(trace, step.scale)
        except Exception as error:
            if trace.failed is None:
                raise
            return _crashed(trace, error)
        culprit, vanishes = _judge(step, trace, loss, state, weights)
    facts = _facts(culprit, trace, step.inputs) if culprit is not None else {"phase": None}
    if bad_weights and (culprit is None or _by_weights(culprit, bad_weights)):
        facts.update(phase="update", parameter=bad_weights[0].name, bad_parameters=len(bad_weights))
    facts.update(_compared(recorded_loss, loss))
    if vanishes is not None:
        facts.update(scale=step.scale, vanishes_at=vanishes)
    return facts


def _crashed(trace: Trace, error: Exception) -> dict:
    """The expression that raised."""
    message = str(error).strip().split("\n")[0][:300]
    facts = _facts(Culprit("forward", trace.failed), trace)
    return {
        **facts,
        "error": f"{type(error).__name__}: {message}",
        "pattern": nonfinite_patterns.pattern_of_error(message),
    }


def _judge(step: ReplayedStep, trace: Trace, loss, state, weights) -> tuple:
    """The culprit, and the loss scale at which it vanishes (None where scaling has no part in it)."""
    found = forward_culprit(trace, loss) if loss is not None and _any_bad(loss) else None
    if found is not None:
        return found, None
    grads, weights_of = _gradients(trace)
    found = backward_culprit(trace, grads, weights_of)
    if found is not None and (delivered := _bad_input(step, trace)) is not None:
        return delivered, None
    if found is None or step.scale <= 1:
        return found, None
    return found, _vanishing_scale(step, state)


def _bad_input(step: ReplayedStep, trace: Trace) -> Optional[Culprit]:
    """The expression that first took in a NaN of the batch: an activation may hide it from the loss, not from the gradient."""
    nan = [value for value in tensors_in(step.inputs) if bad_values(value)[0]]
    for node in trace.nodes:
        found = next((value for value in node.inputs if any(value is one for one in nan)), None)
        if found is not None:
            return Culprit("data", node, found)
    return None


def _by_weights(culprit: Culprit, bad_weights: list) -> bool:
    """Whether the place is only where weights that were bad already came in."""
    if culprit.phase == "update":
        return True
    cell = culprit.node.cell_object
    held = list(cell._params.values()) if cell is not None else culprit.node.inputs
    return any(value is weight for value in held for weight in bad_weights)


def _any_bad(value) -> bool:
    return any(any(bad_values(tensor)) for tensor in tensors_in(value))


def _gradients(trace: Trace) -> tuple:
    result = trace.gradients
    if result is None:
        return [], []
    grads = list(tensors_in(result[-1] if isinstance(result, tuple) and len(result) == 2 else result))
    return grads, trace.weights or []


def _vanishing_scale(step: ReplayedStep, state) -> Optional[float]:
    """The largest power of two below the scale at which all gradients are finite, by bisection; None where none is."""
    high, low = int(np.floor(np.log2(step.scale))), _LOWEST_SCALE

    def finite(power: int) -> bool:
        if state is not None:
            set_random_state(state)
        return not _any_bad(step.run(None, 2.0**power))

    if not finite(low):
        return None
    while high - low > 1:
        middle = (high + low) // 2
        low, high = (middle, high) if finite(middle) else (low, middle)
    return 2.0**low


def _facts(culprit: Culprit, trace: Trace, step_inputs: tuple = ()) -> dict:
    node = culprit.node
    place = node.expression or (node.stack[-1] if node.stack else None)
    inputs = [values_of(value) for value in node.inputs]
    results = [values_of(value) for value in node.results]
    pattern = nonfinite_patterns.pattern_of(culprit.phase, node.operator, inputs, results[0] if results else None)
    facts = {
        "phase": culprit.phase,
        "cell": node.cell,
        "operator": node.operator,
        "expression": place.code if place else None,
        "place": _place(node, place),
        "column": place.column if place else None,
        "function": place.function if place else None,
        "inputs": [value._asdict() for value in inputs],
        "results": [value._asdict() for value in results],
        "stack": [{**place_in(one.file, one.line), "code": one.code} for one in node.stack],
        "pattern": pattern,
    }
    if culprit.parameter is not None:
        facts["parameter"] = culprit.parameter.name
    if culprit.phase == "data":
        facts.update(_bad_elements(culprit.value), input=_position(culprit.value, step_inputs))
    return facts


def _place(node, expression) -> Optional[dict]:
    """Where the expression stands; of a cell that MindSpore's own code calls, where it was made."""
    if expression is not None:
        return place_in(expression.file, expression.line)
    return created_place(node.cell_object) if node.cell_object is not None else None


def values_of(tensor) -> nonfinite_patterns.OperandValues:
    """Shares and range of a tensor's elements."""
    dtype, shape = str(tensor.dtype), tuple(tensor.shape)
    values = to_numpy(tensor)
    if values.dtype.kind not in "fiub" or not values.size:
        return nonfinite_patterns.OperandValues(dtype, shape, None, None, 0.0, 0.0, 0.0)
    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values.reshape(-1)
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (None, None)
    nan = float(np.isnan(values).mean()) if values.dtype.kind == "f" else 0.0
    infinite = float(np.isinf(values).mean()) if values.dtype.kind == "f" else 0.0
    return nonfinite_patterns.OperandValues(dtype, shape, low, high, float((values == 0).mean()), nan, infinite)


def _bad_elements(tensor) -> dict:
    """The first ten positions of elements that are NaN or infinite, and the samples that they are in."""
    values = to_numpy(tensor)
    elements = np.argwhere(~np.isfinite(values))
    samples = np.unique(elements[:, 0]) if values.ndim else np.zeros(1, int)
    return {"samples": samples[:10].tolist(), "elements": elements[:10].tolist()}


def _position(tensor, inputs: tuple) -> Optional[int]:
    """Which of the step's inputs it is, from 0; None where the code has made it of one."""
    return next((at for at, given in enumerate(inputs) if any(tensor is one for one in flatten(given))), None)


def _compared(recorded, replayed) -> dict:
    scalar = first_scalar(replayed) if replayed is not None else None
    again = None if scalar is None else float(to_number(scalar))
    if recorded is None or again is None:
        return {"recorded_loss": recorded, "replayed_loss": again, "exact": None}
    same = (np.isnan(recorded) and np.isnan(again)) or recorded == again
    finite = np.isfinite(recorded) and np.isfinite(again)
    close = same or (finite and abs(recorded - again) <= SAME_LOSS * max(abs(recorded), abs(again)))
    return {"recorded_loss": recorded, "replayed_loss": again, "exact": bool(close)}
