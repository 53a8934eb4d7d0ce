"""Sets an optimizer's learning rate, however it has one."""

from typing import Optional

import numpy as np

from msprec.callbacks.learning_rate import LearningRate

#: Updates of a schedule or list that are looked at for its largest rate.
_LOOKED_AT = 1024


class RateSetter:
    """Sets one optimizer's rate: of the first group, and of the others in the proportion that they begin with.

    A constant rate is a Parameter, which is assigned. A list or a schedule is replaced by a schedule that gives what was
    set; in graph mode that has to be done before the optimizer is compiled.

    Args:
        optimizer: The optimizer.

    Raises:
        ValueError: It has no learning rate.
    """

    def __init__(self, optimizer) -> None:
        self._optimizer, self._before = optimizer, None
        sources = LearningRate(optimizer).groups
        starts = [_largest(source) for source in sources]
        #: The largest rate that the first group would use, over its first 1024 updates; ``None``: not known
        self.used: Optional[float] = starts[0] if starts else None
        first = starts[0] if starts and starts[0] else None
        self._ratios = [start / first if start and first else 1.0 for start in starts]
        self._holders = self._make_settable()
        if not self._holders:
            raise ValueError(f"the optimizer has no learning rate: {type(optimizer).__name__}")

    def set(self, rate: float) -> None:
        """Sets the rate for the updates to come."""
        for (holder, key), ratio in zip(self._holders, self._ratios):
            _put(holder, key, rate * ratio)

    def restore(self) -> None:
        """Gives the optimizer back what it had, bit by bit."""
        for undo in reversed(self._before):
            undo()
        self._before = []

    def _make_settable(self) -> list:
        """``(holder, key)`` of each group: the Parameter is ``holder[key]``."""
        optimizer, self._before = self._optimizer, []
        groups = getattr(optimizer, "param_groups", None)
        if groups:
            return [self._remember(group, "lr") for group in groups]
        rate = getattr(optimizer, "learning_rate", None)
        if rate is None:
            return []
        if getattr(optimizer, "is_group_lr", False):
            return self._grouped(rate)
        if hasattr(rate, "asnumpy"):
            return [self._remember({"rate": rate}, "rate")]
        swept = _swept()
        self._replace("learning_rate", swept)
        return [({"rate": swept.rate}, "rate")]

    def _grouped(self, rates) -> list:
        if all(hasattr(rate, "asnumpy") for rate in rates):
            return [self._remember({"rate": rate}, "rate") for rate in rates]
        from mindspore import nn

        cells = [_swept(number) for number in range(len(rates))]
        self._replace("learning_rate", nn.CellList(cells))
        return [({"rate": cell.rate}, "rate") for cell in cells]

    def _remember(self, holder: dict, key: str) -> tuple:
        value = holder[key]
        if hasattr(value, "asnumpy"):
            from mindspore import Tensor, ops

            kept = value.asnumpy().copy()
            self._before.append(lambda: ops.assign(value, Tensor(kept, value.dtype)))
        else:
            self._before.append(lambda: holder.__setitem__(key, value))
        return holder, key

    def _replace(self, name: str, cell) -> None:
        optimizer = self._optimizer
        old = getattr(optimizer, name)

        def undo() -> None:
            optimizer._cells[name] = old

        optimizer._cells[name] = cell
        self._before.append(undo)


def _put(holder, key: str, rate: float) -> None:
    value = holder[key]
    if not hasattr(value, "asnumpy"):
        holder[key] = rate
        return
    from mindspore import Tensor, ops

    ops.assign(value, Tensor(np.full(tuple(value.shape), rate, np.float32), value.dtype))


def _largest(source) -> Optional[float]:
    """The largest rate of a source over its first updates; that of a constant, its value."""
    if source.kind == "constant":
        return source.at(0)
    found = [rate for rate in map(source.at, range(_LOOKED_AT)) if rate is not None]
    return max(found, default=None)


def _swept(number: int = 0):
    """A schedule that gives the value of its Parameter."""
    from mindspore import Parameter, Tensor

    from msprec.range_test.settable_schedule import Swept

    return Swept(Parameter(Tensor(np.array(0, np.float32)), name=f"swept_learning_rate_{number}", requires_grad=False))
