"""The range test inside a program: a few steps at growing rates, and all is as before."""

import itertools
import math
from collections.abc import Iterable
from typing import Callable, Optional

from msprec.locate.gradients import Plain
from msprec.locate.replay import undisturbed, watched
from msprec.range_test.lr_curve import Curve, rates_of
from msprec.range_test.lr_setter import RateSetter
from msprec.record.step_recorder import to_number
from msprec.runtime.busy_clock import busy_seconds
from msprec.runtime.cells import all_parameters
from msprec.runtime.scalars import first_scalar

LOW, HIGH, STEPS = 1e-7, 10.0, 100


class LearningRateFinder:
    """Finds between which learning rates a network trains: Smith's range test ("Cyclical Learning Rates for Training Neural
    Networks", 2017).

    The training step is run at rates that grow from ``low`` to ``high``, in PyNative mode, until the loss diverges. Weights,
    the optimizer's state, the loss scale, MindSpore's, NumPy's and Python's random states and the mode are then what they
    were, bit by bit. Running statistics are part of the weights.

    Args:
        step: Called as ``step(*batch)``; trains on the batch and returns the loss, alone or first among others. A training
            cell, or a function of the user's; functions compiled by ``jit`` run as Python.
        optimizer: The optimizer that ``step`` updates with; its groups keep their proportions.
        network: The network, or several in a list, where ``step`` is a function.
        low, high: The first and the last learning rate.
        steps: How many steps.
        linear: Whether the rates grow by equal steps instead of by equal factors.

    Raises:
        ValueError: The rates or the number of steps make no sweep.

    Examples:
        >>> curve = msprec.LearningRateFinder.of_model(model).run(dataset)
        >>> curve.lower, curve.steepest, curve.upper
    """

    def __init__(
        self,
        step: Callable,
        optimizer,
        network=None,
        low: float = LOW,
        high: float = HIGH,
        steps: int = STEPS,
        linear: bool = False,
    ) -> None:
        self._step, self._optimizer = step, optimizer
        networks = network if isinstance(network, (list, tuple)) else [network]
        self._roots = [cell for cell in (step, *networks, optimizer) if hasattr(cell, "_cells")]
        self._rates = rates_of(low, high, steps, linear)
        #: The largest rate that the optimizer uses itself; known after `run`
        self.used: Optional[float] = None

    @classmethod
    def of_model(cls, model, **options) -> "LearningRateFinder":
        """For a ``mindspore.train.Model``; ``options`` as for the class.

        Raises:
            ValueError: The model has no optimizer.
        """
        from msprec.callbacks.train_context import optimizer_of

        cell = model.train_network
        optimizer = optimizer_of({"train_network": cell})
        if optimizer is None:
            raise ValueError("the Model has no optimizer, so there is no learning rate to test")
        return cls(cell, optimizer, **options)

    def run(self, batches: Iterable, seconds: float = math.inf) -> Curve:
        """Runs the test.

        Args:
            batches: A MindSpore data set, or an iterable of batches (tuples of Tensors); begun again when it ends.
            seconds: Begins no step after so long.

        Returns:
            Curve: the losses by rate, and the bounds.

        Raises:
            ValueError: ``batches`` is empty, or ``optimizer`` has no learning rate.
        """
        losses, deadline = [], busy_seconds() + seconds
        with undisturbed(all_parameters(self._roots), None, None), watched(Plain()):
            setter = RateSetter(self._optimizer)
            self.used = setter.used
            try:
                for rate, batch in zip(self._rates, _endless(batches)):
                    setter.set(float(rate))
                    losses.append(self._loss(batch))
                    if busy_seconds() > deadline or self._diverged(losses):
                        break
            finally:
                setter.restore()
        return self._curve(losses)

    def train(self, rate: float, batches: list, until: float = math.inf) -> list:
        """Trains on the batches in turn at one rate; all is as before afterwards.

        Args:
            rate: Of the first group.
            batches: One update each.
            until: Begins no step after this ``busy_seconds()``.

        Returns:
            list: The loss of each step, up to the first that is not finite.
        """
        losses: list = []
        with undisturbed(all_parameters(self._roots), None, None), watched(Plain()):
            setter = RateSetter(self._optimizer)
            setter.set(rate)
            try:
                for batch in batches:
                    losses.append(self._loss(batch))
                    if not math.isfinite(losses[-1]) or busy_seconds() > until:
                        break
            finally:
                setter.restore()
        return losses

    def _loss(self, batch) -> float:
        output = self._step(*batch)
        loss = first_scalar(output)
        return float(to_number(loss)) if loss is not None else math.nan

    def _curve(self, losses: list) -> Curve:
        return Curve(self._rates[: len(losses)], losses, float(self._rates[0]), float(self._rates[-1]))

    def _diverged(self, losses: list) -> bool:
        return not math.isfinite(losses[-1]) or (len(losses) > 10 and self._curve(losses).diverged is not None)


def _endless(batches: Iterable):
    """The batches over and over."""
    for number in itertools.count():
        empty = True
        source = batches.create_tuple_iterator(num_epochs=1) if hasattr(batches, "create_tuple_iterator") else batches
        for batch in source:
            empty = False
            yield tuple(batch) if isinstance(batch, (tuple, list)) else (batch,)
        if empty:
            if number:
                return  # an iterator that is used up
            raise ValueError("there is no batch to train on")
