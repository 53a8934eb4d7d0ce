"""References that the user hands over, turned into facts: weights to compare with (wi.02)."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

import numpy as np

WEIGHT_FILES = (".ckpt", ".npz")
_MOST = 20000


class BadReference(ValueError):
    """The reference cannot be read; the message is one line for the user."""


def check_weights_path(path: str) -> None:
    """Raises BadReference where ``path`` is plainly no file of weights."""
    if not Path(path).is_file():
        raise BadReference(f"{path}: there is no such file")
    if Path(path).suffix.lower() not in WEIGHT_FILES:
        raise BadReference(f"{path}: reference weights are read from {' or '.join(WEIGHT_FILES)} files")


def read_weights(path: str) -> dict:
    """The facts ``reference_weights`` of a file: name, shape and statistics of each tensor; no values.

    A ``.ckpt`` file is read by MindSpore. Raises BadReference.
    """
    check_weights_path(path)
    file = Path(path)
    try:
        tensors = _npz(file) if file.suffix.lower() == ".npz" else _ckpt(file)
        listed = [entry for entry in (_described(name, array) for name, array in tensors) if entry][:_MOST]
    except BadReference:
        raise
    except Exception as error:
        raise BadReference(
            f"{path}: cannot be read as weights: {type(error).__name__}: {error}".splitlines()[0]
        ) from None
    if not listed:
        raise BadReference(f"{path}: no tensor of numbers in it")
    return {"file": str(path), "md5": file_md5(file), "parameters": listed}


def file_md5(file: Path) -> str:
    """The MD5 of a file, in hexadecimal."""
    digest = hashlib.md5(usedforsecurity=False)
    with open(file, "rb") as opened:
        for block in iter(lambda: opened.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def _npz(file: Path) -> Iterator[tuple]:
    with np.load(file, allow_pickle=False) as archive:
        for name in archive.files:
            yield name, archive[name]


def _ckpt(file: Path) -> Iterator[tuple]:
    from mindspore import load_checkpoint

    for name, parameter in load_checkpoint(str(file)).items():
        if "BFloat16" in str(getattr(parameter, "dtype", "")):
            parameter = parameter.float()
        if hasattr(parameter, "asnumpy"):
            yield name, parameter.asnumpy()


def _described(name: str, array: np.ndarray) -> Optional[dict]:
    """Shape and statistics as ``initial`` of ``parameters.json`` has them."""
    if array.dtype.kind not in "fiub" or not array.size:
        return None
    values = array.astype(np.float64)
    finite = values[np.isfinite(values)]
    if not finite.size:
        return None
    return {
        "name": name, "shape": list(array.shape), "min": float(finite.min()), "max": float(finite.max()),
        "mean": float(finite.mean()), "std": float(finite.std()),
    }  # fmt: skip


def _design(path: str) -> dict:
    from msprec.checklist.design import read_design

    return read_design(path)


#: By the name of the fact file: what looks at the path, and what reads it.
CHECKS = {"reference_weights": check_weights_path, "design": _design}
READERS = {"reference_weights": read_weights, "design": _design}
