"""A cell around the training cell that keeps what every step put out, inside the graph, for sink mode."""

from dataclasses import dataclass
from typing import Optional, Union

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.train import Model

from msprec.runtime import hook_points

#: Steps that a ring holds unless told otherwise: 9 floats and 2 integers a step, 352 KiB in all.
STEPS = 8192
#: Outputs of a step that are kept: floating and bool scalars, in their order.
OUTPUTS = 8

KEPT_TYPES = (ms.float16, ms.bfloat16, ms.float32, ms.float64, ms.bool_)
_DEPTH = 8  # wrapper cells around the training cell


@dataclass(frozen=True)
class KeptSteps:
    """The steps since the last reading, oldest first; ``n`` of them.

    ``outputs``: float32 of shape ``(n, OUTPUTS)``. ``scale``: float32 ``(n,)``, the loss scale after each step, or None.
    ``updates``: int32 ``(n,)``, the optimizer's ``global_step`` after each step, or None. ``lost``: how many older steps
    the ring had no room for.
    """

    outputs: np.ndarray
    scale: Optional[np.ndarray]
    updates: Optional[np.ndarray]
    lost: int

    def __len__(self) -> int:
        return len(self.outputs)

    def updates_before(self) -> list:
        """The optimizer's count before each step; None for the first, and where it is not known."""
        return [None] * len(self) if self.updates is None else [None, *self.updates[:-1].tolist()]


class RecorderCell(nn.Cell):
    """Runs a training cell and keeps loss, overflow flag, loss scale and count of updates of each step in a ring in
    device memory. The monitors read it once a sink; see `keep_steps`.

    It is called as the training cell is, and puts out what that puts out. The ring's Parameters belong to no cell's list
    of parameters: they are in no checkpoint, no optimizer and no ``get_parameters()``; names and order of the training
    cell's parameters stay. Tried in graph mode and PyNative mode on a CPU, where it changes no bit of a training. Not
    tried: sink mode itself on Ascend and GPU (a CPU has none), graphs that are compiled whole for Ascend
    (``jit_level="O2"``), ``semi_auto_parallel`` and ``auto_parallel``. Rows whose own step number does not come out of
    the ring as expected are left out rather than believed.

    Kept are the floating and bool outputs of one element (tuples and lists one level deep, the first `OUTPUTS`), as
    float32: float16 and bfloat16 exactly, float64 rounded. Of a first floating output of several elements the mean is
    kept, in float32.

    Args:
        network: The training cell.
        steps: Steps that the ring holds: at least ``sink_size``.

    Raises:
        TypeError: ``network`` is no Cell, or ``steps`` no int.
        ValueError: ``steps`` is less than 1.
    """

    def __init__(self, network: nn.Cell, steps: int = STEPS) -> None:
        if not isinstance(network, nn.Cell):
            raise TypeError(f"a training cell is needed; got {type(network).__name__}")
        if not isinstance(steps, int) or isinstance(steps, bool):
            raise TypeError(f"steps is an int; got {type(steps).__name__}")
        if steps < 1:
            raise ValueError(f"steps is at least 1; got {steps}")
        super().__init__(auto_prefix=False, flags=network.get_flags())
        self.network = network
        # what MindSpore's own wrapper for sink mode takes over from the cell that it wraps
        self.add_flags(**getattr(type(network).construct, "_func_graph_flags", {}))
        self._get_attr_from_cell(network)
        self._dynamic_shape_inputs = getattr(network, "_dynamic_shape_inputs", None)
        self.steps = steps
        self._hide("_scale", _held(network, "scale_sense"))
        self._hide("_counter", _held(_held(network, "optimizer"), "global_step"))
        self._hide("_values", _parameter(np.zeros((steps, 1 + OUTPUTS), np.float32), "values"))
        self._hide("_numbers", _parameter(np.zeros((steps, 2), np.int32), "numbers"))
        self._hide("_calls", _parameter(np.zeros(1, np.int32), "calls"))
        self._read_to = 0
        self.set_train(network.training)

    def _hide(self, name: str, value) -> None:
        """Sets an attribute past ``Cell.__setattr__``, which would make a Parameter one of the cell's own."""
        object.__setattr__(self, name, value)

    @property
    def optimizer(self):
        """The training cell's optimizer: some of MindSpore's callbacks look for it."""
        return _held(self.network, "optimizer")

    def construct(self, *inputs):
        outputs = self.network(*inputs)
        row = self._row(outputs)
        call = self._calls + 1
        place = self._calls % self.steps
        updates = call * 0 - 1 if self._counter is None else self._counter.astype(ms.int32).reshape((1,))
        ops.scatter_update(self._values, place, row)
        ops.scatter_update(self._numbers, place, ops.stack((call, updates), 1))
        ops.assign(self._calls, call)
        return outputs

    def _row(self, outputs):
        """The scale after the step and the outputs to keep, of shape (1, 1 + OUTPUTS)."""
        row: tuple = (_as_float(self._calls),) if self._scale is None else (_as_float(self._scale),)
        for output in outputs if isinstance(outputs, (tuple, list)) else (outputs,):
            for leaf in output if isinstance(output, (tuple, list)) else (output,):
                if len(row) <= OUTPUTS and isinstance(leaf, Tensor) and leaf.dtype in KEPT_TYPES:
                    if leaf.size == 1:
                        row += (_as_float(leaf),)
                    elif len(row) == 1 and leaf.dtype != ms.bool_:
                        row += (_as_float(ops.mean(leaf.astype(ms.float32))),)
        row += (_as_float(self._calls),) * (1 + OUTPUTS - len(row))
        return ops.stack(row, 1)

    def take(self) -> KeptSteps:
        """The steps since this was called last; waits for the device."""
        calls = int(self._calls.asnumpy()[0])
        new, self._read_to = calls - self._read_to, calls
        wanted = np.arange(calls - min(new, self.steps) + 1, calls + 1)
        places = (wanted - 1) % self.steps
        values, numbers = self._values.asnumpy()[places], self._numbers.asnumpy()[places]
        believed = numbers[:, 0] == wanted
        # the newest without a gap: numbers of steps are counted back from the last one
        first = len(wanted) - int(np.argmin(believed[::-1])) if not believed.all() else 0
        values, numbers = values[first:], numbers[first:]
        return KeptSteps(
            outputs=values[:, 1:],
            scale=None if self._scale is None else values[:, 0],
            updates=None if self._counter is None else numbers[:, 1],
            lost=new - len(values),
        )

    def skip(self) -> None:
        """Forgets the steps so far; waits for the device."""
        self._read_to = int(self._calls.asnumpy()[0])


