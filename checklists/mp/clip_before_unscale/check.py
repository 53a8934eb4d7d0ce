"""mp.03: whether gradients are clipped while they still carry the loss scale."""

from msprec.checklists.common.reference.reference_findings import with_reference
from msprec.checklists.mp.gradient_operation_order import CLIPPING, order_of, plainly_unscaled
from msprec.engine.finding import Finding
from msprec.engine.item import item
from msprec.engine.run_data import RunData


@item("mp.03", after=with_reference)
def clipping(run_data: RunData) -> Finding:
    """By the order of operations in the training step, read from the source (msprec.source.flow, gradient_operation_order.py).

    Problem: on every way through the script that scales and clips, a clipping acts on gradients that still carry the
    scale. Ok: after unscaling (or with a threshold that is scaled too). Not applicable: no clipping, no scale, or a scale
    of 1, and the whole step was read. Clipping of losses and activations does not count, nor does a norm for the log.
    """
    return order_of(run_data, CLIPPING, plainly_unscaled(run_data))
