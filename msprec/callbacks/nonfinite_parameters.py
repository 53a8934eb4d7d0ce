"""Which parameters of a network hold NaN or infinity, looked at seldom enough to cost next to nothing."""

from typing import Callable, Optional

import numpy as np

from msprec.record.time_budget import Budget
from msprec.runtime.cells import parameters_of

#: Share of the run's time that looking may take, and bytes a second that a first look is reckoned with.
SHARE, BYTES_A_SECOND = 0.005, 1e9


class FiniteParameters:
    """Looks at all floating parameters of a network, copied to the host one by one.

    Args:
        network: The network or training cell; an optimizer's own parameters are left out.
        share: Share of the time since the beginning that looking may take.
    """

    def __init__(self, network, share: float = SHARE) -> None:
        self._parameters = [p for _, p, _, _ in parameters_of(network) if "Float" in str(p.dtype)]
        size = sum(int(p.size) * int(p.itemsize) for p in self._parameters if not getattr(p, "has_init", False))
        self._budget = Budget(share, cost=size / BYTES_A_SECOND)

    def due(self) -> bool:
        """Whether another look keeps to the share."""
        return self._budget.due()

    def bad(self) -> list:
        """Names of the parameters that hold NaN or infinity, in the network's order."""
        with self._budget.spending():
            return [p.name for p in self._parameters if _is_bad(p)]

    def tell(self, event: Callable, step: int) -> list:
        """`bad`, told by an event: it happened at ``step``, the latest, or before."""
        bad = self.bad()
        if bad:
            event("first_nonfinite", step, what="parameter", parameters=bad[:20], count=len(bad))
        return bad


def _is_bad(parameter) -> Optional[bool]:
    if getattr(parameter, "has_init", False):
        return False
    # NumPy has no bfloat16 of its own
    values = (parameter.float() if str(parameter.dtype) == "BFloat16" else parameter).asnumpy()
    return not bool(np.isfinite(values).all())