def keep_steps(training: Union[Model, nn.Cell], steps: int = STEPS):
    """Lets the monitors see every step of a training in sink mode, where a callback is called once for a whole sink.

    The training cell is wrapped in a `RecorderCell`. This is asked for and never done by a monitor of its own accord: the
    compiled graph is another one, and MindSpore binds a data set to the cell that sinks it, so that a cell wrapped for
    one training only could not be given the same data set again.

    Args:
        training: A ``Model``, before its first training; or a training cell, before it is given to one.
        steps: Steps that the ring holds: at least ``sink_size`` (without it, the batches of an epoch). Steps beyond it
            are missing in ``steps.csv``, and an event ``steps_missing`` tells of them.

    Returns:
        The same ``Model``; of a training cell, the `RecorderCell`.

    Raises:
        TypeError, ValueError: As for `RecorderCell`; a ``Model`` that trains nothing.

    Examples:
        >>> model = msprec.keep_steps(Model(net, loss, optimizer, loss_scale_manager=manager), steps=500)
        >>> model.train(10, dataset, callbacks=[PrecisionMonitor()], dataset_sink_mode=True, sink_size=500)
    """
    if not isinstance(training, Model):
        return training if isinstance(training, RecorderCell) else RecorderCell(training, steps)
    cell = getattr(training, "_train_network", None)
    if not isinstance(cell, nn.Cell):
        hook_points.find("model_train_network")
        raise TypeError("the Model has no training cell")
    if recorder_cell(cell) is None:
        training._train_network = RecorderCell(cell, steps)
    return training


def recorder_cell(train_network) -> Optional[RecorderCell]:
    """The `RecorderCell` that ``train_network`` is, or that it wraps; None where there is none."""
    cell = train_network
    for _ in range(_DEPTH):
        if cell is None or isinstance(cell, RecorderCell):
            return cell
        cell = getattr(cell, "network", None)
    return None


def without_recorder(cell):
    """The training cell inside a `RecorderCell`; any other cell as it is."""
    return cell.network if isinstance(cell, RecorderCell) else cell


def _as_float(tensor):
    return tensor.astype(ms.float32).reshape((1,))


def _parameter(values: np.ndarray, name: str) -> Parameter:
    return Parameter(Tensor(values), name=f"msprec_kept_steps.{name}", requires_grad=False)


def _held(cell, name: str):
    """The attribute of the cell, or of the nearest one that it wraps."""
    for _ in range(_DEPTH):
        if cell is None or getattr(cell, name, None) is not None:
            break
        cell = getattr(cell, "network", None)
    return getattr(cell, name, None)
