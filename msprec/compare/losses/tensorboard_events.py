"""Scalars out of TensorBoard event files, without TensorBoard.

The file is a sequence of records ``u64 length | u32 crc | data | u32 crc`` (little-endian), each a protocol buffer ``Event``
{1 wall_time: double, 2 step: int64, 5 summary}, ``Summary`` {1 value: repeated}, ``Value`` {1 tag, 2 simple_value: float,
8 tensor}, ``TensorProto`` {1 dtype, 4 tensor_content, 5 float_val, 6 double_val}. Source: TensorFlow's event.proto,
summary.proto and tensor.proto.
"""

import struct
from collections.abc import Iterator
from pathlib import Path

from msprec.compare.protobuf_wire import fields

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
            except (ValueError, TypeError, struct.error):
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
    found = list(fields(event))
    step = next((value for number, value in found if number == 2), 0)
    for summary in (where for number, where in found if number == 5):
        for number, where in fields(event, *summary):
            if number == 1:
                tag, scalar = _value(event, *where)
                if scalar is not None:
                    yield tag, step, scalar


def _value(event: bytes, begin: int, end: int) -> tuple:
    tag, scalar = "", None
    for number, where in fields(event, begin, end):
        if number == 1:
            tag = event[slice(*where)].decode("utf-8", "replace")
        elif number == 2:
            scalar = struct.unpack("<f", event[slice(*where)])[0]
        elif number == 8:
            scalar = _tensor(event, *where)
    return tag, scalar


def _tensor(event: bytes, begin: int, end: int):
    """The value of a TensorProto with one floating-point element, else None."""
    dtype, raw = 0, b""
    for number, value in fields(event, begin, end):
        if number == 1:
            dtype = value
        elif number in (4, 5, 6):
            raw = event[slice(*value)]
    if dtype == _FLOAT and len(raw) == 4:
        return struct.unpack("<f", raw)[0]
    return struct.unpack("<d", raw)[0] if dtype == _DOUBLE and len(raw) == 8 else None
