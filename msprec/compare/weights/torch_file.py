"""Tensors out of PyTorch's ``.pth`` files, without PyTorch and without running what a pickle says.

A file is a zip archive: ``NAME/data.pkl``, a pickle in which each tensor is ``_rebuild_tensor_v2(storage, offset, size, stride,
…)`` and each storage a persistent id ``("storage", type, key, location, elements)``, and ``NAME/data/KEY``, the bytes, not
compressed. The pickle is read with a table of the few names that weights need; any other name is refused before anything is
called.
"""

import collections
import math
import pickle
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from msprec.compare.arrays import Array, clear, from_bfloat16
from msprec.compare.errors import CannotRead

_STORAGES = {
    "FloatStorage": "float32",
    "DoubleStorage": "float64",
    "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16",
    "LongStorage": "int64",
    "IntStorage": "int32",
    "ShortStorage": "int16",
    "CharStorage": "int8",
    "ByteStorage": "uint8",
    "BoolStorage": "bool",
    "ComplexFloatStorage": "complex64",
    "ComplexDoubleStorage": "complex128",
}
_DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")
_MOST_PICKLE = 1 << 28  # bytes of data.pkl
_STATES = ("state_dict", "model_state_dict", "model", "net", "network", "module", "params", "ema")


class _Storage(NamedTuple):
    dtype: str
    key: str
    count: int


