"""What a run leaves of its evaluation: the first call of each kind, and what it does when it is made twice (api.02)."""

import contextlib
from collections.abc import Iterator

import numpy as np

from msprec.locate.replay import ReplayedStep, undisturbed, watched
from msprec.locate.trace import Trace, to_numpy
from msprec.probe.steps.captured_steps import in_modes
from msprec.record.nested import flatten
from msprec.runtime.cells import walk
from msprec.runtime.side_effects import side_effect
from msprec.runtime.source_locations import place_in

#: So many kinds of calls are held, of so many bytes of inputs together; so many random operations are listed of each.
MOST_CALLS, MOST_BYTES, MOST_LISTED = 6, 32 << 20, 10


class EvaluationCalls:
    """The first call of each kind outside any gradient, with references to its inputs; nothing is copied."""

    def __init__(self) -> None:
        self._calls: dict = {}
        self._bytes = 0

    def offer(self, phase: dict, cell, args: tuple, kwargs: dict) -> None:
        """A network is called; ``phase``: the entry of ``modes.json``, of which the first call is held."""
        if id(phase) in self._calls or len(self._calls) >= MOST_CALLS:
            return
        size = sum(int(getattr(value, "nbytes", 0) or 0) for value in flatten((args, kwargs)))
        if self._bytes + size <= MOST_BYTES:
            self._bytes += size
            modes = [(inner, bool(inner.training)) for _, inner in walk(cell)]
            self._calls[id(phase)] = (phase, cell, args, kwargs, modes)

    def facts(self) -> list:
        """The entry ``evaluations`` of ``probes.json``: each held call made twice, in PyNative mode.

        ``called``: paths of the cells that ran; ``random``: operations that were given the same values twice and gave
        different ones, with the user's line. Weights, modes and random state are put back.
        """
        found = []
        for phase, *call in self._calls.values():
            with contextlib.suppress(Exception):  # a call that cannot be made again tells nothing
                facts = _made_twice(*call)
                if facts is not None:
                    kept = ("phase", "via", "network", "place", "first_step")
                    found.append({**{name: phase[name] for name in kept}, **facts})
        return found


class _CallTrace(Trace):
    """A `Trace` that keeps which cells ran, and what each node called."""

    def __init__(self, step: ReplayedStep) -> None:
        super().__init__(step.cells, step.paths, backward=False)
        self.called: set = set()

    def cell_call(self, original, cell, args, kwargs):
        self.called.add(id(cell))
        return super().cell_call(original, cell, args, kwargs)

    def _node(self, expression, function, args, kwargs, operator_name, hooks=True, cell=None):
        from msprec.probe.steps.connectivity_trace import callee_name

        result = super()._node(expression, function, args, kwargs, operator_name, hooks, cell)
        self.nodes[-1].callee = callee_name(function, operator_name, cell)
        return result


def _made_twice(cell, args: tuple, kwargs: dict, modes: list):
    if side_effect([cell], (), lasting=True):
        return None
    step = ReplayedStep(None, [cell])
    with undisturbed(step.parameters, None, None, step.host_random), in_modes(modes):
        traces = [_trace(step, cell, args, kwargs) for _ in range(2)]
    called = traces[0].called
    return {
        "called": sorted({path for one, path in step.paths.items() if one in called}),
        "random": list(_random_nodes(*traces))[:MOST_LISTED],
    }


def _trace(step: ReplayedStep, cell, args: tuple, kwargs: dict) -> _CallTrace:
    trace = _CallTrace(step)
    with watched(trace):
        cell(*args, **kwargs)
    return trace


def _random_nodes(one: _CallTrace, other: _CallTrace) -> Iterator[dict]:
    """Operations whose inputs are the same in both traces and whose results are not, the innermost of each."""
    told = set()
    for first, second in zip(one.nodes, other.nodes):
        if getattr(first, "callee", None) != getattr(second, "callee", None):
            return  # the two went different ways
        if any(id(inner) in told for inner in first.inner):
            told.add(id(first))
        elif first.results and _same(first.inputs, second.inputs) and not _same(first.results, second.results):
            told.add(id(first))
            expression = first.expression or (first.stack[-1] if first.stack else None)
            cell = first.cell_object
            yield {
                "operator": getattr(first, "callee", first.operator),
                "cell": one.paths.get(id(cell)) if cell is not None else None,
                "place": place_in(expression.file, expression.line) if expression else None,
            }


def _same(values: list, others: list) -> bool:
    return len(values) == len(others) and all(
        np.array_equal(to_numpy(a), to_numpy(b), equal_nan=to_numpy(a).dtype.kind == "f")
        for a, b in zip(values, others)
    )
