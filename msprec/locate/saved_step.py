"""A bad step on disk: what it was called with, the weights and the random state before it; and running it again."""

import json
from pathlib import Path
from typing import Callable, Optional

import numpy as np

from msprec.callbacks.step_snapshots import KeptStep, save_step
from msprec.errors import Located
from msprec.locate.replay_step import locate

#: Weights of more bytes than this are not written.
LARGEST_WEIGHTS = 1 << 30


def save_capsule(folder: Path, kept: KeptStep, parameters: list, loss: Optional[float], facts: dict) -> None:
    """Writes ``batch.npz``, ``state.json`` and, where the weights were kept and are not too many, ``weights.npz`` (by parameter
    name)."""
    save_step(folder, kept)
    weights = {p.name: kept.weights[id(p)] for p in parameters if kept.weights and id(p) in kept.weights}
    size = sum(array.nbytes for array in weights.values())
    fits = size <= LARGEST_WEIGHTS
    if weights and fits:
        np.savez(folder / "weights.npz", **{name: _plain(array) for name, array in weights.items()})
    state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
    inputs = kept.batch if isinstance(kept.batch, (tuple, list)) else (kept.batch,)
    state.update(
        dtypes=[str(getattr(value, "dtype", "")) for value in inputs],
        names=[p.name for p in parameters],
        loss=None if loss is None else repr(loss),
        located={k: facts.get(k) for k in ("phase", "place", "expression")},
    )
    if not fits:
        state["not_written"] = {"weights": size, "most_bytes": LARGEST_WEIGHTS}
    (folder / "state.json").write_text(json.dumps(state), encoding="utf-8")


def _plain(array: np.ndarray) -> np.ndarray:
    """bfloat16, which NumPy's files do not know, as float32."""
    return array.astype(np.float32) if array.dtype.kind == "V" else array


class Capsule:
    """A bad step read from disk.

    Args:
        folder: ``RUN/rank_N/nonfinite``.

    Raises:
        OSError, ValueError: It cannot be read, or an input of the step could not be written.
    """

    def __init__(self, folder: Path) -> None:
        self.state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        if self.state.get("left_out"):
            raise ValueError(f"inputs that could not be kept: {', '.join(self.state['left_out'])}")
        with np.load(folder / "batch.npz", allow_pickle=False) as arrays:
            self.batch = [arrays[entry["name"]] for entry in self.state["batch"]]
        self.weights = None
        if (folder / "weights.npz").is_file():
            with np.load(folder / "weights.npz", allow_pickle=False) as arrays:
                self.weights = {name: arrays[name] for name in arrays.files}
        loss = self.state.get("loss")
        self.loss = None if loss is None else float(loss)

    @property
    def step(self) -> int:
        """Number of the step in its run."""
        return int(self.state["step"])

    def try_on(self, build: Callable, *_) -> None:
        """Replays the capsule on the step that ``build(inputs)`` makes, if it has the same parameters.

        Raises:
            Located: It has; the script's purpose is fulfilled.
        """
        step = build(self.inputs())
        known = {p.name: p for p in step.parameters}
        if set(self.state.get("names", known)) - set(known):
            return  # another network, which trains earlier
        weights = {id(known[n]): a for n, a in (self.weights or {}).items() if n in known}
        raise Located(locate(step, self.loss, self.random_state(), weights or None))

    def inputs(self) -> tuple:
        """What the step was called with, as tensors."""
        import mindspore as ms

        names = self.state.get("dtypes") or [""] * len(self.batch)
        half = [name == "BFloat16" for name in names]
        return tuple(ms.Tensor(array, ms.bfloat16) if b else ms.Tensor(array) for array, b in zip(self.batch, half))

    def random_state(self) -> dict:
        """As `random_state` returns it."""
        import mindspore as ms

        state = self.state["random_state"]
        python, numpy, device = state["python"], state["numpy"], state["mindspore"]
        if python is not None:
            python = (python[0], tuple(python[1]), python[2])
        if numpy is not None:
            numpy = (numpy[0], np.array(numpy[1], np.uint32), *numpy[2:])
        return {
            "python": python,
            "numpy": numpy,
            "mindspore": None if device is None else ms.Tensor(np.array(device, np.uint8)),
            "seed": state["seed"],
            "kernels": {(name, seed): value for name, seed, value in state.get("kernels", [])},
        }
