"""Weights in files, by name: ``.ckpt``, ``.safetensors``, ``.pth``/``.pt``, ``.npz``. Read lazily, as data only; neither
MindSpore nor PyTorch is needed.

A ``.ckpt`` file is a protocol buffer ``Checkpoint`` {1 value: repeated}, ``Value`` {1 tag, 2 tensor}, ``TensorProto`` {1 dims:
repeated int64, 2 tensor_type, 3 tensor_content}; a large tensor is spread over several values of one tag, each with the whole
dims. With ``crc_check`` ten bytes ``crc_num`` and the checksum follow. Source: MindSpore's checkpoint.proto and serialization.py,
checked against files of 2.7.1 and 2.10.0.
"""

import json
import math
import mmap
from pathlib import Path
from typing import NamedTuple

import numpy as np

from msprec.compare.arrays import Array, clear, from_bfloat16, open_npz
from msprec.compare.errors import CannotRead
from msprec.compare.protobuf_wire import fields, varints
from msprec.compare.weights.torch_file import read_torch

_SAFE = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    "I64": "int64",
    "I32": "int32",
    "I16": "int16",
    "I8": "int8",
    "U64": "uint64",
    "U32": "uint32",
    "U16": "uint16",
    "U8": "uint8",
    "BOOL": "bool",
}
_MOST_HEADER = 1 << 27


class Weights(NamedTuple):
    """A file of weights.

    Attributes:
        path: The file.
        arrays: ``{name: Array}`` in the order of the file.
    """

    path: Path
    arrays: dict


def read_weights(path) -> Weights:
    """Opens a file of weights.

    Raises:
        CannotRead: It is none, is damaged, or would have to run code to be read.
    """
    path = Path(path)
    readers = {
        ".ckpt": _ckpt,
        ".safetensors": _safetensors,
        ".pth": read_torch,
        ".pt": read_torch,
        ".bin": read_torch,
        ".npz": open_npz,
    }
    if not path.is_file():
        raise CannotRead(f"{path}: there is no such file")
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise CannotRead(f"{path}: unknown kind of file (known: {' '.join(readers)})")
    try:
        # a .ckpt may also be PyTorch's (Lightning)
        arrays = read_torch(path) if reader is _ckpt and _is_zip(path) else reader(path)
    except OSError as error:
        raise CannotRead(f"{path}: {clear(error)}") from None
    if not arrays:
        raise CannotRead(f"{path}: no tensor in it")
    return Weights(path, arrays)


def _is_zip(path: Path) -> bool:
    with open(path, "rb") as file:
        return file.read(4) == b"PK\x03\x04"


# --- .ckpt --------------------------------------------------------------------------------------------------------
def _ckpt(path: Path) -> dict:
    with open(path, "rb") as file:
        if not file.seek(0, 2):
            raise CannotRead(f"{path}: the file is empty")
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    end = len(data) - 17 if data[-17:-10] == b"crc_num" else len(data)
    parts = {}
    try:
        for number, where in fields(data, 0, end):
            if number == 1:
                _value(data, where, parts)
    except (ValueError, TypeError) as error:
        raise CannotRead(f"{path}: no MindSpore checkpoint, or an encrypted or damaged one: {clear(error)}") from None
    return {name: _ckpt_array(path, data, name, *part) for name, part in parts.items() if part[1] != "str"}


def _value(data, where: tuple, parts: dict) -> None:
    tag, tensor = "", None
    for number, inner in fields(data, *where):
        if number == 1:
            tag = data[slice(*inner)].decode("utf-8", "replace")
        elif number == 2:
            tensor = inner
    if tensor is None:
        return  # a map parameter of an embedding service
    dims, kind, content = [], "", None
    for number, inner in fields(data, *tensor):
        if number == 1:
            dims += [inner] if isinstance(inner, int) else varints(data, *inner)
        elif number == 2:
            kind = data[slice(*inner)].decode("utf-8", "replace")
        elif number == 3:
            content = inner
    if content is not None:
        parts.setdefault(tag, (tuple(dims), kind, []))[2].append(content)


def _ckpt_array(path: Path, data, name: str, dims: tuple, kind: str, pieces: list) -> Array:
    dtype = kind.lower().replace("bool_", "bool")
    stored = _stored(path, name, dtype)
    size = sum(end - begin for begin, end in pieces)
    shape = () if dims == (0,) and size == stored.itemsize else dims
    if math.prod(shape) * stored.itemsize != size:
        raise CannotRead(f"{path}: {name} is damaged: {size} bytes for {kind}{list(shape)}")

    def load() -> np.ndarray:
        if len(pieces) == 1:
            flat = np.frombuffer(data, stored, count=math.prod(shape), offset=pieces[0][0])
        else:
            flat = np.frombuffer(b"".join(data[begin:end] for begin, end in pieces), stored)
        return (from_bfloat16(flat) if dtype == "bfloat16" else flat).reshape(shape)

    return Array(shape, dtype, load)


def _stored(path: Path, name: str, dtype: str) -> np.dtype:
    """How the elements are stored."""
    if dtype == "bfloat16":
        return np.dtype("<u2")
    try:
        return np.dtype(dtype).newbyteorder("<")
    except TypeError:
        raise CannotRead(f"{path}: {name} has the dtype {dtype}, which cannot be compared") from None


# --- .safetensors -------------------------------------------------------------------------------------------------
def _safetensors(path: Path) -> dict:
    size = path.stat().st_size
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > min(_MOST_HEADER, size - 8):
            raise CannotRead(f"{path}: no safetensors file, or one that is cut off")
        try:
            header = json.loads(file.read(length))
            return {
                name: _safe_array(path, name, entry, 8 + length, size)
                for name, entry in header.items()
                if name != "__metadata__"
            }
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise CannotRead(f"{path}: damaged header: {clear(error)}") from None


def _safe_array(path: Path, name: str, entry: dict, base: int, size: int) -> Array:
    if entry["dtype"] not in _SAFE:
        raise CannotRead(f"{path}: {name} has the dtype {entry['dtype']}, which cannot be compared")
    dtype, shape, (begin, end) = _SAFE[entry["dtype"]], tuple(map(int, entry["shape"])), entry["data_offsets"]
    stored = _stored(path, name, dtype)
    count = math.prod(shape)
    if begin < 0 or end - begin != count * stored.itemsize or min(shape, default=0) < 0:
        raise CannotRead(f"{path}: {name} is damaged")
    if base + end > size:
        raise CannotRead(f"{path}: cut off: {name} ends at byte {base + end} of {size}")

    def load() -> np.ndarray:
        flat = np.fromfile(path, stored, count=count, offset=base + begin)
        return (from_bfloat16(flat) if dtype == "bfloat16" else flat).reshape(shape)

    return Array(shape, dtype, load)
