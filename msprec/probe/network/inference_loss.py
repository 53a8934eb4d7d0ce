"""The loss of captured batches in inference mode, with the weights of the end, of networks with much dropout.

Only forward passes run.
"""

from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.probe.steps.inference_trace import run_in_inference
from msprec.runtime.cells import drop_share, is_dropout_class

#: Batches that are looked at, the last ones; share from which a dropout drops much.
_MOST, _MUCH = 8, 0.5


def inference_loss(material) -> Optional[dict]:
    """The entry ``inference_loss`` of ``probes.json``: the mean loss of up to eight captured batches, the last ones; None where
    no dropout of MindSpore's drops half or more, the step does not differentiate one number, or it is not finite.

    Args:
        material: What the run has left.
    """
    if not any(is_dropout_class(type(cell)) and drop_share(cell) >= _MUCH for cell, _ in material.modes):
        return None
    values = []
    for batch in material.batches[-_MOST:]:
        loss = run_in_inference(material, batch).differentiated  # each trace is let go: it holds all that was computed
        if loss is None:
            return None
        values.append(float(to_numpy(loss)))
    return {"batches": len(values), "loss": float(np.mean(values))} if np.isfinite(values).all() else None
