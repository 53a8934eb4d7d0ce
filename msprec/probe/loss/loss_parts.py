"""Losses that are seen by the operators that they are written with: squared or absolute differences, divergences."""

from collections.abc import Iterator
from typing import Optional

import numpy as np

from msprec.locate.trace import Node, to_numpy
from msprec.probe.loss.loss_targets import Sources, is_learnt, target_facts
from msprec.probe.steps.attainable_range import output_facts, plain_name
from msprec.probe.steps.connectivity_trace import GraphTrace, live_nodes, place_of
from msprec.probe.steps.loss_input_statistics import described, features

RESIDUAL, KL_DIV, FOCAL, MULTI_LABEL = "residual", "kl_div", "focal", "multi_label"
_NAMED = {"kldivloss": KL_DIV, "kldiv": KL_DIV, "focalloss": FOCAL, "multilabelsoftmarginloss": MULTI_LABEL}
#: What makes a difference of prediction and target an error: it is squared, or loses its sign.
_ERRORS = ("square", "abs", "pow", "norm", "cosh", "vectornorm", "linalgvectornorm", "tensorpow")


def other_losses(trace: GraphTrace, sources: Sources) -> list:
    """The entries ``other_losses`` of ``probes.json``.

    Args:
        trace: A watched step.
        sources: Its inputs.
    """
    live = live_nodes(trace)
    found = []
    for node in trace.nodes:
        if id(node) not in live or len(node.inputs) < 2 or not node.results:
            continue
        name = plain_name(node)
        if name in _NAMED and not any(node in other.inner for other in trace.nodes if plain_name(other) in _NAMED):
            found.append(_entry(trace, node, _NAMED[name], node.inputs[0], node.inputs[1], sources))
    found += [
        _entry(trace, node, RESIDUAL, *pair, sources) for node, *pair in residuals(trace, sources) if id(node) in live
    ]
    return found


def residuals(trace: GraphTrace, sources: Sources) -> Iterator[tuple]:
    """``(node, prediction, target)`` of each difference of what weights made and what came from an input, that is squared or
    made an absolute value and nothing else."""
    for node in trace.nodes:
        if plain_name(node) in ("sub", "subtract", "subext") and len(node.inputs) == 2 and node.results:
            pair = _residual(trace, node, sources) if _is_error(trace, node) else None
            if pair is not None:
                yield (node, *pair)


def _is_error(trace: GraphTrace, node: Node) -> bool:
    """Whether a difference is squared, or made an absolute value, and nothing else."""
    made = node.results[0]
    readers = [one for one in trace.nodes if any(value is made for value in one.inputs) and one is not node]

    def errs(one: Node) -> bool:
        own_square = plain_name(one) in ("mul", "mult") and len(one.inputs) == 2 and one.inputs[0] is one.inputs[1]
        return plain_name(one) in _ERRORS or own_square

    outermost = [one for one in readers if not any(one in other.inner for other in readers)]
    return bool(outermost) and all(errs(one) for one in outermost)


def _residual(trace: GraphTrace, node: Node, sources: Sources) -> Optional[tuple]:
    """``(prediction, target)`` of a difference of what weights made and what came from an input."""
    learnt = [is_learnt(trace, value) for value in node.inputs]
    if sum(learnt) != 1:
        return None
    prediction, target = node.inputs[learnt.index(True)], node.inputs[learnt.index(False)]
    if sources.find(to_numpy(target)) is None:
        return None
    return prediction, target


def _entry(trace: GraphTrace, node: Node, kind: str, prediction, target, sources: Sources) -> dict:
    output = output_facts(trace, prediction)
    array: np.ndarray = to_numpy(prediction)
    held = getattr(node.cell_object, "__dict__", {})
    log_target = held.get("log_target", node.arguments[1].get("log_target", False))
    return {
        "kind": kind,
        "name": node.callee,
        "place": place_of(node),
        "settings": {"log_target": bool(log_target)} if kind == KL_DIV else {},
        "predicted": {**described(array, str(prediction.dtype)), **features(array)},
        "output": output,
        "targets": target_facts(trace, target, output, sources),
    }
