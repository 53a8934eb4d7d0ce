"""The loss of captured batches in inference mode, with the weights of the end.

Only forward passes run.
"""

from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.probe.steps.inference_trace import InferenceTraces

#: Batches that are looked at, the last ones.
_MOST = 8


def inference_loss(traces: InferenceTraces) -> Optional[dict]:
    """The entry ``inference_loss`` of ``probes.json``: the mean loss of up to eight captured batches, the last ones; None where
    the step does not differentiate one number, or it is not finite.

    Args:
        traces: Forward passes in inference mode.
    """
    numbers = list(range(len(traces.batches)))[-_MOST:]
    losses = [traces.of(number).differentiated for number in numbers]
    if not losses or any(one is None for one in losses):
        return None
    values = [float(to_numpy(one)) for one in losses]
    return {"batches": len(values), "loss": float(np.mean(values))} if np.isfinite(values).all() else None
