"""References that the user hands over, turned into facts: weights (wi.02), data (ds.04) and a run to compare with."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

import numpy as np

from msprec.record.checksums import from_md5sum, md5_of
from msprec.references.declared_design import read_design
from msprec.references.errors import BadReference

WEIGHT_FILES = (".ckpt", ".npz", ".safetensors", ".pth", ".pt", ".bin")
_MOST = 20000
_MOST_FILES = 200_000


def check_weights_path(path: str) -> None:
    """Raises BadReference where ``path`` is plainly no file of weights."""
    if not Path(path).is_file():
        raise BadReference(f"{path}: there is no such file")
    if Path(path).suffix.lower() not in WEIGHT_FILES:
        raise BadReference(f"{path}: reference weights are read from {' '.join(WEIGHT_FILES)} files")


def read_weights(path: str) -> dict:
    """The facts ``reference_weights`` of a file: name, shape and statistics of each tensor; no values.

    Neither MindSpore nor PyTorch is needed. Raises BadReference.
    """
    check_weights_path(path)
    file = Path(path)
    try:
        listed = [entry for entry in (_described(name, array) for name, array in _tensors(file)) if entry][:_MOST]
    except BadReference:
        raise
    except Exception as error:
        raise BadReference(
            f"{path}: cannot be read as weights: {type(error).__name__}: {error}".splitlines()[0]
        ) from None
    if not listed:
        raise BadReference(f"{path}: no tensor of numbers in it")
    return {"file": str(path), "md5": md5_of(file), "parameters": listed}


def check_data_path(path: str) -> None:
    """Raises BadReference where ``path`` is neither a folder nor a file."""
    if not Path(path).exists():
        raise BadReference(f"{path}: there is no such folder or manifest")


def read_data(path: str) -> dict:
    """The facts ``reference_data`` of a folder of data, or of a manifest: a ``data_files.json`` of a run, or what md5sum writes.

    Every file of a folder is read to its end. Raises BadReference.
    """
    check_data_path(path)
    root = Path(path)
    if root.is_dir():
        found = [one for one in sorted(root.rglob("*")) if one.is_file()][:_MOST_FILES]
        files = [
            {"name": one.relative_to(root).as_posix(), "bytes": one.stat().st_size, "md5": md5_of(one)} for one in found
        ]
    else:
        files = _manifest(root)
    if not files:
        raise BadReference(f"{path}: no files in it")
    return {"source": str(path), "files": files}


def _manifest(file: Path) -> list:
    try:
        text = file.read_bytes().decode("utf-8", errors="replace")
        if not text.lstrip().startswith("{"):
            return from_md5sum(text)
        listed = json.loads(text)["files"]
        return [{"name": one["path"], "bytes": one.get("bytes"), "md5": one.get("md5")} for one in listed]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadReference(f"{file}: no manifest: {type(error).__name__}: {error}") from None


def _tensors(file: Path) -> Iterator[tuple]:
    """(name, values) of a file of weights, one after the other; read as data only."""
    from msprec.compare.weights.files import read_weights as open_weights

    for name, array in open_weights(file).arrays.items():
        if array.dtype.startswith(("float", "bfloat", "int", "uint", "bool")):
            yield name, array.load()


def _described(name: str, array: np.ndarray) -> Optional[dict]:
    """Shape and statistics as ``initial`` of ``parameters.json`` has them."""
    if array.dtype.kind not in "fiub" or not array.size:
        return None
    values = array.astype(np.float64)
    finite = values[np.isfinite(values)]
    if not finite.size:
        return None
    return {
        "name": name,
        "shape": list(array.shape),
        "min": float(finite.min()),
        "max": float(finite.max()),
        "mean": float(finite.mean()),
        "std": float(finite.std()),
    }


def _run(path: str) -> dict:
    from msprec.references.reference_run import read_run

    return read_run(path)


#: By the name of the fact file: what looks at the path, and what reads it.
CHECKS = {
    "reference_weights": check_weights_path,
    "reference_data": check_data_path,
    "reference_run": _run,
    "design": read_design,
}
READERS = {"reference_weights": read_weights, "reference_data": read_data, "reference_run": _run, "design": read_design}
