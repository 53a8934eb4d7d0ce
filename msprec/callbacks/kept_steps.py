"""The last few steps as they began: batch and random state, for locating the origin of a non-finite value later."""

import json
import math
import random
from collections import deque
from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np

from msprec.record.steps import to_number

#: Steps kept where reading the loss would make the host wait for a device; on a CPU two suffice.
DEVICE_STEPS, CPU_STEPS = 16, 2
#: A batch larger than this is not written.
LARGEST_BATCH = 256 << 20


class KeptStep(NamedTuple):
    """``batch``: what the step was called with, tensors as they are; ``random_state``: see `random_state`."""

    step: int
    batch: object
    random_state: dict


def random_state() -> dict:
    """The states of Python's, NumPy's and MindSpore's global generators, and MindSpore's global seed; reading changes
    none of them."""
    import mindspore as ms

    device = ms.get_rng_state() if hasattr(ms, "get_rng_state") else None
    return {"python": random.getstate(), "numpy": np.random.get_state(), "mindspore": device, "seed": ms.get_seed()}


class StepKeeper:
    """Keeps the steps whose loss has not been looked at, and looks at the losses one step late, so that the host never
    waits for a step that runs.

    Args:
        every: Losses are looked at when so many steps are kept.
    """

    def __init__(self, every: int) -> None:
        self._every = max(1, every)
        self._steps, self._losses = deque(maxlen=2 * self._every), deque()

    def begin(self, step: int, batch) -> None:
        """Call it before the step."""
        self._steps.append(KeptStep(step, batch, random_state()))

    def end(self, step: int, loss, at_once: bool = False) -> Optional[tuple]:
        """Call it after the step. ``at_once``: look at this loss too, and wait for it.

        Returns:
            ``(step, value)`` of the first non-finite loss among those looked at now; ``None`` without any.
        """
        if loss is not None:
            self._losses.append((step, loss))
        if not at_once and len(self._losses) <= self._every:
            return None
        return self._look(0 if at_once else 1)

    def rest(self) -> Optional[tuple]:
        """Looks at all losses that are left; returns as `end` does."""
        return self._look(0)

    def kept(self, step: int) -> Optional[KeptStep]:
        """The step as it began, while it is still kept."""
        return next((one for one in self._steps if one.step == step), None)

    def _look(self, leave: int) -> Optional[tuple]:
        while len(self._losses) > leave:
            step, loss = self._losses.popleft()
            value = to_number(loss)
            if value is not None and not math.isfinite(value):
                return step, value
        return None


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
    listed = [{"name": name, "dtype": str(a.dtype), "shape": list(a.shape)} for name, a in arrays.items()]
    facts = {"step": kept.step, "batch": listed, "left_out": left_out}
    state = {**facts, "random_state": _plain_state(kept.random_state)}
    (folder / "state.json").write_text(json.dumps(state), encoding="utf-8")
    return facts


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
    version, words, gauss = state["python"]
    name, keys, position, has_gauss, cached = state["numpy"]
    device = state["mindspore"]
    return {
        "python": [version, list(words), gauss],
        "numpy": [name, keys.tolist(), int(position), int(has_gauss), float(cached)],
        "mindspore": None if device is None else device.asnumpy().tolist(),
        "seed": state["seed"],
    }
