"""The captured step run forward in inference mode: neither dropout nor the statistics of a batch, with the weights of the end."""

from msprec.locate.replay import undisturbed
from msprec.locate.trace import Node
from msprec.probe.steps.connectivity_trace import GraphTrace, run_forward
from msprec.runtime.cells import is_builtin


class InferenceTraces:
    """Traces of captured batches, each made when it is first asked for: one forward pass serves several probes.

    Attributes:
        batches: The captured batches.
    """

    def __init__(self, material) -> None:
        self.batches, self._material, self._made = material.batches, material, {}

    def of(self, number: int = 0) -> GraphTrace:
        """The trace of the batch at a position."""
        if number not in self._made:
            self._made[number] = run_in_inference(self._material, self.batches[number])
        return self._made[number]


def run_in_inference(material, batch: tuple) -> GraphTrace:
    """The trace of what the captured step differentiates, run forward on ``batch``, every cell in inference mode.

    Args:
        material: What the run has left.
    """
    step = material.build(batch)
    with material.in_inference(), undisturbed(step.parameters, None, None, step.host_random):
        return run_forward(step)[0]


def layers(trace: GraphTrace) -> list:
    """The nodes that compute with weights: cells of MindSpore's with some, and operators that are given one."""
    return [node for node in trace.nodes if weights_of(node)]


def weights_of(node: Node) -> list:
    """The parameters that a node computes with: those of a cell of MindSpore's, and those that an operator is given."""
    cell = node.cell_object
    own = list(cell._params.values()) if cell is not None and is_builtin(type(cell)) else []
    return [one for one in (*own, *node.inputs) if type(one).__name__ == "Parameter"]
