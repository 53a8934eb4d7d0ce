"""How far the updates of a run could have gone: the rates of SGD or Momentum, all together (hp.01, td.04)."""

from typing import Optional

import numpy as np

from msprec.checklists.common.training.training_segments import rates_of
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Optimizers whose steps are the gradients times the rate, or a mean of them.
_PLAIN = ("SGD", "Momentum")


def drawn_weights(run_data: RunData) -> Optional[tuple]:
    """The optimizer and the weights that it trains, in a run of one optimizer that loads nothing; else None."""
    optimizers = [one for one in run_data.optimizers if one.used]
    weights = [one for one in run_data.parameters if one.requires_grad and one.in_optimizer and one.kind == "weight"]
    return (optimizers[0], weights) if len(optimizers) == 1 and weights and not run_data.loads else None


def lasting(optimizer: Fact) -> float:
    """How many steps' worth of a gradient its momentum makes of one."""
    return 1 / max(1e-3, 1 - (optimizer.momentum or 0.0))


def plain_way(run_data: RunData) -> Optional[tuple]:
    """``(optimizer, the weights that it trains, rates, their sum times 1/(1 - momentum))`` of a run of SGD or Momentum alone that
    loads nothing; else None."""
    drawn, rates = drawn_weights(run_data), rates_of(run_data)
    if drawn is None or drawn[0].class_ not in _PLAIN or not len(rates) or not np.isfinite(rates).all():
        return None
    return (*drawn, rates, float(rates.sum()) * lasting(drawn[0]))
