"""A sample of a batch that is far larger than the others: whether a step that is not finite is so because of it."""

from typing import NamedTuple, Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.record.nested import replaced, tensors_in

#: So many times larger than the others, and so large, is an outlier; of so large a share of the batch at the most.
TIMES, LEAST, SHARE = 100.0, 100.0, 0.25


class Outlier(NamedTuple):
    """``input``: which tensor of the step's inputs; ``samples``: in the batch; ``usual``: the largest of the other samples."""

    input: int
    samples: list
    value: float
    usual: float

    def facts(self) -> dict:
        """As ``outlier`` of the event ``located``."""
        return {"input": self.input, "samples": self.samples[:10], "value": self.value, "usual": self.usual}


def outlier_in(inputs: tuple) -> Optional[Outlier]:
    """The first input that holds samples far larger than its others; None where none does."""
    for number, value in enumerate(tensors_in(inputs)):
        array = to_numpy(value)
        if array.dtype.kind != "f" or array.ndim < 1 or len(array) < 4 or not np.isfinite(array).all():
            continue
        sizes = np.abs(array.astype(np.float64)).reshape(len(array), -1).max(axis=1, initial=0.0)
        usual = float(np.quantile(sizes, 1 - SHARE, method="lower"))
        large = np.flatnonzero(sizes > max(LEAST, TIMES * usual))
        if usual > 0 and large.size:
            rest = np.delete(sizes, large)
            return Outlier(number, large.tolist(), float(sizes.max()), float(rest.max()))
    return None


def without(inputs: tuple, found: Outlier) -> tuple:
    """The inputs with the outlier's values cut off at the largest of the others."""
    from mindspore import Tensor

    old = list(tensors_in(inputs))[found.input]
    cut = Tensor(np.clip(to_numpy(old), -found.usual, found.usual), old.dtype)
    return replaced(inputs, old, cut)
