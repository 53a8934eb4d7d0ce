"""The last few steps as they began: batch and random state, for locating the origin of a non-finite value later."""

import json
import math
from collections import deque
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from msprec.record.nested import flatten
from msprec.record.step_recorder import to_number
from msprec.runtime.rng_state import RandomStates

#: Losses are looked at when so many steps wait: on a device, where reading makes the host wait, and on a CPU.
DEVICE_STEPS, CPU_STEPS = 16, 4
#: A batch larger than this is not written.
LARGEST_BATCH = 256 << 20
#: Batches and weights of no more bytes than this are held at once, but for the two latest steps.
HELD_BYTES = 512 << 20
#: Steps from one look at the size of a batch to the next.
_SIZED_EVERY = 16
#: A dynamic scale that overflows so many times in a row is worth a look.
STREAK = 3


class KeptStep(NamedTuple):
    """``batch``: what the step was called with, tensors as they are; ``random_state``: as of `RandomStates`; ``build(batch)``:
    makes what can be run again; ``weights``: ``{id(parameter): array}`` before the step, where they were kept."""

    step: int
    batch: object
    random_state: dict
    build: Optional[Callable] = None
    weights: Optional[dict] = None


class BadStep(NamedTuple):
    """``what``: "loss"; "gradient": an overflow that the scale need not have made; "streak": overflows in a row; "crash": an
    error ended the run inside the step; "parameter": a parameter was not finite when the step began, and the loss had not
    told. ``value``: the loss where it is the loss, a float; else None."""

    step: int
    what: str
    value: Any