class _Inert(dict):
    """Stands for an object that is no tensor; what it is made of is dropped."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__()

    def __setstate__(self, state) -> None:
        pass


class _Tensor(NamedTuple):
    storage: _Storage
    offset: int
    shape: tuple
    stride: tuple


def _tensor(storage, offset, shape, stride, *_):
    if not isinstance(storage, _Storage) or not isinstance(offset, int):
        raise pickle.UnpicklingError("a tensor in it is damaged")
    shape, stride = tuple(shape), tuple(stride)
    if len(shape) != len(stride) or not all(isinstance(n, int) and n >= 0 for n in (offset, *shape, *stride)):
        raise pickle.UnpicklingError("a tensor in it is damaged")
    last = offset + sum((n - 1) * s for n, s in zip(shape, stride)) if math.prod(shape) else offset - 1
    if last >= storage.count:
        raise pickle.UnpicklingError("a tensor in it is larger than its storage")
    return _Tensor(storage, offset, shape, stride)


def _parameter(data, *_):
    return data


_NAMES = {
    ("collections", "OrderedDict"): collections.OrderedDict,
    ("torch._utils", "_rebuild_tensor_v2"): _tensor,
    ("torch._utils", "_rebuild_parameter"): _parameter,
    ("torch", "Size"): tuple,
    ("builtins", "set"): set,
    ("__builtin__", "set"): set,
    **{("torch", name): dtype for name, dtype in _STORAGES.items()},
    **{("torch", name): name for name in _DTYPES},
    # what training checkpoints hold beside weights: dropped
    **dict.fromkeys(
        [
            ("collections", "defaultdict"),
            ("collections", "Counter"),
            ("argparse", "Namespace"),
            ("torch", "device"),
            ("torch.serialization", "_get_layout"),
            ("numpy", "dtype"),
            ("numpy.core.multiarray", "scalar"),
            ("numpy._core.multiarray", "scalar"),
            ("_codecs", "encode"),
        ],
        _Inert,
    ),
}


class _Reader(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) not in _NAMES:
            raise pickle.UnpicklingError(
                f"it names {module}.{name}, which is no weight; not read, as it could run code"
            )
        return _NAMES[module, name]

    def persistent_load(self, pid):
        kind, dtype, key, _, count = pid
        if kind != "storage" or dtype not in _STORAGES.values() or not isinstance(count, int):
            raise pickle.UnpicklingError("a storage in it is not known")
        return _Storage(dtype, str(key), count)


def is_torch_archive(path: Path) -> bool:
    """Whether the file is a zip archive; the format of PyTorch before 1.6 is none."""
    return zipfile.is_zipfile(path)


def read_torch(path: Path) -> dict:
    """``{name: Array}`` of a ``.pth`` file, in its order; tensors are read when asked for.

    Raises:
        CannotRead: It is none, is damaged, or names anything but weights.
    """
    try:
        if not is_torch_archive(path):
            return _legacy(path)
        with zipfile.ZipFile(path) as archive:
            home = next((n for n in archive.namelist() if n.endswith("data.pkl") and n.count("/") <= 1), None)
            if home is None:
                raise CannotRead(f"{path}: no PyTorch weights: there is no data.pkl in the archive")
            if archive.getinfo(home).file_size > _MOST_PICKLE:
                raise CannotRead(f"{path}: its data.pkl unpacks to {archive.getinfo(home).file_size} bytes; not read")
            with archive.open(home) as file:
                found = _Reader(file).load()
    except CannotRead:
        raise
    except Exception as error:  # a damaged pickle raises anything
        raise CannotRead(f"{path}: no PyTorch weights: {clear(error)}") from None
    tensors = dict(_tensors(_state(found)))
    if not tensors:
        raise CannotRead(f"{path}: no tensor in it")
    return {name: _array(path, home[: -len("data.pkl")], tensor) for name, tensor in tensors.items()}


def _state(found):
    """The dictionary of weights inside a training checkpoint."""
    while isinstance(found, dict) and not any(isinstance(value, _Tensor) for value in found.values()):
        inner = next((found[key] for key in _STATES if isinstance(found.get(key), dict)), None)
        if inner is None:
            break
        found = inner
    return found


def _tensors(found, prefix: str = "", depth: int = 0):
    if isinstance(found, _Tensor):
        yield prefix or "tensor", found
    elif isinstance(found, (dict, list, tuple)) and depth < 20:
        items = found.items() if isinstance(found, dict) else enumerate(found)
        for key, value in items:
            yield from _tensors(value, f"{prefix}.{key}" if prefix else str(key), depth + 1)


def _array(path: Path, folder: str, tensor: _Tensor) -> Array:
    storage = tensor.storage

    def load() -> np.ndarray:
        dtype = np.dtype("<u2" if storage.dtype == "bfloat16" else storage.dtype)
        needed = storage.count * dtype.itemsize
        try:
            with zipfile.ZipFile(path) as archive:
                info = archive.getinfo(f"{folder}data/{storage.key}")
                if info.file_size < needed:
                    raise CannotRead(f"{path}: {info.filename} is cut off")
                with archive.open(info) as file:
                    flat = np.frombuffer(file.read(needed), dtype)
        except (OSError, EOFError, KeyError, zipfile.BadZipFile, zipfile.zlib.error, ValueError, RuntimeError) as error:
            raise CannotRead(f"{path}: {clear(error)}") from None
        if flat.size < storage.count:
            raise CannotRead(f"{path}: the data of a tensor is cut off")
        flat = from_bfloat16(flat) if storage.dtype == "bfloat16" else flat
        strides = tuple(step * flat.itemsize for step in tensor.stride)
        return np.lib.stride_tricks.as_strided(flat[tensor.offset :], tensor.shape, strides, writeable=False)

    return Array(tensor.shape, storage.dtype, load)


def _legacy(path: Path) -> dict:
    """The format before PyTorch 1.6, which is read by PyTorch itself, weights only."""
    try:
        import torch
    except ImportError:
        raise CannotRead(
            f"{path}: no archive; if it is PyTorch's format before 1.6, save it again with a newer PyTorch, or install torch"
        ) from None
    found = torch.load(path, map_location="cpu", weights_only=True)
    return {name: _of_torch(value) for name, value in _torch_state(found).items()}


def _torch_state(found) -> dict:
    import torch

    while isinstance(found, dict) and not any(isinstance(value, torch.Tensor) for value in found.values()):
        found = next((found[key] for key in _STATES if isinstance(found.get(key), dict)), None)
    return {str(k): v for k, v in (found or {}).items() if isinstance(v, torch.Tensor)}


def _of_torch(tensor) -> Array:
    dtype = str(tensor.dtype).split(".")[-1]
    return Array(
        tuple(tensor.shape), dtype, lambda: (tensor.float() if dtype == "bfloat16" else tensor).detach().numpy()
    )
