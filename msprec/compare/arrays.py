"""Arrays in files, opened lazily and as data only: nothing in a file is ever executed.

A file that is cut off, holds Python objects or claims more than it has gives `CannotRead` with one line.
"""

import math
import os
import threading
import tokenize
import zipfile
from pathlib import Path
from typing import Callable, NamedTuple

import numpy as np
from numpy.lib import format as npy

from msprec.compare.errors import CannotRead

#: Arrays above this many bytes are mapped rather than read, so that one pass over them needs little memory.
MAPPED = 1 << 26
#: A member of an archive that unpacks to more than this many bytes …
_LARGE = 1 << 31
#: … and to more than this many times its size in the archive is taken for a bomb.
_BOMB = 200
#: Headers are Python literals, and Python 3.11 cannot parse in two threads at a time (gh-106905: SystemError).
_PARSER = threading.Lock()


class Array(NamedTuple):
    """An array that is read when asked for.

    Attributes:
        shape: Its shape.
        dtype: Its dtype as its file names it: ``float32``, ``bfloat16``, …
        load: Reads it; bfloat16 comes as float32. Raises `CannotRead`.
    """

    shape: tuple
    dtype: str
    load: Callable


def clear(error: BaseException) -> str:
    """An error of the system's in a few words."""
    return getattr(error, "strerror", None) or str(error).split("\n")[0] or type(error).__name__


def from_bfloat16(bits: np.ndarray) -> np.ndarray:
    """float32, of the same shape, of the 16-bit patterns (uint16) of bfloat16 numbers."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def open_npy(path) -> Array:
    """An ``.npy`` file.

    Raises:
        CannotRead: It is none, is cut off, or holds objects.
    """
    path = Path(path)
    try:
        with open(path, "rb") as file:
            shape, fortran, dtype = _header(file)
            offset, size = file.tell(), os.fstat(file.fileno()).st_size
    except (OSError, ValueError, EOFError) as error:
        raise CannotRead(f"{path}: no array: {clear(error)}") from None
    needed = _bytes(shape, dtype)
    if offset + needed > size:
        raise CannotRead(f"{path}: cut off: {size - offset} of {needed} bytes are there")
    return Array(shape, _name(dtype), lambda: _read(path, shape, fortran, dtype, offset))


def _header(file) -> tuple:
    """``(shape, fortran order, dtype)`` of what is to be read as data."""
    version = npy.read_magic(file)
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    if version not in readers:
        raise ValueError(f"version {version[0]}.{version[1]} of the format is not known")
    try:
        with _PARSER:
            shape, fortran, dtype = readers[version](file)
    except (SyntaxError, tokenize.TokenError, TypeError, RecursionError, MemoryError):
        raise ValueError("its header is damaged") from None
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which could run code when they are loaded; not read")
    if dtype.kind not in "biufcSU" and dtype.str[1:] != "V2":
        raise ValueError(f"dtype {dtype} cannot be compared")
    if any(not isinstance(n, int) or n < 0 for n in shape):
        raise ValueError("its shape is damaged")
    return shape, fortran, dtype


def _bytes(shape: tuple, dtype: np.dtype) -> int:
    return math.prod(shape) * dtype.itemsize


def _name(dtype: np.dtype) -> str:
    return "bfloat16" if dtype.kind == "V" else dtype.name


def _read(path: Path, shape: tuple, fortran: bool, dtype: np.dtype, offset: int) -> np.ndarray:
    order, count = "F" if fortran else "C", math.prod(shape)
    try:
        if count * dtype.itemsize > MAPPED:
            flat = np.memmap(path, dtype=dtype, mode="r", offset=offset, shape=(count,))
        else:
            flat = np.fromfile(path, dtype=dtype, offset=offset, count=count)
    except (OSError, ValueError) as error:
        raise CannotRead(f"{path}: {clear(error)}") from None
    if flat.size < count:
        raise CannotRead(f"{path}: cut off while it was read")
    return _values(flat).reshape(shape, order=order)


def _values(flat: np.ndarray) -> np.ndarray:
    return from_bfloat16(flat.view("<u2")) if flat.dtype.kind == "V" else flat


def open_npz(path) -> dict:
    """``{name: Array}`` of an ``.npz`` file, in its order; a member is read when it is asked for, and never unpacked to disk.

    Raises:
        CannotRead: It is none, or a member is no plain array or unpacks out of proportion.
    """
    path = Path(path)
    found = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if info.filename.endswith(".npy"):
                    found[info.filename[:-4]] = _member(path, archive, info)
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, EOFError) as error:
        raise CannotRead(f"{path}: no archive of arrays: {clear(error)}") from None
    return found


def _member(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Array:
    if info.file_size > _LARGE and info.file_size > _BOMB * max(info.compress_size, 1):
        raise CannotRead(
            f"{path}: {info.filename} unpacks from {info.compress_size} to {info.file_size} bytes; not read"
        )
    with archive.open(info) as file:
        try:
            shape, fortran, dtype = _header(file)
            at = file.tell()
        except (ValueError, EOFError) as error:
            raise CannotRead(f"{path}: {info.filename}: {clear(error)}") from None
    needed = _bytes(shape, dtype)
    if at + needed > info.file_size:
        raise CannotRead(f"{path}: {info.filename} is cut off: {info.file_size - at} of {needed} bytes are there")

    def load() -> np.ndarray:
        try:
            with zipfile.ZipFile(path) as again, again.open(info.filename) as file:
                _header(file)
                data = file.read(needed)
        except (OSError, zipfile.BadZipFile, zipfile.zlib.error, RuntimeError, EOFError, ValueError) as error:
            raise CannotRead(f"{path}: {info.filename}: {clear(error)}") from None
        if len(data) < needed:
            raise CannotRead(f"{path}: {info.filename} is cut off")
        return _values(np.frombuffer(data, dtype)).reshape(shape, order="F" if fortran else "C")

    return Array(shape, _name(dtype), load)
