"""Scalars out of TensorBoard event files, without TensorBoard.

The file is a sequence of records ``u64 length | u32 crc | data | u32 crc`` (little-endian), each a protocol buffer ``Event``
{1 wall_time: double, 2 step: int64, 5 summary}, ``Summary`` {1 value: repeated}, ``Value`` {1 tag, 2 simple_value: float,
8 tensor}, ``TensorProto`` {1 dtype, 4 tensor_content, 5 float_val, 6 double_val}. Source: TensorFlow's event.proto,
summary.proto and tensor.proto.
"""

import struct
from collections.abc import Iterator
from pathlib import Path

_FLOAT, _DOUBLE = 1, 2  # TensorProto.dtype
_MOST = 1 << 28  # bytes of one record


def is_event_file(path: Path) -> bool:
    """Whether the name is that of an event file (``events.out.tfevents.…``)."""
    return ".tfevents." in path.name


def read_scalars(path: Path) -> dict:
    """``{tag: [(step, value), …]}`` in the order of the file; what was cut off at its end is left out.

    Raises:
        OSError: The file cannot be read.
    """
    found = {}
    with open(path, "rb") as file:
        for record in _records(file):
            try:
                for tag, step, value in _scalars(record):
                    found.setdefault(tag, []).append((step, value))
            except (ValueError, IndexError, struct.error):
                continue  # a damaged record; the next has its own frame
    return found


def _records(file) -> Iterator[bytes]:
    while True:
        head = file.read(12)
        if len(head) < 12:
            return
        length = struct.unpack("<Q", head[:8])[0]
        if length > _MOST:
            return
        data = file.read(length)
        if len(data) < length or len(file.read(4)) < 4:
            return
        yield data


def _scalars(event: bytes) -> Iterator[tuple]:
    fields = list(_fields(event))
    step = next((value for number, value in fields if number == 2), 0)
    for summary in (value for number, value in fields if number == 5):
        for number, value in _fields(summary):
            if number == 1:
                tag, scalar = _value(value)
                if scalar is not None:
                    yield tag, step, scalar


def _value(data: bytes) -> tuple:
    tag = scalar = None
    for number, value in _fields(data):
        if number == 1:
            tag = value.decode("utf-8", "replace")
        elif number == 2 and len(value) == 4:
            scalar = struct.unpack("<f", value)[0]
        elif number == 8:
            scalar = _tensor(value)
    return tag or "", scalar


def _tensor(data: bytes):
    """The value of a TensorProto with one floating-point element, else None."""
    dtype, raw = 0, b""
    for number, value in _fields(data):
        if number == 1:
            dtype = value
        elif number in (4, 5, 6):
            raw = value
    if dtype == _FLOAT and len(raw) == 4:
        return struct.unpack("<f", raw)[0]
    return struct.unpack("<d", raw)[0] if dtype == _DOUBLE and len(raw) == 8 else None


def _fields(data: bytes) -> Iterator[tuple]:
    """``(number, value)``: an int for a varint, bytes for every other kind."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = _varint(data, at)
        else:
            if kind == 2:
                length, at = _varint(data, at)
            elif kind in (1, 5):
                length = 8 if kind == 1 else 4
            else:
                raise ValueError("unknown wire type")
            value = data[at : at + length]
            if len(value) < length:
                raise ValueError("cut off")
            at += length
        yield number, value


def _varint(data: bytes, at: int) -> tuple:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
        if shift > 63:
            raise ValueError("no varint")
