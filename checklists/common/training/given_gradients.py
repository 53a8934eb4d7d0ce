"""How much of the gradients reaches the optimizer (td.04, hp.01)."""

import math
import re
from collections.abc import Sequence
from typing import Optional

from msprec.engine.run_data import RunData

#: Optimizers whose updates do not depend on the size of the gradients.
SCALE_FREE = re.compile(
    r"adam|lamb|lars|rmsprop|adagrad|adadelta|adafactor|lion|thor|rprop|ftrl|signsgd", re.IGNORECASE
)
#: Those of them whose steps have about the size of the learning rate: Adadelta and the like find a size of their own.
_RATE_SIZED = re.compile(r"adam|lamb|rmsprop|lion|adabelief", re.IGNORECASE)
#: How near a share comes to a scale, in powers of the factor by which a dynamic one changes, and changes of it at the most.
_EXACT, _MOST_CHANGES = 1e-3, 8.5


def rate_sized(optimizers: Sequence) -> bool:
    """Whether a step of each of them, facts of optimizers, is about as large as its rate, whatever the size of the gradients
    (Kingma and Ba 2015, section 2.1); of none, False."""
    return bool(optimizers) and all(_RATE_SIZED.search(one.class_ or "") for one in optimizers)


def given_share(run_data: RunData) -> Optional[float]:
    """The largest norm of what the optimizer was given, over that of the gradients of its batches, of the updates computed again;
    None where its updates do not depend on it, or some are not known. A loss scale that was divided out is none of it."""
    facts = run_data.probes.gradients
    updates = facts.updates
    if not facts.optimizer or SCALE_FREE.search(facts.optimizer) or not updates:
        return None
    if not all(one.computed_norm and one.given_norm is not None for one in updates):
        return None
    share = max(one.given_norm / one.computed_norm for one in updates)
    return 1.0 if _divides_scale_out(run_data, share) else share


def _divides_scale_out(run_data: RunData, share: float) -> bool:
    """Whether the share is what a step of the script's own leaves that divides its loss scale out: one over the scale, or over
    what a dynamic one has become. Of a functional loop the gradients are computed again without the scale."""
    for step in run_data.train_steps:
        scale = step.loss_scale
        if not step.count or step.style == "functional" or not scale.initial or share <= 0:
            continue
        times = math.log(share * scale.initial) / math.log(scale.factor or 2)
        if abs(times - round(times)) < _EXACT and abs(times) < (_MOST_CHANGES if scale.kind == "dynamic" else 0.5):
            return True
    return False