class StepKeeper:
    """Keeps the steps that have not been looked at, and looks at them one step late, so that the host never waits for a
    step that runs.

    Args:
        every: Steps are looked at when so many are kept.
        dynamic: Whether an overflow is the loss scale's way of searching, unless it comes `STREAK` times in a row.
        draws: Whether the step's code may draw from Python's or NumPy's generators.
        most_bytes: Of batches and of weights before steps, so many are held at once, and of the two latest steps at any
            rate. Where that is few steps, they are looked at sooner.
        spikes: A `SpikeBatches` that is told of each finite loss; None: nobody is.
    """

    def __init__(
        self, every: int, dynamic: bool = True, draws: bool = True, most_bytes: int = HELD_BYTES, spikes: Any = None
    ) -> None:
        self._spikes = spikes
        self._every, self._dynamic, self._streak = max(1, every), dynamic, 0
        #: The random state before each step
        self.states = RandomStates(draws)
        most = self._most = 2 * self._every + 2
        self._steps: deque = deque(maxlen=most)
        self._waiting: deque = deque()
        self.losses: deque = deque(maxlen=most)
        self._ended, self._looked, self._begun = 0, 0, 0
        self._most_bytes, self._size, self._room = most_bytes, 0, most
        self._with_weights: Optional[bool] = None
        self._not_kept: deque = deque(maxlen=most)

    def begin(self, step: int, batch, build=None, weights=None, state=None) -> None:
        """Call it before the step; afterwards with the ``state`` that `RandomStates` has told of it."""
        state = state or self.states.before_step()
        self._steps.append(KeptStep(step, batch, state, build, weights))
        if not self._begun % _SIZED_EVERY or self._with_weights is not bool(weights):
            self._measure(self._steps[-1])
        self._begun += 1
        while len(self._steps) > self._room:
            self._let_go(self._steps.popleft().step)

    def end(self, step: int, loss, overflow=None, scale=None, at_once: bool = False) -> Optional[BadStep]:
        """Call it after the step. ``at_once``: look at this step too, and wait for it.

        Returns:
            The first bad step among those looked at now; ``None`` without any.
        """
        self._ended = step
        if loss is not None or overflow is not None:
            self._waiting.append((step, loss, overflow, scale))
        if not at_once and len(self._waiting) <= min(self._every, self._room - 2):
            return None
        return self._look(0 if at_once else 1)

    def room(self) -> int:
        """How many steps may be held until they begin here, beside those that are held already."""
        return max(0, self._most_bytes // max(1, self._size) - self._room)

    def _measure(self, kept: KeptStep) -> None:
        """How many steps there is room for, if they are all as large as this one."""
        self._with_weights, self._size = bool(kept.weights), _bytes_of(kept)
        self._room = max(2, min(self._most, self._most_bytes // max(1, self._size)))

    def _let_go(self, step: int) -> None:
        if step > self._looked:
            self._not_kept.append(step)

    def had_no_room(self, step: int) -> bool:
        """Whether a step was let go of for its size before it was looked at."""
        return step in self._not_kept

    def why_not_kept(self, step: int) -> str:
        """Why a step is no longer there, in words."""
        if not self.had_no_room(step):
            return "the step is no longer kept"
        limit = f"{self._most_bytes / (1 << 20):g} MB are held of the steps that wait to be looked at"
        return f"the step was not kept: no more than {limit}, and each has {self._size / (1 << 20):.3g} MB"

    def drop(self, step: int) -> None:
        """What has begun as ``step`` is none after all; the next to begin has its number."""
        if self._steps and self._steps[-1].step == step:
            self._steps.pop()

    def crashed(self) -> Optional[BadStep]:
        """The step that has begun and not ended, where an error has ended the run."""
        last = self._steps[-1].step if self._steps else None
        return BadStep(last, "crash", None) if last is not None and last > self._ended else None

    def rest(self) -> Optional[BadStep]:
        """Looks at all steps that are left; returns as `end` does."""
        return self._look(0)

    def kept(self, step: int) -> Optional[KeptStep]:
        """The step as it began, while it is still kept."""
        return next(iter(self.all_kept(step)), None)

    def all_kept(self, step: int) -> list:
        """The forward passes of a step, in their order: several where gradients are accumulated."""
        kept = [one for one in self._steps if one.step == step]
        return [one._replace(random_state=self.states.certain(one.random_state)) for one in kept]

    def loss_of(self, step: int) -> Optional[float]:
        """The loss of a step that was looked at not long ago."""
        return next((loss for number, loss in self.losses if number == step), None)

    def _look(self, leave: int) -> Optional[BadStep]:
        while len(self._waiting) > leave:
            step, loss, overflow, scale = self._waiting.popleft()
            value = to_number(loss)
            self.losses.append((step, value))
            self._looked = step
            if value is not None and not math.isfinite(value):
                return BadStep(step, "loss", value)
            if self._spikes is not None and value is not None:
                self._spikes.look(step, value, self._batch_of)
            bad = self._overflowed(step, bool(to_number(overflow)), to_number(scale))
            if bad is not None:
                return bad
            while self._steps and self._steps[0].step <= step - STREAK:
                self._steps.popleft()
        return None

    def _batch_of(self, step: int):
        """What the last forward pass of a step was called with; None where it is no longer kept."""
        return next((one.batch for one in reversed(self._steps) if one.step == step), None)

    def _overflowed(self, step: int, overflow: bool, scale: Optional[float]) -> Optional[BadStep]:
        self._streak = self._streak + 1 if overflow else 0
        if not overflow:
            return None
        if not self._dynamic or scale is None or scale <= 1:
            return BadStep(step, "gradient", scale)
        return BadStep(step, "streak", scale) if self._streak == STREAK else None


def _bytes_of(kept: KeptStep) -> int:
    """The size of a step's batch and of its weights."""
    values = [*flatten(kept.batch), *(kept.weights or {}).values()]
    return sum(int(getattr(value, "nbytes", 0) or 0) for value in values if hasattr(value, "dtype"))


def save_step(folder: Path, kept: KeptStep) -> dict:
    """Writes ``batch.npz`` (arrays by column or position, no pickles) and ``state.json`` into ``folder``.

    Returns:
        dict: ``step``; ``batch``, a list of ``{"name", "dtype", "shape"}``; ``left_out``, columns that are no arrays, or
        all of them where the batch is larger than `LARGEST_BATCH` bytes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    arrays, left_out = _arrays(kept.batch)
    if sum(array.nbytes for array in arrays.values()) > LARGEST_BATCH:
        arrays, left_out = {}, [*arrays, *left_out]
    np.savez(folder / "batch.npz", **arrays)
    facts = {"step": kept.step, "batch": _listed(arrays), "left_out": left_out}
    state = {**facts, "random_state": _plain_state(kept.random_state)}
    (folder / "state.json").write_text(json.dumps(state), encoding="utf-8")
    return facts


def leave_lost(writer, keeper: StepKeeper, step: int, saves: bool = True) -> None:
    """Leaves in ``rank_N/nonfinite`` what ``step`` began with, whose loss is not finite, unless it is saved elsewhere; an event
    tells where too large batches were not kept."""
    kept = keeper.kept(step)
    if keeper.had_no_room(step):
        writer.event("step_not_kept", step, why=keeper.why_not_kept(step))
    elif kept is not None and saves:
        save_step(writer.rank_folder / "nonfinite", kept)


def save_batch(file: Path, batch, most_bytes: int) -> list:
    """Writes the arrays of a batch as ``file`` (.npz, no pickles), unless they hold more than ``most_bytes``.

    Returns:
        list: ``{"name", "dtype", "shape"}`` of each array; empty where nothing was written.
    """
    if sum(int(getattr(value, "nbytes", 0) or 0) for value in flatten(batch)) > most_bytes:
        return []
    arrays = _arrays(batch)[0]
    if arrays:
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez(file, **arrays)
    return _listed(arrays)


def _listed(arrays: dict) -> list:
    return [{"name": name, "dtype": str(a.dtype), "shape": list(a.shape)} for name, a in arrays.items()]


def _arrays(batch) -> tuple:
    if isinstance(batch, dict):
        named = list(batch.items())
    else:
        named = [
            (f"input_{i}", value) for i, value in enumerate(batch if isinstance(batch, (tuple, list)) else [batch])
        ]
    arrays, left_out = {}, []
    for name, value in named:
        array = _array(value)
        if array is None or array.dtype.kind == "O":
            left_out.append(str(name))
        else:
            arrays[str(name)] = array
    return arrays, left_out


def _array(value) -> Optional[np.ndarray]:
    if hasattr(value, "asnumpy"):
        # NumPy has no bfloat16 of its own
        return np.asarray((value.float() if str(value.dtype) == "BFloat16" else value).asnumpy())
    return value if isinstance(value, np.ndarray) else None


def _plain_state(state: dict) -> dict:
    python = numpy = None
    if state["python"] is not None:
        version, words, gauss = state["python"]
        python = [version, list(words), gauss]
    if state["numpy"] is not None:
        name, keys, position, has_gauss, cached = state["numpy"]
        numpy = [name, keys.tolist(), int(position), int(has_gauss), float(cached)]
    device = state["mindspore"]
    return {
        "python": python,
        "numpy": numpy,
        "mindspore": None if device is None else device.asnumpy().tolist(),
        "seed": state["seed"],
        "kernels": [[name, seed, value] for (name, seed), value in state.get("kernels", {}).items()],
    }
