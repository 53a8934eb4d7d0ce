"""mp.04: The degree in the loss scale of gradients that become a part of the differentiated loss, read as for mp.03."""

from msprec.checklists.mp.gradient_operation_order import PENALTY, order_of, plainly_unscaled
from msprec.engine.finding import Finding
from msprec.engine.item import item
from msprec.engine.run_data import RunData


@item("mp.04")
def penalty(run_data: RunData) -> Finding:
    """The degree in the loss scale of gradients that become a part of the differentiated loss, read as for mp.03.

    Problem: it is above that of what they are added to, a number (the 1 in (norm - 1)²) or the loss. Not applicable: no
    such term, or no scale, and the whole step was read.
    """
    return order_of(run_data, PENALTY, plainly_unscaled(run_data))
